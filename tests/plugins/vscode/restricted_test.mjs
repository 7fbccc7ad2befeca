// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Chinese VS Code in a folder that is not trusted: what the extension says, what it refuses, and what it shows all the same.
//   node restricted_test.mjs CACHE VSIX SERVER SOURCE_DIR PICTURES
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Editor } from "./Editor.mjs";

const [cache, vsix, server, sourceDir, pictures] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(path.join(tmpdir(), "tilewright-restricted-"));

const file = path.join(folder, "ffn.mlir");
writeFileSync(file, `func.func @ffn(%x: tensor<256x512xf32>, %w: tensor<512x1024xf32>) -> tensor<256x1024xf32> {
  %h = tw.matmul %x, %w : (tensor<256x512xf32>, tensor<512x1024xf32>) -> tensor<256x1024xf32>
  %y = tw.silu %h : (tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %y : tensor<256x1024xf32>
}
`);
const pins = path.join(folder, "ffn.mlir.pins.json");
writeFileSync(pins, JSON.stringify({ schema: "tilewright/pins", version: 1,
  pins: [{ key: "ffn/h", target: "*", kind: "tile", value: { cache2: { k: 128 } }, note: "" }] }));
const words = JSON.parse(readFileSync(path.join(sourceDir, "plugins/vscode/l10n/bundle.l10n.zh-cn.json"), "utf8"));
const titles = JSON.parse(readFileSync(path.join(sourceDir, "plugins/vscode/package.nls.zh-cn.json"), "utf8"));

const editor = await Editor.open({
  cache, vsix, server, files: [file, pins], theme: "Default Light Modern", language: "zh-cn", trusted: false,
  settings: { "security.workspace.trust.startupPrompt": "never", "security.workspace.trust.untrustedFiles": "open" },
});
const { page } = editor;
let name = "begin", passed = 0;
async function step(what, action) {
  name = what;
  await action();
  console.log(`ok ${++passed} - ${what}`);
}
const said = (text) => page.locator(".notification-toast").filter({ hasText: text }).first();
const rows = (view) => page.locator(`.pane:has(.pane-header[aria-label^="${view}"]) .monaco-list-row`);
const lens = (title) => page.locator(".codelens-decoration a", { hasText: new RegExp(`^${title}$`) }).first();
const command = (name) => editor.command(`Tilewright: ${titles[`command.${name}`]}`);

try {
  await step("a source opens, in a folder that is not trusted", async () => {
    await page.keyboard.press("Control+p");
    const box = page.locator(".quick-input-widget input");
    await box.waitFor({ state: "visible" });
    await box.fill("ffn.mlir");
    await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "ffn.mlir" }).first().click();
    await page.locator(".view-line").filter({ hasText: "tw.matmul" }).first().waitFor();
    await page.locator(".statusbar-item", { hasText: /^\s*cpu$/ }).first().waitFor({ timeout: 60_000 });
    await page.locator(".statusbar-item", { hasText: /Restricted Mode/ }).first().waitFor();
  });
  await step("its views and code lenses are Chinese, and the pins are read", async () => {
    await command("showGraph");
    const frame = await editor.view("graph");
    await frame.locator("svg [data-id]").first().waitFor();
    assert.equal(await frame.locator("input[type=search]").getAttribute("placeholder"), words["Search"]);
    await page.locator(".codelens-decoration a", { hasText: /^取消固定/ }).first().waitFor();
    await page.locator('.activitybar .action-item a[aria-label^="Tilewright"]').click();
    await rows(titles["view.decisions"]).first().waitFor();
    await page.screenshot({ path: path.join(pictures, "chinese.png") });
  });
  await step("running and verifying are refused, with the way out", async () => {
    // The palette does not offer them there; the lenses do.
    for (const refused of ["运行", "验证"]) {
      await lens(refused).click();
      await said(words["Running compiled code needs a trusted workspace"]).waitFor();
      await said(words["Manage Workspace Trust"]).waitFor();
      if (refused === "运行") await page.screenshot({ path: path.join(pictures, "untrusted.png") });
      await editor.command("Notifications: Clear All Notifications");
    }
  });
  await step("once the folder is trusted it runs", async () => {
    await lens(titles["command.run"]).click();
    await said(words["Running compiled code needs a trusted workspace"]).locator("a", { hasText: words["Manage Workspace Trust"] }).click();
    await page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ }).first().click();
    await editor.command("Notifications: Clear All Notifications");
    await page.locator(".tab", { hasText: "ffn.mlir" }).first().click();
    await command("run");
    await said("实测").waitFor({ timeout: 180_000 });
  });
  console.log(`${passed} passed, 0 failed`);
} catch (error) {
  console.error(`FAILED: ${name}\n${error.stack ?? error}`);
  await page.screenshot({ path: path.join(pictures, "restricted-failed.png") }).catch(() => undefined);
  console.error(editor.errors.slice(-5).join("\n"));
  process.exitCode = 1;
} finally {
  await editor.close();
  rmSync(folder, { recursive: true, force: true });
}
