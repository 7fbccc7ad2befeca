// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all views share: the source looked at, the target, the operation selected; and when to look again.
import * as vscode from "vscode";
import type { Range, News, StageTable, DecisionList } from "../shared/protocol";
import { parseStageUri } from "../shared/stageUri";
import { LanguageServer, Refused } from "./languageServer";

export interface Snapshot { table: StageTable; decisions: DecisionList | undefined }

export class Workbench implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[] = [];
  private readonly documentChanged = new vscode.EventEmitter<void>();
  private readonly resultChanged = new vscode.EventEmitter<void>();
  private readonly selectionChanged = new vscode.EventEmitter<{ key: string; from: unknown }>();
  private timer: NodeJS.Timeout | undefined;
  private asked: vscode.CancellationTokenSource | undefined;
  private current: vscode.Uri | undefined;
  private snapshot: Snapshot | undefined;
  private problem = "";
  private stale = false;
  private key = "";
  private pinsWatcher: vscode.FileSystemWatcher | undefined;
  private targetName: string;

  /** Another source is looked at. */
  readonly onDidChangeDocument = this.documentChanged.event;
  /** The source was compiled anew (or cannot be): every view asks again. */
  readonly onDidCompile = this.resultChanged.event;
  readonly onDidSelect = this.selectionChanged.event;

  constructor(readonly server: LanguageServer) {
    this.targetName = vscode.workspace.getConfiguration("tilewright").get("target", "cpu");
    this.disposables.push(
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
      vscode.window.onDidChangeTextEditorSelection((event) => void this.selectAt(event)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.toString() === this.current?.toString() && !this.isOpen(document.uri)) this.setDocument(undefined);
      }),
      // What is wrong with a text is told once it is left alone: the moment to compile it.
      server.onDidDiagnose((uri) => { if (uri === this.current?.toString()) this.refreshSoon(); }),
      server.onDidHear((news) => this.hear(news)),
      server.onDidChange(() => this.refreshSoon()),
    );
    this.follow(vscode.window.activeTextEditor);
  }

  get document(): vscode.Uri | undefined { return this.current; }
  get result(): Snapshot | undefined { return this.snapshot; }
  /** Why there is no result of the newest text; empty if there is one. */
  get trouble(): string { return this.problem; }
  /** Whether the result is of an older text. */
  get isStale(): boolean { return this.stale; }
  get target(): string { return this.targetName; }
  get selectedKey(): string { return this.key; }

  /** The source a command is about: what it was given, or the one looked at. */
  sourceOf(argument: unknown): vscode.Uri | undefined {
    if (argument instanceof vscode.Uri) {
      const stage = parseStageUri(argument);
      return stage ? vscode.Uri.parse(stage.source) : argument;
    }
    if (typeof argument === "string" && argument.includes(":")) return this.sourceOf(vscode.Uri.parse(argument));
    return this.current;
  }

  async setTarget(name: string): Promise<void> {
    await this.server.ask("tilewright/setTarget", { target: name });
    this.targetName = name;
    this.refreshSoon();
  }

  /** From anywhere: shown in every view and, with `reveal`, in the source. */
  async select(key: string, from: unknown, reveal = false): Promise<void> {
    if (key !== this.key) {
      this.key = key;
      this.selectionChanged.fire({ key, from });
    }
    if (reveal) await this.goToSource(key);
  }

  async goToSource(key: string, keepFocus = false): Promise<boolean> {
    const uri = this.current;
    if (!uri) return false;
    const range = await this.rangeOf(uri, key);
    if (!range) {
      void vscode.window.showInformationMessage(vscode.l10n.t("{0} is not in the source as it is now", key));
      return false;
    }
    const visible = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), {
      preserveFocus: keepFocus, viewColumn: visible?.viewColumn ?? vscode.ViewColumn.One,
    });
    editor.selection = new vscode.Selection(range.start, range.start);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return true;
  }

  /** Where a key is in the source, by its document symbols. */
  private async rangeOf(uri: vscode.Uri, key: string): Promise<vscode.Range | undefined> {
    interface Symbol { key?: string; selectionRange: Range; children?: Symbol[] }
    const symbols = await this.server.ask<Symbol[]>("textDocument/documentSymbol", { textDocument: { uri: uri.toString() } });
    // A part, a further result or an operand of an operation is where that operation is.
    const owner = key.replace(/[#:].*$/, "");
    let best: { length: number; range: Range } | undefined;
    const visit = (list: Symbol[]) => {
      for (const symbol of list) {
        if (symbol.key && (owner === symbol.key || owner.startsWith(symbol.key + ".") || owner.startsWith(symbol.key + "/")) &&
            (!best || symbol.key.length > best.length))
          best = { length: symbol.key.length, range: symbol.selectionRange };
        visit(symbol.children ?? []);
      }
    };
    visit(symbols ?? []);
    return best && new vscode.Range(best.range.start.line, best.range.start.character, best.range.end.line, best.range.end.character);
  }

  refreshSoon(delay = 50): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), delay);
  }

  async refresh(): Promise<void> {
    this.asked?.cancel();
    const uri = this.current;
    if (!uri || !this.server.running) {
      this.snapshot = undefined;
      this.problem = "";
      this.resultChanged.fire();
      return;
    }
    const asked = this.asked = new vscode.CancellationTokenSource();
    try {
      const table = await this.server.ask<StageTable>("tilewright/stages", { uri: uri.toString() }, asked.token);
      const decisions = await this.server.ask<DecisionList>("tilewright/decisions", { uri: uri.toString() }, asked.token)
        .catch((error: unknown) => { if (error instanceof Refused && (error.cancelled || error.overtaken)) throw error; return undefined; });
      if (this.asked !== asked || this.current?.toString() !== uri.toString()) return;
      // A text that cannot even be read has no stages: the last ones stay to be looked at.
      this.stale = !table.passes.length && this.snapshot !== undefined;
      if (!this.stale) this.snapshot = { table, decisions };
      this.problem = table.complete ? "" : table.diagnostics.find((d) => d.severity === "error")?.message ?? "";
    } catch (error) {
      if (this.asked !== asked) return;
      if (error instanceof Refused && (error.cancelled || error.overtaken)) return;
      this.problem = error instanceof Refused ? error.words : String(error);
    }
    this.resultChanged.fire();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asked?.cancel();
    this.pinsWatcher?.dispose();
    for (const item of [...this.disposables, this.documentChanged, this.resultChanged, this.selectionChanged]) item.dispose();
  }

  /** Others change what is shown as well: the server on its own, a program that pins, a code lens. */
  private hear(news: News): void {
    if (news.uri !== this.current?.toString()) return;
    const table = this.snapshot?.table;
    const isShown = table?.target === news.target && table.generation === news.generation && table.documentVersion === news.documentVersion;
    if (news.changed.some((part) => part === "pins" || part === "overrides") || (news.changed.includes("stages") && !isShown)) this.refreshSoon();
  }

  private isOpen(uri: vscode.Uri): boolean {
    return vscode.workspace.textDocuments.some((document) => !document.isClosed && document.uri.toString() === uri.toString());
  }

  private follow(editor: vscode.TextEditor | undefined): void {
    if (!editor) return;
    const { document } = editor;
    const stage = parseStageUri(document.uri);
    if (stage) this.setDocument(vscode.Uri.parse(stage.source));
    else if (document.languageId === "mlir" && document.uri.scheme !== "tilewright") this.setDocument(document.uri);
  }

  private setDocument(uri: vscode.Uri | undefined): void {
    if (uri?.toString() === this.current?.toString()) return;
    this.current = uri;
    this.snapshot = undefined;
    this.stale = false;
    this.problem = "";
    this.key = "";
    void vscode.commands.executeCommand("setContext", "tilewright.hasDocument", !!uri);
    this.watchPins(uri);
    this.documentChanged.fire();
    this.refreshSoon(0);
  }

  /** The pins beside a source are compiled with it, whoever writes them. */
  private watchPins(uri: vscode.Uri | undefined): void {
    this.pinsWatcher?.dispose();
    this.pinsWatcher = undefined;
    if (uri?.scheme !== "file") return;
    const name = uri.path.slice(uri.path.lastIndexOf("/") + 1);
    const quoted = name.replace(/[[\]{}?*]/g, "?");
    const watcher = this.pinsWatcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), `${quoted}.pins.json`));
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) event(() => this.refreshSoon());
  }

  /** The cursor in a source or a stage's text selects the operation it is on. */
  private async selectAt(event: vscode.TextEditorSelectionChangeEvent): Promise<void> {
    const { document } = event.textEditor;
    if (!this.server.running || document.languageId !== "mlir" || !this.current) return;
    const stage = parseStageUri(document.uri);
    const position = event.selections[0]?.active;
    if (!position || (stage?.source ?? document.uri.toString()) !== this.current.toString()) return;
    try {
      const found = await this.server.ask<{ keys: string[] } | null>("tilewright/keyAt", {
        uri: this.current.toString(), position: { line: position.line, character: position.character },
        ...(stage ? { stage: stage.stage } : {}),
      });
      const key = found?.keys[0];
      if (key) await this.select(key, event.textEditor);
    } catch { /* the text is being edited: the next move asks again */ }
  }
}
