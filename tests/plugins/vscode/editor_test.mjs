// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension as a person uses it, in a real VS Code; with pictures in light, dark and high contrast.
//   node editor_test.mjs CACHE VSIX SERVER SOURCE_DIR PICTURES
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Editor } from "./Editor.mjs";

const [cache, vsix, server, sourceDir, pictures] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const source = `// A product and what follows it: one kernel.
func.func @ffn(%x: tensor<256x512xf32>, %w: tensor<512x1024xf32>) -> tensor<256x1024xf32> {
  %h = tw.matmul %x, %w : (tensor<256x512xf32>, tensor<512x1024xf32>) -> tensor<256x1024xf32>
  %y = tw.silu %h : (tensor<256x1024xf32>) -> tensor<256x1024xf32>
  %n = tw.softmax %y {axis = -1} : (tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %n : tensor<256x1024xf32>
}
`;
const file = path.join(tmpdir(), `tilewright-${process.pid}`, "ffn.mlir");
mkdirSync(path.dirname(file));
writeFileSync(file, source);
// A program of which nobody sees all at once.
const stack = path.join(path.dirname(file), "stack.mlir");
writeFileSync(stack, spawnSync("python3", [path.join(sourceDir, "resources/examples/transformer_stack.py"), "--layers", "100"], { encoding: "utf8" }).stdout);

const themes = { light: "Default Light Modern", dark: "Default Dark Modern", contrast: "Default High Contrast" };
const editor = await Editor.open({ cache, vsix, server, files: [file, stack], theme: themes.light, settings: { "tilewright.run.repeat": 2 } });
const { page } = editor;
const started = Date.now();
let name = "begin", passed = 0;

async function step(what, action) {
  name = what;
  const begun = Date.now();
  const value = await action();
  console.log(`ok ${++passed} - ${what} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  return value;
}
const lineOf = async () => Number(/Ln (\d+)/.exec(await page.locator("#status\\.editor\\.selection").innerText({ timeout: 2000 }))?.[1] ?? 0);
const rows = (view) => page.locator(`.pane:has(.pane-header[aria-label^="${view}"]) .monaco-list-row`);
const word = (text) => page.locator(".editor-instance .view-line span").filter({ hasText: new RegExp(`^${text.replace(/\./g, "\\.")}$`) }).first();
const group = (text) => page.locator(".editor-group-container").filter({ has: page.locator(`.tab[aria-label^="${text}"]`) });

try {
  const openFile = async (wanted) => {
    await page.keyboard.press("Control+p");
    const box = page.locator(".quick-input-widget input");
    await box.waitFor({ state: "visible" });
    await box.fill(wanted);
    await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: wanted }).first().click();
  };
  await step("an example opens and the server reads it", async () => {
    await openFile("ffn.mlir");
    await page.locator(".view-line").filter({ hasText: "tw.matmul" }).first().waitFor();
    await page.locator(".statusbar-item", { hasText: /^\s*cpu$/ }).first().waitFor({ timeout: 60_000 });
  });

  await step("the grammar tells operations from values", async () => {
    const classOf = (text) => page.locator(".view-line span[class^=mtk]").filter({ hasText: text }).first().getAttribute("class");
    await editor.until("colours", async () => await classOf("%h") !== await classOf("matmul"));
  });

  await step("the stages are listed, with marks of what changed", async () => {
    await editor.command("Tilewright: Focus on Stages View");
    await rows("Stages").filter({ hasText: "Tensor graph" }).waitFor({ timeout: 60_000 });
    await editor.until("passes", async () => await rows("Stages").count() > 8);
    assert.ok(await page.locator(".monaco-list-row .codicon-circle-filled").count() > 0, "no pass is marked as changed");
    assert.ok(await page.locator(".monaco-list-row .codicon-circle-outline").count() > 0, "every pass is marked as changed");
  });

  await step("a typo is underlined, and its fix takes the line away", async () => {
    await word("silu").dblclick();
    await page.keyboard.type("sillu");
    await page.locator(".squiggly-error").first().waitFor({ state: "attached" });
    await page.screenshot({ path: path.join(pictures, "typo.png") });
    // The first letters are underlined for themselves, and resemble nothing: a person would ask again.
    const fix = page.locator(".action-widget .monaco-list-row").filter({ hasText: "Replace by 'tw.silu'" });
    await editor.until("the fix", async () => {
      await page.keyboard.press("Control+.");
      await fix.waitFor({ timeout: 3000 });
      return true;
    });
    await page.keyboard.press("Enter");
    await editor.until("no error", async () => await page.locator(".squiggly-error").count() === 0);
    assert.ok((await page.locator(".view-lines").first().innerText()).replace(/\u00a0/g, " ").includes("tw.silu %h"));
  });

  await step("hovering an operation tells what it is, hovering a decision why", async () => {
    // While the text is still being laid out a hover may be taken back: a person would move again, too.
    await editor.until("what the operation is", async () => {
      await page.mouse.move(700, 700);
      await word("matmul").hover();
      await page.locator(".monaco-hover").filter({ hasText: "256x1024xf32" }).first().waitFor({ timeout: 3000 });
      return true;
    });
    const decision = rows("Decisions").filter({ hasText: /^tile /m }).first();
    await decision.waitFor();
    // What was shown of the operation, decisions and all, is still there, but hidden; a tree drawn anew takes its hover away.
    await editor.until("why it was decided so", async () => {
      await page.mouse.move(700, 700);
      await decision.hover();
      await page.locator(".monaco-hover, .workbench-hover-container").filter({ hasText: "default", visible: true }).first().waitFor({ timeout: 3000 });
      return true;
    });
    await page.screenshot({ path: path.join(pictures, "decision.png") });
    await page.mouse.move(5, 5);
  });

  const tasksOf = async (frame) => Number(/(\d+) tasks/.exec(await frame.locator(".bar").innerText())?.[1] ?? 0);
  const tasks = await step("a run is drawn on a timeline", async () => {
    await word("matmul").click();
    await editor.command("Tilewright: Run");
    await page.locator(".notification-toast").filter({ hasText: "measured" }).first().waitFor({ timeout: 180_000 });
    await editor.command("Notifications: Clear All Notifications");
    await editor.command("Tilewright: Show Timeline");
    const frame = await editor.view("timeline");
    return editor.until("tasks", () => tasksOf(frame));
  });

  await step("a click on a task goes to its operation", async () => {
    const frame = await editor.view("timeline");
    await word("return").click();
    await editor.until("the end of the source", async () => await lineOf() === 6);
    const canvas = frame.locator("canvas");
    const size = await canvas.boundingBox();
    const scale = await canvas.evaluate((element) => element.getBoundingClientRect().width) ;
    assert.ok(size);
    // Where tasks lie differs from run to run; a person looks before clicking.
    let tries = 0;
    await editor.until("a line of the function", async () => {
      const part = [0.02, 0.05, 0.1, 0.25, 0.5][tries++ % 5];
      await canvas.click({ position: { x: 130 + (scale - 130) * part, y: 24 + 13 } });
      await page.waitForTimeout(500);
      return [3, 4, 5].includes(await lineOf());
    });
  });

  await step("a tile is pinned by code lens", async () => {
    const before = await rows("Decisions").filter({ hasText: "pinned" }).count();
    assert.equal(before, 0);
    await page.locator(".codelens-decoration a", { hasText: /^Pin tile/ }).first().click();
    await page.locator(".codelens-decoration a", { hasText: /^Unpin tile/ }).first().waitFor();
    await editor.until("the pins file", () => existsSync(path.join(editor.work, "ffn.mlir.pins.json")));
    await rows("Decisions").filter({ hasText: "pinned" }).first().waitFor();
  });

  const graphText = (frame) => frame.locator("svg").first().evaluate((element) => element.textContent);
  const before = await step("the graph shows the stage, and a click goes to the source", async () => {
    await page.locator(".tab", { hasText: "ffn.mlir" }).first().click();
    await editor.command("Tilewright: Show Graph");
    const frame = await editor.view("graph");
    await frame.locator("svg [data-id]").first().waitFor();
    await word("return").click();
    await editor.until("the end of the source", async () => await lineOf() === 6);
    await frame.locator('svg [data-id="ffn/h"]').click();
    await editor.until("the line of h", async () => await lineOf() === 3);
    await word("softmax").click();
    await frame.locator('svg [data-id="ffn/n"].selected').waitFor();
    await frame.locator("select").selectOption("execution");
    await editor.until("the execution graph", async () => (await frame.locator(".bar").innerText()).includes("execution/"));
    return graphText(frame);
  });

  await step("nodes are found, walked through and reached by keyboard", async () => {
    const frame = await editor.view("graph");
    await frame.locator("select").selectOption("tensor");
    await frame.locator('svg [data-id="ffn/h"]').first().waitFor();
    await frame.locator("input[type=search]").fill("row_max");
    await editor.until("a hit", async () => await frame.locator("svg [data-id].found").count() > 0);
    await frame.locator("input[type=search]").fill("");
    await frame.locator('svg [data-id="ffn/h"]').focus();
    await page.keyboard.press("ArrowDown");
    await editor.until("another node", async () => await frame.evaluate(() => document.activeElement?.getAttribute("data-id")) !== "ffn/h");
    const where = await frame.evaluate(() => document.activeElement?.getAttribute("data-id"));
    assert.ok(where, "the focus is on no node");
    const box = await frame.locator("svg").first().getAttribute("viewBox");
    await page.keyboard.press("+");
    await editor.until("nearer", async () => await frame.locator("svg").first().getAttribute("viewBox") !== box);
    await page.keyboard.press("0");
  });

  const ofMap = await step("other tiles are shown with their times, and Enter pins them", async () => {
    await editor.command("Tilewright: Show Tiles");
    const frame = await editor.view("tiling");
    await frame.locator("select").selectOption("ffn/h");
    await editor.until("those of the product", async () => (await frame.locator("h2").first().innerText()).includes("ffn/h"));
    const cells = frame.locator(".map > button.legal");
    await cells.first().waitFor();
    assert.ok(await cells.count() >= 4, "hardly any tiles to choose from");
    const label = await frame.locator(".map > button.current").getAttribute("aria-label");
    // Tiles that make another number of tasks, whatever the compiler merges them to.
    const tasksTold = async () => (await frame.locator("body").innerText()).match(/\(estimated\), ([\d,]+) tasks?/)?.[1];
    await frame.locator(".map > button.current").first().click();
    const tasksNow = await tasksTold();
    assert.ok(tasksNow, "the number of tasks is not told");
    const others = frame.locator(".map > button.legal:not(.current)");
    let other = (await others.count()) - 1;
    for (; other >= 0; --other) {
      await others.nth(other).click();
      if (await tasksTold() !== tasksNow)
        break;
    }
    assert.ok(other >= 0, "all tiles make as many tasks");
    await others.nth(other).focus();
    await page.keyboard.press("Enter");
    await editor.until("other tiles in force", async () => {
      const now = await frame.locator(".map > button.current").first().getAttribute("aria-label");
      return now !== label && now;
    });
    return label;
  });

  await step("the new pin is in the file, the tree and the graph", async () => {
    const pins = JSON.parse(readFileSync(path.join(editor.work, "ffn.mlir.pins.json"), "utf8"));
    assert.equal(pins.pins.length, 1, JSON.stringify(pins));
    assert.ok(ofMap);
    await rows("Decisions").filter({ hasText: "pinned" }).first().waitFor();
    await page.locator(".tab", { hasText: "Tilewright Graph" }).first().click();
    const frame = await editor.view("graph");
    await frame.locator("select").selectOption("execution");
    await editor.until("another graph", async () => (await frame.locator(".bar").innerText()).includes("execution/") && await graphText(frame) !== before);
  });

  await step("the next run has other tasks on the timeline", async () => {
    await page.locator(".tab", { hasText: "ffn.mlir" }).first().click();
    await editor.command("Tilewright: Run");
    await page.locator(".notification-toast").filter({ hasText: "measured" }).first().waitFor({ timeout: 180_000 });
    await editor.command("Notifications: Clear All Notifications");
    await editor.command("Tilewright: Show Timeline");
    const frame = await editor.view("timeline");
    await editor.until("another number of tasks", async () => { const now = await tasksOf(frame); return now && now !== tasks; });
  });

  await step("two passes are compared in VS Code's diff editor", async () => {
    await page.locator(".tab", { hasText: "ffn.mlir" }).first().click();
    const row = rows("Stages").filter({ hasText: "expand-tiles" }).first();
    await row.scrollIntoViewIfNeeded();
    await row.hover();
    await row.locator(".action-label.codicon-diff").click();
    await page.locator(".monaco-diff-editor .line-insert, .monaco-diff-editor .line-delete").first().waitFor({ state: "attached" });
    await page.screenshot({ path: path.join(pictures, "diff.png") });
  });

  await step("a stage's text leads back to the source", async () => {
    await rows("Stages").filter({ hasText: "form-scopes" }).first().click();
    const active = page.locator(".editor-group-container.active");
    await active.locator(".tab.active", { hasText: "form-scopes" }).waitFor();
    const line = active.locator(".view-line span").filter({ hasText: /^matmul$/ }).first();
    await line.click();
    // The server has to have read the stage's text.
    await editor.until("the source", async () => {
      await page.keyboard.press("F12");
      await page.waitForTimeout(400);
      return await active.locator(".tab.active", { hasText: "ffn.mlir" }).filter({ hasNotText: "source" }).count() && await lineOf() === 3;
    });
  });

  await step("memory and experiments are shown", async () => {
    await page.locator(".tab", { hasText: "ffn.mlir" }).first().click();
    await editor.command("Tilewright: Show Memory Map");
    const memory = await editor.view("memory");
    await memory.locator(".buffer").first().waitFor();
    await word("return").click();
    await editor.until("the end of the source", async () => await lineOf() === 6);
    await memory.locator(".buffer").first().focus();
    await page.keyboard.press("Enter");
    await editor.until("the operation the buffer is of", async () => await lineOf() === 3);
    // The page's frame gives the focus away last.
    await page.waitForTimeout(500);
    await editor.command("Tilewright: Show Experiments");
    const experiments = await editor.view("experiments");
    await editor.until("two runs", async () => await experiments.locator("tbody tr").count() === 2);
    for (const box of [0, 1]) await experiments.locator("tbody input").nth(box).check();
    await experiments.locator("button.primary").click();
    await experiments.locator("h2").first().waitFor();
    assert.match(await experiments.locator("body").innerText(), /measured/);
  });

  await step("a server that dies is started again, and knows the text as it is", async () => {
    await page.locator(".tab", { hasText: "ffn.mlir" }).first().click();
    await word("silu").dblclick();
    await page.keyboard.type("sillu");
    await page.locator(".squiggly-error").first().waitFor({ state: "attached" });
    assert.ok(editor.kill(server) > 0, "no server runs");
    // What is asked of the dead server must not be told as failures of their own, nor hide what happened.
    await page.keyboard.type("u");
    await page.keyboard.press("Backspace");
    await page.locator(".notification-toast").filter({ hasText: "nothing is lost" }).first().waitFor();
    assert.equal(await page.locator(".notification-toast").filter({ hasText: /failed|erroring/ }).count(), 0);
    await editor.command("Notifications: Clear All Notifications");
    await page.locator(".squiggly-error").first().waitFor({ state: "attached" });
    await word("sillu").dblclick();
    await page.keyboard.type("silu");
    await editor.until("no error", async () => await page.locator(".squiggly-error").count() === 0);
  });

  await step("operations and values are completed", async () => {
    await word("softmax").click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("%q = tw.softm");
    const proposed = page.locator(".suggest-widget .monaco-list-row");
    // On a busy machine the list may be gone before it is filled; a person would ask for it.
    await editor.until("what begins so", async () => {
      if (!await proposed.filter({ hasText: "tw.softmax" }).count()) await page.keyboard.press("Control+Space");
      await proposed.filter({ hasText: "tw.softmax" }).first().waitFor({ timeout: 4000 });
      return true;
    });
    await page.keyboard.press("Enter");
    await page.keyboard.type(" %");
    await proposed.filter({ hasText: "%h" }).first().waitFor();
    await page.screenshot({ path: path.join(pictures, "completion.png") });
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+K");
    await editor.until("no error", async () => await page.locator(".squiggly-error").count() === 0);
  });

  await step("pictures in light, dark and high contrast", async () => {
    for (const [short, theme] of Object.entries(themes)) {
      if (theme !== themes.light) {
        await editor.command("Preferences: Color Theme");
        const box = page.locator(".quick-input-widget input");
        await box.fill(theme.replace("Default ", ""));
        await page.locator(".quick-input-list .monaco-list-row.focused").filter({ hasText: theme.replace("Default ", "") }).waitFor();
        await page.keyboard.press("Enter");
      }
      const wanted = { light: "vs", dark: "vs-dark", contrast: "hc-black" }[short];
      await page.locator(`.monaco-workbench.${wanted}`).waitFor({ state: "attached" });
      for (const view of ["Graph", "Tiles", "Memory", "Timeline", "Experiments"]) {
        await page.locator(".tab", { hasText: `Tilewright ${view}` }).first().click();
        const frame = await editor.view({ Graph: "graph", Tiles: "tiling", Memory: "memory", Timeline: "timeline", Experiments: "experiments" }[view]);
        if (view === "Graph") await frame.locator("select").selectOption("tile");
        await page.waitForTimeout(1200);
        await page.screenshot({ path: path.join(pictures, `${view.toLowerCase()}-${short}.png`) });
      }
    }
  });

  await step("of a hundred layers the graph shows the groups, and what is looked for", async () => {
    await openFile("stack.mlir");
    await page.locator(".view-line").filter({ hasText: "transformer_stack" }).first().waitFor();
    await page.locator(".tab", { hasText: "Tilewright Graph" }).first().click();
    const frame = await editor.view("graph");
    await editor.until("the graph of the stack", async () => (await frame.locator(".bar").innerText()).includes("stack.mlir"), 120_000);
    const begun = Date.now();
    await frame.locator("select").selectOption("tile");
    const counts = await editor.until("folded", async () => /tile\/.* (\d+) of (\d+) nodes/.exec(await frame.locator(".bar").innerText()));
    console.log(`   ${counts[1]} of ${counts[2]} nodes drawn after ${Date.now() - begun} ms`);
    assert.ok(Number(counts[2]) > 5000 && Number(counts[1]) < 2500, counts[0]);
    // Enter goes to what is found wherever it is, and opens what is around it.
    await frame.locator("input[type=search]").fill("layer97_q");
    await editor.until("hits", async () => / found/.test(await frame.locator(".bar").innerText()));
    assert.equal(await frame.locator('svg [data-id="transformer_stack/layer97_q"]').count(), 0, "it was open before");
    // The group itself may be found before what is in it.
    await editor.until("a node inside", async () => {
      await frame.locator("input[type=search]").press("Enter");
      await frame.locator('svg [data-id^="transformer_stack/layer97_q"].selected').first().waitFor({ state: "attached", timeout: 10_000 });
      return true;
    });
    await page.screenshot({ path: path.join(pictures, "stack-found.png") });
    await frame.locator("input[type=search]").fill("");
    // Its operation in the source.
    await frame.locator('svg [data-id^="transformer_stack/layer97_q"].selected').press("Enter");
    await editor.until("its line", async () => (await page.locator(".editor-instance .view-line").allInnerTexts()).some((text) => text.includes("layer97_q")));
    // Folded again it is selected as the group it is in.
    await frame.locator("button", { hasText: "Reset Folding" }).click();
    await editor.until("folded again", async () => await frame.locator('svg [data-id="transformer_stack/layer97_q"]').count() === 0);
    await word("layer97_k").click().catch(() => page.locator(".view-line").filter({ hasText: "layer97_k" }).first().click());
    await editor.until("its group", async () => await frame.locator("svg [data-id].selected").count() > 0);
    await page.screenshot({ path: path.join(pictures, "stack-group.png") });
  });

  const policy = editor.errors.filter((text) => /Content Security Policy/.test(text) && /vscode-webview|tilewright/.test(text));
  assert.deepEqual(policy, [], "the views break their own policy");
  console.log(`${passed} passed, 0 failed`);
  console.log(`${((Date.now() - started) / 1000).toFixed(0)} s; pictures are in ${pictures}`);
} catch (error) {
  console.error(`FAILED: ${name}\n${error.stack ?? error}`);
  await page.screenshot({ path: path.join(pictures, "failed.png") }).catch(() => undefined);
  console.error(`what the screen showed is in ${path.join(pictures, "failed.png")}\n${editor.errors.slice(-5).join("\n")}`);
  process.exitCode = 1;
} finally {
  await editor.close();
}
