// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages and what each pass did, in the side bar.
import * as vscode from "vscode";
import { byStage, nameOf, type StagePasses } from "../shared/passes";
import type { PassRecord } from "../shared/protocol";
import type { Workbench } from "./workbench";

export type StageItem =
  | { kind: "stage"; stage: StagePasses }
  | { kind: "pass"; pass: PassRecord; name: string }
  | { kind: "trouble"; message: string };

/** The snapshot an item of the tree stands for. */
export function stageOfItem(item: unknown): string | undefined {
  const given = item as StageItem | undefined;
  return given?.kind === "pass" ? given.name : given?.kind === "stage" ? given.stage.stage : undefined;
}

export class StageTree implements vscode.TreeDataProvider<StageItem>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<StageItem>;
  private readonly disposables: vscode.Disposable[];
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly workbench: Workbench) {
    this.view = vscode.window.createTreeView("tilewright.stages", { treeDataProvider: this, showCollapseAll: true });
    const renew = () => { this.changed.fire(undefined); this.title(); };
    this.disposables = [this.view, this.changed, workbench.onDidCompile(renew), workbench.onDidChangeDocument(renew),
      workbench.onDidSelect(() => this.changed.fire(undefined))];
  }

  getChildren(item?: StageItem): StageItem[] {
    const result = this.workbench.result;
    if (item?.kind === "stage") return item.stage.passes.map((pass) => ({ kind: "pass", pass, name: nameOf(pass) }));
    if (item) return [];
    const trouble: StageItem[] = this.workbench.trouble ? [{ kind: "trouble", message: this.workbench.trouble }] : [];
    return [...trouble, ...byStage(result?.table.passes ?? []).map((stage): StageItem => ({ kind: "stage", stage }))];
  }

  getTreeItem(item: StageItem): vscode.TreeItem {
    if (item.kind === "trouble") {
      const shown = new vscode.TreeItem(item.message);
      shown.id = "trouble";
      shown.iconPath = new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
      shown.tooltip = item.message;
      shown.description = this.workbench.isStale ? vscode.l10n.t("below is the last good state") : "";
      return shown;
    }
    return item.kind === "stage" ? this.stageItem(item.stage) : this.passItem(item.pass, item.name);
  }

  dispose(): void {
    for (const item of this.disposables) item.dispose();
  }

  private title(): void {
    const uri = this.workbench.document;
    this.view.description = uri ? `${uri.path.slice(uri.path.lastIndexOf("/") + 1)} · ${this.workbench.target}` : "";
  }

  private stageItem(stage: StagePasses): vscode.TreeItem {
    const shown = new vscode.TreeItem(stageTitle(stage.stage), vscode.TreeItemCollapsibleState.Expanded);
    const time = stage.passes.reduce((sum, pass) => sum + pass.milliseconds, 0);
    const changed = stage.passes.filter((pass) => pass.changed).length;
    shown.id = stage.stage;
    shown.description = vscode.l10n.t("{0} of {1} passes changed something · {2} ms", changed, stage.passes.length, time.toFixed(1));
    shown.contextValue = "stage";
    shown.iconPath = new vscode.ThemeIcon("layers");
    return shown;
  }

  private passItem(pass: PassRecord, name: string): vscode.TreeItem {
    const key = this.workbench.selectedKey;
    const concerns = key !== "" && pass.changedKeys.includes(key);
    const shown = new vscode.TreeItem(pass.pass);
    shown.id = name;
    shown.contextValue = pass.changed ? "pass.changed" : "pass.same";
    // Marks by shape, not by colour alone: a filled dot changed something, a ring did not, a triangle changed the selected operation.
    shown.iconPath = new vscode.ThemeIcon(concerns ? "debug-breakpoint-function" : pass.changed ? "circle-filled" : "circle-outline",
      pass.changed ? new vscode.ThemeColor("gitDecoration.modifiedResourceForeground") : undefined);
    shown.description = [pass.changed ? "" : vscode.l10n.t("no change"), pass.reused ? vscode.l10n.t("reused") : `${pass.milliseconds.toFixed(1)} ms`]
      .filter(Boolean).join(" · ");
    const tooltip = new vscode.MarkdownString(`**${name}**\n\n`);
    tooltip.appendText(vscode.l10n.t("{0} operations after it; {1} ms (measured)", pass.operations, pass.milliseconds.toFixed(2)));
    if (pass.changedKeys.length) {
      tooltip.appendMarkdown("\n\n");
      tooltip.appendText(vscode.l10n.t("changed: {0}", pass.changedKeys.slice(0, 12).join(", ") + (pass.changedKeys.length > 12 ? " …" : "")));
    }
    shown.tooltip = tooltip;
    shown.accessibilityInformation = { label: `${name}, ${pass.changed ? vscode.l10n.t("changed something") : vscode.l10n.t("no change")}` };
    const uri = this.workbench.document;
    if (uri) shown.command = { command: "tilewright.openStage", title: vscode.l10n.t("Open"), arguments: [uri, name] };
    return shown;
  }
}

export function stageTitle(stage: string): string {
  switch (stage) {
    case "tensor": return vscode.l10n.t("Tensor graph");
    case "tile": return vscode.l10n.t("Tile graph");
    case "block": return vscode.l10n.t("Block graph");
    case "execution": return vscode.l10n.t("Execution graph");
    default: return stage;
  }
}
