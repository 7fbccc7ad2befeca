// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The views in the editor area: what each asks the server, and what a click in it does.
import { readFile, stat } from "node:fs/promises";
import * as vscode from "vscode";
import { nameOf } from "../shared/passes";
import type { FromView, ToView } from "../shared/messages";
import { foundNodes, nodeOfKey } from "../shared/graphSearch";
import type { Comparison, DecisionList, ExperimentList, GraphPart, MemoryMap, PinStates, WhatIf } from "../shared/protocol";
import { readTrace } from "../shared/trace";
import { Refused } from "./languageServer";
import { Panel } from "./panel";
import type { Runs } from "./runs";
import type { Workbench } from "./workbench";

function isDark(): boolean {
  const { kind } = vscode.window.activeColorTheme;
  return kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
}

function fileName(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}

interface DrawnGraph extends GraphPart { svg: string; shown: string[]; open: string[] }

/** A person goes through no more hits than these one by one. */
const mostFound = 200;

export class GraphView extends Panel {
  private stage = "tensor";
  private chosen: Record<string, boolean> = {};
  private size = { width: 900, height: 700 };
  private searching: vscode.CancellationTokenSource | undefined;
  private locating: vscode.CancellationTokenSource | undefined;

  constructor(workbench: Workbench, extension: vscode.Uri) {
    super(workbench, extension, "graph", vscode.l10n.t("Tilewright Graph"));
  }

  open(stage: string | undefined): void {
    if (stage) this.stage = stage;
    this.show();
  }

  protected override reset(): void {
    this.chosen = {};
    super.reset();
  }

  protected override async load(token: vscode.CancellationToken): Promise<ToView> {
    const uri = this.requireDocument();
    const passes = this.workbench.result?.table.passes ?? [];
    const stages = [...new Set(passes.map((pass) => pass.stage))]
      .flatMap((stage) => [stage, ...passes.filter((pass) => pass.stage === stage && pass.changed).map(nameOf)]);
    if (stages.length && !stages.includes(this.stage)) this.stage = this.stage.split("/")[0]!;
    const result = await this.workbench.server.ask<DrawnGraph>(
      "tilewright/graph", { uri: uri.toString(), stage: this.stage, picture: { theme: isDark() ? "dark" : "light", ...this.size, open: this.chosen } }, token);
    const shown = new Set(result.shown), open = new Set(result.open);
    const parents = new Set(result.nodes.map((node) => node.parent));
    const nodes = result.nodes.filter((node) => shown.has(node.id)).map((node) => ({ id: node.id, label: node.label || node.id, op: node.op,
      keys: node.keys, group: parents.has(node.id) || !!node.hidden, open: open.has(node.id), hidden: node.hidden ?? 0 }));
    return { type: "graph", stage: this.stage, stages: stages.length ? stages : [this.stage], title: fileName(uri),
      picture: { svg: result.svg, pass: result.pass, documentVersion: result.documentVersion, total: result.total, nodes } };
  }

  /** Among all nodes, most of which may be folded away. */
  private async search(text: string, token: vscode.CancellationToken): Promise<GraphPart> {
    return this.workbench.server.ask<GraphPart>(
      "tilewright/graph", { uri: this.requireDocument().toString(), stage: this.stage, find: text, limit: mostFound }, token);
  }

  private async find(text: string): Promise<void> {
    this.searching?.cancel();
    const { token } = this.searching = new vscode.CancellationTokenSource();
    const part = text ? await this.search(text, token) : undefined;
    if (!token.isCancellationRequested) this.post({ type: "found", text, count: part?.count ?? 0, nodes: part ? foundNodes(part) : [] });
  }

  private async locate(key: string): Promise<void> {
    this.locating?.cancel();
    const { token } = this.locating = new vscode.CancellationTokenSource();
    const node = nodeOfKey(foundNodes(await this.search(key, token)), key);
    if (node && !token.isCancellationRequested) this.post({ type: "located", key, groups: node.groups });
  }

  protected override handle(message: FromView): Promise<void> | void {
    if (message.type === "find") return this.find(message.text);
    if (message.type === "locate") return this.locate(message.key);
    if (message.type === "stage") this.stage = message.stage;
    else if (message.type === "fold") this.chosen = message.reset ? {} : { ...this.chosen, [message.id]: message.open };
    else if (message.type === "size") this.size = { width: clamp(message.width), height: clamp(message.height) };
    else return;
    this.renew();
  }
}

function clamp(pixels: number): number {
  return Math.round(Math.min(8000, Math.max(200, pixels)));
}

export class TilingView extends Panel {
  private key = "";

  constructor(workbench: Workbench, extension: vscode.Uri) {
    super(workbench, extension, "tiling", vscode.l10n.t("Tilewright Tiles"));
    this.disposables.push(workbench.onDidSelect(({ key }) => {
      if (key === this.key || !this.shown || !this.tiled().includes(key)) return;
      this.key = key;
      this.renew();
    }));
  }

  open(key: string | undefined): void {
    this.key = key || this.workbench.selectedKey;
    this.show();
  }

  protected override reset(): void {
    this.key = "";
    super.reset();
  }

  protected override async load(token: vscode.CancellationToken): Promise<ToView> {
    const uri = this.requireDocument().toString();
    const keys = this.tiled();
    const key = this.key || keys[0] || "";
    if (!key) throw new Refused(vscode.l10n.t("No decision is known yet: the source has not been compiled"), "", "", 0);
    const decisions = await this.workbench.server.ask<DecisionList>("tilewright/decisions", { uri, key }, token);
    let map: WhatIf | undefined, trouble = "";
    try {
      map = await this.workbench.server.ask<WhatIf>("tilewright/whatIf", { uri, key }, token);
    } catch (error) {
      if (!(error instanceof Refused) || error.cancelled || error.overtaken) throw error;
      trouble = error.words;
    }
    return { type: "tiling", map, key: decisions.root || key, keys, decisions: decisions.decisions,
      explanation: decisions.explanation ?? "", pins: uri, trouble };
  }

  protected override async handle(message: FromView): Promise<void> {
    const uri = this.requireDocument();
    if (message.type === "ask") {
      this.key = message.key;
      await this.workbench.select(message.key, this);
      this.renew();
    } else if (message.type === "pin") await pin(this.workbench, uri, message.key, message.kind, message.value);
    else if (message.type === "unpin") await unpin(this.workbench, uri, message.key, message.kind);
  }

  private tiled(): string[] {
    return [...new Set((this.workbench.result?.decisions?.decisions ?? []).filter((decision) => decision.kind === "tile").map((decision) => decision.key))];
  }
}

/** Holds a decision; what it changes is seen in every view. */
export async function pin(workbench: Workbench, uri: vscode.Uri, key: string, kind: string, value: unknown): Promise<void> {
  await workbench.server.ask<PinStates>("tilewright/pin", { uri: uri.toString(), key, kind, value, pinTarget: workbench.target });
  workbench.refreshSoon(0);
}

export async function unpin(workbench: Workbench, uri: vscode.Uri, key: string, kind: string): Promise<void> {
  await workbench.server.ask<PinStates>("tilewright/unpin", { uri: uri.toString(), key, kind });
  workbench.refreshSoon(0);
}

export class MemoryView extends Panel {
  constructor(workbench: Workbench, extension: vscode.Uri) {
    super(workbench, extension, "memory", vscode.l10n.t("Tilewright Memory"));
  }

  protected override async load(token: vscode.CancellationToken): Promise<ToView> {
    const uri = this.requireDocument();
    return { type: "memory", map: await this.workbench.server.ask<MemoryMap>("tilewright/memoryMap", { uri: uri.toString() }, token) };
  }

  protected override handle(): void { /* nothing to choose */ }
}

/** Larger traces are for Studio and Perfetto. */
const largestTrace = 256 * 2 ** 20;

export class TimelineView extends Panel {
  constructor(workbench: Workbench, extension: vscode.Uri, private readonly runs: Runs) {
    super(workbench, extension, "timeline", vscode.l10n.t("Tilewright Timeline"));
    this.disposables.push(runs.onDidRun(() => this.renew()));
  }

  protected override async load(): Promise<ToView> {
    const uri = this.requireDocument();
    const run = this.runs.lastOf(uri);
    if (!run) throw new Refused(vscode.l10n.t("{0} has not been run yet", fileName(uri)), "", vscode.l10n.t("Run it to see its tasks over time"), 0);
    if (!run.tracePath) throw new Refused(vscode.l10n.t("The last run left no trace: on {0} kernels are interpreted", run.target), "", "", 0);
    const { size } = await stat(run.tracePath);
    if (size > largestTrace)
      throw new Refused(vscode.l10n.t("The trace has {0} MiB; {1} are read here. Open it in Studio: {2}", Math.ceil(size / 2 ** 20), largestTrace / 2 ** 20, run.tracePath), "", "", 0);
    return { type: "timeline", timeline: readTrace(await readFile(run.tracePath, "utf8")), title: `${fileName(uri)} · ${run.function} · ${run.target}`,
      milliseconds: Math.min(...run.milliseconds) };
  }

  protected override async handle(message: FromView): Promise<void> {
    if (message.type === "run") await vscode.commands.executeCommand("tilewright.run");
  }
}

export class ExperimentsView extends Panel {
  private comparison: Comparison | undefined;

  constructor(workbench: Workbench, extension: vscode.Uri) {
    super(workbench, extension, "experiments", vscode.l10n.t("Tilewright Experiments"));
    this.disposables.push(workbench.server.onDidHear((news) => {
      if (news.changed.includes("experiment") && news.uri === workbench.document?.toString()) this.renew();
    }));
  }

  protected override reset(): void {
    this.comparison = undefined;
    super.reset();
  }

  protected override async load(token: vscode.CancellationToken): Promise<ToView> {
    const uri = this.requireDocument();
    const list = await this.workbench.server.ask<ExperimentList>("tilewright/experiments", { uri: uri.toString() }, token);
    return { type: "experiments", experiments: list.experiments, comparison: this.comparison };
  }

  protected override async handle(message: FromView): Promise<void> {
    if (message.type !== "compare") return;
    const uri = this.requireDocument();
    this.comparison = await this.workbench.server.ask<Comparison>("tilewright/compare", { uri: uri.toString(), before: message.before, after: message.after });
    this.renew();
  }
}
