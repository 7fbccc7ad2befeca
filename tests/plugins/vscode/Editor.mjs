// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A real VS Code (code-server) with the extension in it, in a headless Chromium.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

async function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export class Editor {
  /**
   * cache: where code-server and playwright-core are installed. language: VS Code's; its own texts stay English.
   * Without `trusted` the folder is one that VS Code restricts.
   */
  static async open({ cache, vsix, server, files, theme, language, trusted = true, settings = {} }) {
    const folder = mkdtempSync(path.join(tmpdir(), "tilewright-code-"));
    const work = path.join(folder, "work"), data = path.join(folder, "data"), extensions = path.join(folder, "extensions");
    mkdirSync(path.join(data, "User"), { recursive: true });
    mkdirSync(work);
    for (const file of files) cpSync(file, path.join(work, path.basename(file)));
    writeFileSync(path.join(data, "User", "settings.json"), JSON.stringify({
      "tilewright.server.path": server, "workbench.colorTheme": theme, "workbench.startupEditor": "none", "window.autoDetectColorScheme": false,
      "telemetry.telemetryLevel": "off", "workbench.tips.enabled": false, "editor.minimap.enabled": false, "extensions.ignoreRecommendations": true,
      "editor.accessibilitySupport": "off", "workbench.secondarySideBar.defaultVisibility": "hidden", "chat.commandCenter.enabled": false, ...settings,
    }));
    if (language) {
      // As if a language pack without a single text were installed.
      const texts = path.join(data, "main.i18n.json");
      writeFileSync(texts, JSON.stringify({ "": [], version: "1.0.0", contents: {} }));
      writeFileSync(path.join(data, "languagepacks.json"), JSON.stringify({ [language]: { hash: "none", label: language, translations: { vscode: texts },
        extensions: [{ extensionIdentifier: { id: "tilewright.no-texts" }, version: "1.0.0" }] } }));
      writeFileSync(path.join(data, "User", "argv.json"), JSON.stringify({ locale: language }));
    }
    const program = path.join(cache, "node_modules", "code-server", "out", "node", "entry.js");
    const env = { ...process.env, HOME: folder, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? path.join(folder, "cache") };
    const common = ["--user-data-dir", data, "--extensions-dir", extensions];
    const installed = spawnSync(process.execPath, [program, "--install-extension", vsix, ...common], { env, encoding: "utf8", timeout: 120_000 });
    if (installed.status !== 0) throw new Error(`the extension could not be installed: ${installed.stdout}${installed.stderr}`);
    const port = await freePort();
    const child = spawn(process.execPath, [program, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry",
      "--disable-update-check", ...(trusted ? ["--disable-workspace-trust"] : []), ...common, work], { env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (text) => { output += text; });
    child.stderr.on("data", (text) => { output += text; });
    for (let i = 0; !output.includes("HTTP server listening"); ++i) {
      if (i > 600 || child.exitCode !== null) throw new Error(`code-server did not start: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { chromium } = createRequire(path.join(cache, "node_modules", "x.js"))("playwright-core");
    const browser = await chromium.launch({
      executablePath: process.env.TILEWRIGHT_CHROMIUM ?? "/usr/bin/chromium", headless: true,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
    });
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    const editor = new Editor(folder, work, child, browser, page);
    page.on("console", (message) => { if (message.type() === "error") editor.errors.push(message.text()); });
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(work)}`);
    await page.waitForSelector(".monaco-workbench .explorer-viewlet, .monaco-workbench .activitybar", { timeout: 120_000 });
    return editor;
  }

  errors = [];

  constructor(folder, work, child, browser, page) { Object.assign(this, { folder, work, child, browser, page }); }

  async close() {
    await this.browser.close().catch(() => undefined);
    this.child.kill("SIGTERM");
    await new Promise((resolve) => { if (this.child.exitCode !== null) resolve(); else { this.child.on("exit", resolve); setTimeout(() => { this.child.kill("SIGKILL"); resolve(); }, 5000); } });
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Kills the processes of a program that this editor started; how many. */
  kill(program) {
    let killed = 0;
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
      try {
        if (readlinkSync(`/proc/${pid}/exe`) !== program || !readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`HOME=${this.folder}`)) continue;
        process.kill(Number(pid), "SIGKILL");
        ++killed;
      } catch { /* it is another's, or gone */ }
    return killed;
  }

  /** By the command palette, as a person would. */
  async command(title) {
    const box = this.page.locator(".quick-input-widget input");
    const row = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first();
    // What still moves the focus closes the palette again.
    await this.until(`the palette for ${title}`, async () => {
      await this.page.keyboard.press("F1");
      await box.waitFor({ state: "visible", timeout: 2000 });
      await box.fill(`>${title}`, { timeout: 2000 });
      await row.click({ timeout: 5000 });
      return true;
    });
  }

  /** The page of one of our views: VS Code wraps it in two frames. `mark` is a class of its body. */
  async view(name, timeout = 60_000) {
    const until = Date.now() + timeout;
    for (;;) {
      for (const frame of this.page.frames()) {
        if (!/fake\.html|webview/.test(frame.url())) continue;
        try {
          if (await frame.locator(`body.${name} #view > *`).count()) return frame;
        } catch { /* it went away */ }
      }
      if (Date.now() > until) throw new Error(`the view ${name} did not appear`);
      await this.page.waitForTimeout(150);
    }
  }

  /** Until `check` gives something true; its last failure is the message. */
  async until(what, check, timeout = 60_000) {
    const stop = Date.now() + timeout;
    let last;
    for (;;) {
      try {
        const value = await check();
        if (value) return value;
        last = value;
      } catch (error) { last = error; }
      if (Date.now() > stop) throw new Error(`${what}: waited ${timeout / 1000} s (${last?.message ?? last})`);
      await this.page.waitForTimeout(100);
    }
  }
}
