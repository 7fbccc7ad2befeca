// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The printed IR after a pass as a read-only document, and two of them in VS Code's diff editor.
import * as vscode from "vscode";
import { parseStageUri } from "../shared/stageUri";
import { Refused } from "./languageServer";
import type { Workbench } from "./workbench";

/** As VS Code names it; LanguageServer turns it into the server's form. */
export function uriOfStage(source: vscode.Uri, stage: string): vscode.Uri {
  return vscode.Uri.from({ scheme: "tilewright", path: `/${stage}`, query: `source=${source.toString()}` });
}

export class StageDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly last = new Map<string, string>();
  private readonly disposables: vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  constructor(private readonly workbench: Workbench) {
    this.disposables = [
      vscode.workspace.registerTextDocumentContentProvider("tilewright", this),
      vscode.workspace.onDidOpenTextDocument((document) => void this.claim(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.last.delete(document.uri.toString())),
      workbench.onDidCompile(() => {
        for (const document of vscode.workspace.textDocuments)
          if (document.uri.scheme === "tilewright") this.changed.fire(document.uri);
      }),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const name = parseStageUri(uri);
    if (!name) return vscode.l10n.t("// {0} names no stage", uri.toString());
    // A stage is one of an open text: the diff editor may be restored before its source is.
    await vscode.workspace.openTextDocument(vscode.Uri.parse(name.source));
    try {
      const { text } = await this.workbench.server.ask<{ text: string }>("tilewright/ir", { uri: name.source, stage: name.stage }, token);
      this.last.set(uri.toString(), text);
      return text;
    } catch (error) {
      // The last good text stays readable while its source is being edited.
      const kept = this.last.get(uri.toString());
      if (kept !== undefined) return kept;
      return `// ${name.stage}: ${error instanceof Refused ? error.words : String(error)}\n`;
    }
  }

  dispose(): void {
    for (const item of this.disposables) item.dispose();
    this.changed.dispose();
  }

  private async claim(document: vscode.TextDocument): Promise<void> {
    if (document.uri.scheme === "tilewright" && document.languageId !== "mlir")
      await vscode.languages.setTextDocumentLanguage(document, "mlir");
  }
}

export async function openStage(source: vscode.Uri, stage: string, beside: boolean): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uriOfStage(source, stage));
  await vscode.window.showTextDocument(document, { preview: true, viewColumn: beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active });
}

/** What lies between two stages, or what one pass did. */
export async function openDiff(source: vscode.Uri, from: string, to: string): Promise<void> {
  const file = source.path.slice(source.path.lastIndexOf("/") + 1);
  await vscode.commands.executeCommand("vscode.diff", uriOfStage(source, from), uriOfStage(source, to), `${file}: ${from} ↔ ${to}`, { preview: true });
}
