// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running and verifying, with progress and a way to stop.
import { mkdirSync } from "node:fs";
import { createHash } from "node:crypto";
import * as path from "node:path";
import * as vscode from "vscode";
import type { RunResult, VerifyResult } from "../shared/protocol";
import { Refused } from "./languageServer";
import type { Workbench } from "./workbench";

export class Runs implements vscode.Disposable {
  private readonly ran = new vscode.EventEmitter<{ uri: vscode.Uri; result: RunResult }>();
  private readonly output = vscode.window.createOutputChannel("Tilewright Runs");
  private readonly results = new Map<string, RunResult>();
  readonly onDidRun = this.ran.event;

  constructor(private readonly workbench: Workbench, private readonly folder: vscode.Uri) {}

  /** The last run of a source in this session. */
  lastOf(uri: vscode.Uri): RunResult | undefined { return this.results.get(uri.toString()); }

  async run(uri: vscode.Uri, functionName: string): Promise<void> {
    if (!trusted()) return;
    const settings = vscode.workspace.getConfiguration("tilewright", uri);
    mkdirSync(this.folder.fsPath, { recursive: true });
    const id = createHash("sha256").update(uri.toString()).digest("hex").slice(0, 16);
    const params = {
      uri: uri.toString(), function: functionName,
      repeat: settings.get("run.repeat", 7), check: settings.get("run.check", true),
      record: settings.get("run.record", true) && uri.scheme === "file",
    };
    await this.withProgress(vscode.l10n.t("Running {0}", functionName || nameOf(uri)), async (token, report) => {
      let result: RunResult;
      const trace = path.join(this.folder.fsPath, `${id}.trace.json`);
      try {
        result = await this.workbench.server.ask<RunResult>("tilewright/run", { ...params, trace }, token, report);
      } catch (error) {
        // A target whose Block graph is interpreted has no times, hence no trace.
        if (!(error instanceof Refused) || error.cancelled || error.overtaken || !/trace/i.test(error.message)) throw error;
        result = await this.workbench.server.ask<RunResult>("tilewright/run", params, token, report);
      }
      this.results.set(uri.toString(), result);
      this.report(uri, result);
      this.ran.fire({ uri, result });
    });
  }

  async verify(uri: vscode.Uri, functionName: string): Promise<void> {
    if (!trusted()) return;
    await this.withProgress(vscode.l10n.t("Verifying {0}", functionName || nameOf(uri)), async (token, report) => {
      const result = await this.workbench.server.ask<VerifyResult>("tilewright/verify", { uri: uri.toString(), function: functionName }, token, report);
      this.output.appendLine(`${nameOf(uri)}: verify on ${result.target}`);
      for (const pass of result.passes) this.output.appendLine(`  ${pass.result.padEnd(10)} ${pass.pass} (${pass.compared} compared)`);
      if (result.passed) {
        void this.tell(vscode.window.showInformationMessage, vscode.l10n.t("Every stage computes the same: {0} passes compared (measured)", result.passes.length));
      } else if (result.firstPass) {
        const diff = vscode.l10n.t("Show What It Did");
        const chosen = await vscode.window.showErrorMessage(
          vscode.l10n.t("{0} is the first pass whose results differ, at {1}", result.firstPass, result.firstKey), diff);
        if (chosen === diff) await vscode.commands.executeCommand("tilewright.diffPass", uri, result.firstPass);
      } else {
        void this.tell(vscode.window.showErrorMessage, vscode.l10n.t("Compiling stopped after {0}: see the problems", result.stoppedAfter || "–"));
      }
    });
  }

  dispose(): void {
    this.ran.dispose();
    this.output.dispose();
  }

  private report(uri: vscode.Uri, result: RunResult): void {
    this.output.appendLine(`${nameOf(uri)}: ${result.function} on ${result.target}, ${result.threads} threads`);
    for (const ms of result.milliseconds) this.output.appendLine(`  ${ms.toFixed(3)} ms (measured)`);
    for (const metric of result.metrics) this.output.appendLine(`  ${metric.name}: ${metric.value} ${metric.unit} (${metric.origin})`);
    for (const check of result.checks)
      this.output.appendLine(`  ${check.passed ? "ok" : "WRONG"} ${check.result} against the ${check.reference}: ${check.error} of ${check.tolerance} allowed (${check.rule}) ${check.worst}`);
    const wrong = result.checks.find((check) => !check.passed);
    if (wrong) {
      void this.tell(vscode.window.showErrorMessage, vscode.l10n.t("{0} is wrong: {1} of {2} allowed, {3}", wrong.result, wrong.error, wrong.tolerance, wrong.worst));
      return;
    }
    const best = Math.min(...result.milliseconds);
    const time = result.milliseconds.length
      ? vscode.l10n.t("{0}: {1} ms (measured, best of {2})", result.function, best.toFixed(3), result.milliseconds.length)
      : vscode.l10n.t("{0}: ran (interpreted, no times)", result.function);
    const checked = result.checks.length ? ` · ${vscode.l10n.t("numbers checked")}` : "";
    void this.tell(vscode.window.showInformationMessage, time + checked, result.tracePath !== "");
  }

  private async tell(show: typeof vscode.window.showInformationMessage, message: string, timeline = false): Promise<void> {
    const view = vscode.l10n.t("Show Timeline"), details = vscode.l10n.t("Details");
    const chosen = await show(message, ...(timeline ? [view] : []), details);
    if (chosen === details) this.output.show();
    if (chosen === view) await vscode.commands.executeCommand("tilewright.showTimeline");
  }

  private async withProgress(title: string, work: (token: vscode.CancellationToken, report: (message: string, percentage: number | undefined) => void) => Promise<void>): Promise<void> {
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (progress, token) => {
      let done = 0;
      try {
        await work(token, (message, percentage) => {
          const increment = percentage === undefined ? 0 : Math.max(0, percentage - done);
          done += increment;
          progress.report({ message, increment });
        });
      } catch (error) {
        if (error instanceof Refused && error.cancelled) return;
        void vscode.window.showErrorMessage(error instanceof Refused ? error.words : String(error));
      }
    });
  }
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}

/** Compiled code runs with the user's rights: only where the folder is trusted. */
function trusted(): boolean {
  if (vscode.workspace.isTrusted) return true;
  void vscode.window.showWarningMessage(
    vscode.l10n.t("Running compiled code needs a trusted workspace"), vscode.l10n.t("Manage Workspace Trust"))
    .then((chosen) => { if (chosen) void vscode.commands.executeCommand("workbench.trust.manage"); });
  return false;
}
