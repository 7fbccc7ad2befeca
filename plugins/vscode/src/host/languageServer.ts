// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The language server's life: found, started, restarted with a clear message, asked.
import * as os from "node:os";
import * as vscode from "vscode";
import {
  CloseAction, ErrorAction, ResponseError, State,
  type LanguageClientOptions, type ServerOptions,
} from "vscode-languageclient/node";
import type { News } from "../shared/protocol";
import { parseStageUri, stageUri } from "../shared/stageUri";
import { RestartedClient } from "./restartedClient";
import { findServer } from "./serverPath";

/** Commands that only a client can carry out; the server offers them in code lenses to who knows them. */
const clientCommands = ["tilewright.openStage", "tilewright.whatIf", "tilewright.run", "tilewright.verify", "tilewright.showGraph"];

/** A request refused by the server, in words for a person. */
export class Refused extends Error {
  constructor(message: string, readonly code: string, readonly hint: string, readonly rpcCode: number) { super(message); }
  get cancelled(): boolean { return this.rpcCode === -32800; }
  /** The text was edited meanwhile: an answer to the new one is on its way. */
  get overtaken(): boolean { return this.rpcCode === -32801; }
  /** One line, with what to do. */
  get words(): string {
    return this.message + (this.hint ? ` – ${this.hint}` : "") + (this.code ? ` [${this.code}]` : "");
  }
}

export class LanguageServer implements vscode.Disposable {
  private client: RestartedClient | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly diagnosed = new vscode.EventEmitter<string>();
  private readonly news = new vscode.EventEmitter<News>();
  private readonly output = vscode.window.createOutputChannel("Tilewright", { log: true });
  private deaths: number[] = [];
  private starting: Promise<void> | undefined;
  /** It runs, or it does not and why. */
  readonly onDidChange = this.changed.event;
  /** The server published what is wrong with the text of this URI. */
  readonly onDidDiagnose = this.diagnosed.event;

  /** There is something new to show of a text. */
  readonly onDidHear = this.news.event;
  private readonly trust = vscode.workspace.onDidGrantWorkspaceTrust(() => void this.tellTrust());

  get running(): boolean { return this.client?.state === State.Running; }

  async start(): Promise<void> {
    this.starting ??= this.startNow().finally(() => { this.starting = undefined; });
    return this.starting;
  }

  async restart(): Promise<void> {
    await this.stop();
    this.deaths = [];
    await this.start();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try { await client?.stop(2000); } catch { /* it is gone already */ }
    await client?.dispose().catch(() => undefined);
    this.tell();
  }

  /** Asks one of the server's methods. Throws Refused. */
  async ask<T>(method: string, params: object, token?: vscode.CancellationToken,
               onProgress?: (message: string, percentage: number | undefined) => void): Promise<T> {
    await this.starting;
    const client = this.client;
    if (!client || client.state !== State.Running)
      throw new Refused(vscode.l10n.t("The Tilewright language server is not running"), "", vscode.l10n.t("Run the command 'Tilewright: Restart the Language Server'"), 0);
    let watch: vscode.Disposable | undefined;
    let request = params;
    if (onProgress) {
      const workDoneToken = `tilewright-${++tokens}`;
      request = { ...params, workDoneToken };
      watch = client.onNotification("$/progress", (note: { token: unknown; value?: { message?: string; percentage?: number } }) => {
        if (note.token === workDoneToken && note.value?.message) onProgress(note.value.message, note.value.percentage);
      });
    }
    try {
      return token ? await client.sendRequest<T>(method, request, token) : await client.sendRequest<T>(method, request);
    } catch (error) {
      if (error instanceof ResponseError) {
        const data = (error.data ?? {}) as { code?: string; hint?: string };
        throw new Refused(error.message, data.code ?? "", data.hint ?? "", error.code);
      }
      throw new Refused((error as Error).message, "", "", 0);
    } finally {
      watch?.dispose();
    }
  }

  dispose(): void {
    void this.stop();
    this.trust.dispose();
    this.changed.dispose();
    this.diagnosed.dispose();
    this.news.dispose();
    this.output.dispose();
  }

  /** The server has been told when it was started; trust is only ever granted, as VS Code reloads when it is taken back. */
  private async tellTrust(): Promise<void> {
    await this.starting;
    if (this.running) await this.client?.sendNotification("tilewright/setTrust", { trusted: true });
  }

  private tell(): void {
    void vscode.commands.executeCommand("setContext", "tilewright.serverRunning", this.running);
    void vscode.commands.executeCommand("setContext", "tilewright.serverStopped", !this.running);
    this.changed.fire();
  }

  private async startNow(): Promise<void> {
    const settings = vscode.workspace.getConfiguration("tilewright");
    const found = findServer({
      setting: settings.get("server.path", ""),
      path: process.env["PATH"] ?? "",
      folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
      home: os.homedir(),
      trusted: vscode.workspace.isTrusted,
    });
    if ("missing" in found) {
      this.tell();
      void this.offer(vscode.l10n.t("tilewright-lsp was not found; looked at: {0}", found.missing.join(", ")),
        [vscode.l10n.t("Open Settings"), () => vscode.commands.executeCommand("workbench.action.openSettings", "tilewright.server.path")]);
      return;
    }
    this.output.info(`starting ${found.program} (${found.from})`);
    const executable = {
      command: found.program,
      args: settings.get<string[]>("server.arguments", []),
      options: { env: { ...process.env, ...settings.get<Record<string, string>>("server.environment", {}) } },
    };
    const serverOptions: ServerOptions = { run: executable, debug: executable };
    const clientOptions: LanguageClientOptions = {
      documentSelector: [{ scheme: "file", language: "mlir" }, { scheme: "untitled", language: "mlir" }, { scheme: "tilewright" }],
      outputChannel: this.output,
      // Asked anew for a server that is started again.
      initializationOptions: () => ({
        tilewright: {
          trusted: vscode.workspace.isTrusted,
          target: settings.get("target", "cpu"),
          ranges: "positions",
          diagnosticsDelay: settings.get("diagnosticsDelay", 100),
          compileDelay: settings.get("compileDelay", 200),
          codeLens: settings.get("codeLens", true),
          commands: clientCommands,
          changes: true,
        },
      }),
      uriConverters: {
        // VS Code encodes a query its own way; the server knows one form of a stage's name.
        code2Protocol: (uri) => {
          const name = parseStageUri(uri);
          return name ? stageUri(name) : uri.toString();
        },
        protocol2Code: (text) => vscode.Uri.parse(text),
      },
      middleware: {
        handleDiagnostics: (uri, diagnostics, next) => {
          next(uri, diagnostics);
          this.diagnosed.fire(uri.toString());
        },
      },
      errorHandler: {
        // What cannot be written is told once, when the connection closes.
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(),
      },
      initializationFailedHandler: (error) => {
        void this.offer(vscode.l10n.t("The Tilewright language server could not begin: {0}", String((error as Error).message ?? error)));
        return false;
      },
    };
    const client = new RestartedClient("tilewright", "Tilewright", serverOptions, clientOptions);
    this.client = client;
    client.onDidChangeState(() => this.tell());
    client.onNotification("tilewright/changed", (news: News) => this.news.fire(news));
    try {
      await client.start();
    } catch (error) {
      this.output.error(String(error));
      void this.offer(vscode.l10n.t("{0} could not be started: {1}", found.program, (error as Error).message));
    }
    this.tell();
  }

  /** A server that dies is started again, and its texts are given to it; one that keeps dying is not. */
  private closed() {
    const now = Date.now();
    this.deaths = [...this.deaths.filter((time) => now - time < 180_000), now];
    if (this.deaths.length <= 4) {
      const message = vscode.l10n.t("The Tilewright language server stopped and was started again; nothing is lost");
      void this.offer(message);
      return { action: CloseAction.Restart, message, handled: true };
    }
    const message = vscode.l10n.t("The Tilewright language server stopped {0} times in three minutes and is not started again", this.deaths.length);
    void this.offer(message, [vscode.l10n.t("Restart"), () => this.restart()]);
    return { action: CloseAction.DoNotRestart, message, handled: true };
  }

  private async offer(message: string, action?: [string, () => unknown]): Promise<void> {
    const log = vscode.l10n.t("Show Log");
    const chosen = await vscode.window.showWarningMessage(message, ...(action ? [action[0]] : []), log);
    if (chosen === log) this.output.show();
    else if (action && chosen === action[0]) await action[1]();
  }
}

let tokens = 0;
