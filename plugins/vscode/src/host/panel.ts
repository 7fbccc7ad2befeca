// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A view in the editor area: one page under a strict content security policy, in the theme's colours.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { readMessage, type FromView, type ToView } from "../shared/messages";
import { style } from "../shared/style";
import { Refused } from "./languageServer";
import type { Workbench } from "./workbench";

/** Where our views are: the next one opens as a tab beside them. */
const open = new Set<vscode.WebviewPanel>();

export abstract class Panel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  protected readonly disposables: vscode.Disposable[] = [];
  private serial = 0;
  /** Shown again when the page was hidden, before anything newer is known. */
  private last: ToView | undefined;
  private asking: vscode.CancellationTokenSource | undefined;

  protected constructor(
    protected readonly workbench: Workbench, private readonly extension: vscode.Uri,
    private readonly name: "graph" | "tiling" | "memory" | "timeline" | "experiments", private readonly title: string,
  ) {
    this.disposables.push(
      workbench.onDidCompile(() => this.renew()),
      workbench.onDidChangeDocument(() => this.reset()),
      workbench.onDidSelect(({ key, from }) => { if (from !== this) this.post({ type: "select", key, reveal: false }); }),
      vscode.window.onDidChangeActiveColorTheme(() => this.renew()),
    );
  }

  show(): void {
    if (this.panel) {
      this.panel.reveal(undefined, true);
      this.renew();
      return;
    }
    const dist = vscode.Uri.joinPath(this.extension, "dist", "webview");
    const panel = this.panel = vscode.window.createWebviewPanel(`tilewright.${this.name}`, this.title,
      { viewColumn: [...open].pop()?.viewColumn ?? vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [dist], enableCommandUris: false, enableForms: false });
    panel.iconPath = vscode.Uri.joinPath(this.extension, "media", "icon.png");
    panel.webview.onDidReceiveMessage((value) => {
      const message = readMessage(value);
      if (message) void this.received(message).catch((error: unknown) => this.trouble(error));
    });
    open.add(panel);
    panel.onDidDispose(() => { open.delete(panel); this.panel = undefined; this.asking?.cancel(); });
    panel.webview.html = this.page(panel.webview, vscode.Uri.joinPath(dist, `${this.name}.js`));
  }

  dispose(): void {
    this.asking?.cancel();
    this.panel?.dispose();
    for (const item of this.disposables) item.dispose();
  }

  /** Asks for what the view shows and posts it. */
  protected abstract load(token: vscode.CancellationToken): Promise<ToView | undefined>;
  /** A message other than ready and select. */
  protected abstract handle(message: FromView): Promise<void> | void;
  /** Another source: what was chosen in the old one is forgotten. */
  protected reset(): void {
    this.last = undefined;
    this.post({ type: "clear" });
    this.renew();
  }

  protected get shown(): boolean { return this.panel !== undefined; }

  protected post(message: ToView): void { void this.panel?.webview.postMessage(message); }

  protected renew(): void {
    if (!this.panel) return;
    this.asking?.cancel();
    const asking = this.asking = new vscode.CancellationTokenSource();
    const serial = ++this.serial;
    this.load(asking.token).then((message) => {
      if (serial !== this.serial || !message) return;
      this.last = message;
      this.post(message);
      if (this.workbench.selectedKey) this.post({ type: "select", key: this.workbench.selectedKey, reveal: false });
    }, (error: unknown) => { if (serial === this.serial) this.trouble(error); });
  }

  protected trouble(error: unknown): void {
    if (error instanceof Refused && (error.cancelled || error.overtaken)) return;
    this.post({ type: "trouble", message: error instanceof Refused ? error.words : String(error) });
  }

  protected requireDocument(): vscode.Uri {
    const uri = this.workbench.document;
    if (!uri) throw new Refused(vscode.l10n.t("Open a source (.mlir) first"), "", "", 0);
    return uri;
  }

  private async received(message: FromView): Promise<void> {
    if (message.type === "ready") {
      if (this.last) this.post(this.last);
      this.renew();
    }
    else if (message.type === "select") {
      const key = message.keys[0];
      if (key) await this.workbench.select(key, this, message.reveal);
    } else await this.handle(message);
  }

  private page(webview: vscode.Webview, script: vscode.Uri): string {
    const nonce = randomBytes(18).toString("base64url");
    const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`;
    // Inside a script element "</" must not occur; JSON may have it escaped.
    const strings = JSON.stringify(vscode.l10n.bundle ?? {}).replace(/</g, "\\u003c");
    return `<!DOCTYPE html>
<html lang="${vscode.env.language.replace(/[^\w-]/g, "")}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${this.title}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body class="${this.name}">
<main id="view"></main>
<script type="application/json" id="strings" nonce="${nonce}">${strings}</script>
<script nonce="${nonce}" src="${webview.asWebviewUri(script)}"></script>
</body>
</html>`;
  }
}
