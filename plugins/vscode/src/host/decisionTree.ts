// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decisions in force, by kernel, with their reasons; pinned and unpinned here with one click.
import * as vscode from "vscode";
import { escapeMarkdown, formatValue, shortKey } from "../shared/format";
import type { Decision } from "../shared/protocol";
import type { Workbench } from "./workbench";

export type DecisionItem = { kind: "kernel"; key: string; decisions: Decision[] } | { kind: "decision"; decision: Decision };

export function keyOfItem(item: unknown): string | undefined {
  const given = item as DecisionItem | undefined;
  return given?.kind === "kernel" ? given.key : given?.kind === "decision" ? given.decision.key : undefined;
}

export class DecisionTree implements vscode.TreeDataProvider<DecisionItem>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly disposables: vscode.Disposable[];
  private readonly view: vscode.TreeView<DecisionItem>;
  private kernels: DecisionItem[] = [];
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly workbench: Workbench) {
    this.view = vscode.window.createTreeView("tilewright.decisions", { treeDataProvider: this, showCollapseAll: true });
    const renew = () => { this.group(); this.changed.fire(undefined); };
    this.disposables = [this.view, this.changed, workbench.onDidCompile(renew), workbench.onDidChangeDocument(renew),
      workbench.onDidSelect(({ key }) => this.show(key))];
  }

  getChildren(item?: DecisionItem): DecisionItem[] {
    if (!item) return this.kernels;
    return item.kind === "kernel" ? item.decisions.map((decision) => ({ kind: "decision", decision })) : [];
  }

  getParent(item: DecisionItem): DecisionItem | undefined {
    return item.kind === "decision" ? this.kernels.find((kernel) => keyOfItem(kernel) === item.decision.key) : undefined;
  }

  getTreeItem(item: DecisionItem): vscode.TreeItem {
    if (item.kind === "kernel") {
      const shown = new vscode.TreeItem(shortKey(item.key), vscode.TreeItemCollapsibleState.Expanded);
      shown.id = item.key;
      shown.description = item.key;
      shown.contextValue = "kernel";
      shown.iconPath = new vscode.ThemeIcon("symbol-operator");
      shown.command = { command: "tilewright.goToSource", title: vscode.l10n.t("Go to source"), arguments: [item] };
      return shown;
    }
    const { decision } = item;
    const shown = new vscode.TreeItem(`${decision.kind} ${formatValue(decision.value)}`);
    shown.id = `${decision.key} ${decision.kind}`;
    shown.description = `${originWord(decision.origin)} · ${decision.reason}`;
    shown.contextValue = decision.origin === "pinned" ? "decision.pinned" : "decision.free";
    shown.iconPath = new vscode.ThemeIcon(decision.origin === "pinned" ? "pinned" : decision.origin === "tuned" ? "beaker" : "settings");
    const tooltip = new vscode.MarkdownString(`**${escapeMarkdown(decision.kind)}** \`${formatValue(decision.value)}\` (${originWord(decision.origin)})\n\n${escapeMarkdown(decision.reason)}`);
    for (const other of decision.weighed.slice(0, 6))
      tooltip.appendMarkdown(`\n* \`${formatValue(other.value)}\`${other.legal ? "" : ` (${vscode.l10n.t("not legal")})`}: ${escapeMarkdown(other.reason)}`);
    shown.tooltip = tooltip;
    return shown;
  }

  dispose(): void {
    for (const item of this.disposables) item.dispose();
  }

  private group(): void {
    const kernels = new Map<string, Decision[]>();
    for (const decision of this.workbench.result?.decisions?.decisions ?? []) {
      const list = kernels.get(decision.key);
      if (list) list.push(decision);
      else kernels.set(decision.key, [decision]);
    }
    this.kernels = [...kernels].map(([key, decisions]) => ({ kind: "kernel", key, decisions }));
  }

  private show(key: string): void {
    const kernel = this.kernels.find((item) => keyOfItem(item) === key);
    if (kernel && this.view.visible) void this.view.reveal(kernel, { select: true, focus: false });
  }
}

export function originWord(origin: string): string {
  switch (origin) {
    case "pinned": return vscode.l10n.t("pinned");
    case "tuned": return vscode.l10n.t("tuned");
    default: return vscode.l10n.t("default");
  }
}
