// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where VS Code begins: the server, the views and the commands.
import * as vscode from "vscode";
import { formatValue } from "../shared/format";
import { before, nameOf } from "../shared/passes";
import { parseStageUri } from "../shared/stageUri";
import type { TargetList } from "../shared/protocol";
import { DecisionTree, keyOfItem, type DecisionItem } from "./decisionTree";
import { LanguageServer, Refused } from "./languageServer";
import { Runs } from "./runs";
import { StageDocuments, openDiff, openStage } from "./stageDocuments";
import { StageTree, stageOfItem } from "./stageTree";
import { ExperimentsView, GraphView, MemoryView, TilingView, TimelineView, pin, unpin } from "./views";
import { Workbench } from "./workbench";

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const server = new LanguageServer();
  const workbench = new Workbench(server);
  const runs = new Runs(workbench, vscode.Uri.joinPath(context.globalStorageUri, "traces"));
  const graph = new GraphView(workbench, context.extensionUri);
  const tiling = new TilingView(workbench, context.extensionUri);
  const memory = new MemoryView(workbench, context.extensionUri);
  const timeline = new TimelineView(workbench, context.extensionUri, runs);
  const experiments = new ExperimentsView(workbench, context.extensionUri);
  const target = vscode.window.createStatusBarItem("tilewright.target", vscode.StatusBarAlignment.Right, 90);
  target.name = vscode.l10n.t("Tilewright Target");
  target.command = "tilewright.selectTarget";
  const showTarget = () => {
    target.text = server.running ? `$(circuit-board) ${workbench.target}` : `$(warning) Tilewright`;
    target.tooltip = server.running ? vscode.l10n.t("Target to compile for") : vscode.l10n.t("The Tilewright language server is not running");
    target.command = server.running ? "tilewright.selectTarget" : "tilewright.restartServer";
    if (workbench.document) target.show();
    else target.hide();
  };

  context.subscriptions.push(server, workbench, runs, graph, tiling, memory, timeline, experiments, target,
    new StageDocuments(workbench), new StageTree(workbench), new DecisionTree(workbench),
    server.onDidChange(showTarget), workbench.onDidCompile(showTarget), workbench.onDidChangeDocument(showTarget));

  const command = (name: string, action: (...given: unknown[]) => unknown) =>
    context.subscriptions.push(vscode.commands.registerCommand(`tilewright.${name}`, async (...given: unknown[]) => {
      try {
        return await action(...given);
      } catch (error) {
        if (error instanceof Refused && (error.cancelled || error.overtaken)) return undefined;
        void vscode.window.showErrorMessage(error instanceof Refused ? error.words : String(error));
        return undefined;
      }
    }));
  const source = (given: unknown): vscode.Uri => {
    const uri = workbench.sourceOf(given);
    if (!uri) throw new Refused(vscode.l10n.t("Open a source (.mlir) first"), "", "", 0);
    return uri;
  };
  const passes = () => workbench.result?.table.passes ?? [];
  const pickStage = async (title: string): Promise<string | undefined> => {
    if (!workbench.result) await workbench.refresh();
    const chosen = await vscode.window.showQuickPick(passes().map((pass) => ({
      label: nameOf(pass), description: pass.changed ? vscode.l10n.t("changed something") : vscode.l10n.t("no change"),
    })), { title, matchOnDescription: true });
    return chosen?.label;
  };

  command("openStage", async (given, stage) => {
    const uri = source(given);
    const name = typeof stage === "string" && stage ? stage : stageOfItem(given) ?? await pickStage(vscode.l10n.t("Open the IR after a pass"));
    if (name) await openStage(uri, name, parseStageUri(vscode.window.activeTextEditor?.document.uri ?? uri) === undefined);
  });
  command("diffPass", async (given, pass) => {
    const uri = source(given);
    const name = typeof pass === "string" ? pass : stageOfItem(given) ?? await pickStage(vscode.l10n.t("Show what a pass did"));
    if (!name) return;
    const from = before(passes(), name);
    if (!from) throw new Refused(vscode.l10n.t("{0} is the first pass: nothing is before it", name), "", "", 0);
    await openDiff(uri, from, name);
  });
  command("diffStages", async (given) => {
    const uri = source(given);
    const from = await pickStage(vscode.l10n.t("Compare this…"));
    const to = from && await pickStage(vscode.l10n.t("…with this"));
    if (from && to) await openDiff(uri, from, to);
  });
  command("showGraph", (given, stage) => {
    const shown = parseStageUri(vscode.window.activeTextEditor?.document.uri ?? vscode.Uri.parse("none:"));
    graph.open(stageOfItem(given) ?? (typeof stage === "string" ? stage : shown?.stage));
  });
  command("whatIf", (given, key) => tiling.open(keyOfItem(given) ?? (typeof key === "string" ? key : undefined)));
  command("showMemory", () => memory.show());
  command("showTimeline", () => timeline.show());
  command("showExperiments", () => experiments.show());
  command("run", (given, name) => runs.run(source(given), typeof name === "string" ? name : ""));
  command("verify", (given, name) => runs.verify(source(given), typeof name === "string" ? name : ""));
  command("refresh", () => workbench.refresh());
  command("restartServer", () => server.restart());
  command("goToSource", (given) => {
    const key = typeof given === "string" ? given : keyOfItem(given);
    return key === undefined ? undefined : workbench.goToSource(key);
  });
  command("pinDecision", async (given) => {
    const item = given as DecisionItem | undefined;
    if (item?.kind !== "decision") return;
    const { key, kind, value } = item.decision;
    await pin(workbench, source(undefined), key, kind, value);
    vscode.window.setStatusBarMessage(vscode.l10n.t("Pinned {0} {1} of {2}", kind, formatValue(value), key), 4000);
  });
  command("unpinDecision", async (given) => {
    const item = given as DecisionItem | undefined;
    if (item?.kind === "decision") await unpin(workbench, source(undefined), item.decision.key, item.decision.kind);
  });
  command("openPins", async (given) => {
    const pins = source(given).with({ path: `${source(given).path}.pins.json` });
    try {
      await vscode.window.showTextDocument(pins, { viewColumn: vscode.ViewColumn.Beside });
    } catch {
      void vscode.window.showInformationMessage(vscode.l10n.t("Nothing is pinned yet: {0} does not exist", pins.fsPath));
    }
  });
  command("selectTarget", async () => {
    const list = await server.ask<TargetList>("tilewright/targets", workbench.document ? { uri: workbench.document.toString() } : {});
    const chosen = await vscode.window.showQuickPick(list.targets.map((item) => ({
      label: item.name, description: item.name === workbench.target ? vscode.l10n.t("in use") : item.aliases?.join(", ") ?? "", detail: item.description,
    })), { title: vscode.l10n.t("Target to compile for"), matchOnDetail: true, matchOnDescription: true });
    if (chosen) {
      await workbench.setTarget(chosen.label);
      showTarget();
    }
  });

  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("tilewright.target"))
        void workbench.setTarget(vscode.workspace.getConfiguration("tilewright").get("target", "cpu")).then(showTarget, (error: unknown) =>
          vscode.window.showErrorMessage(error instanceof Refused ? error.words : String(error)));
      if (["server", "codeLens", "diagnosticsDelay", "compileDelay"].some((name) => event.affectsConfiguration(`tilewright.${name}`)))
        void server.restart();
    }),
    // A server in a build tree may be started from now on.
    vscode.workspace.onDidGrantWorkspaceTrust(() => { if (!server.running) void server.start(); }),
  );
  showTarget();
  await server.start();
}

export function deactivate(): void { /* subscriptions are disposed of */ }
