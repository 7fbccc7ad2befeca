// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { findServer } from "../../src/host/serverPath";
import { escapeMarkdown, formatBytes, formatSeconds, formatValue } from "../../src/shared/format";
import { foundNodes, nodeOfKey } from "../../src/shared/graphSearch";
import { readMessage } from "../../src/shared/messages";
import { before, byStage } from "../../src/shared/passes";
import { sortRows } from "../../src/shared/sorting";
import { parseStageUri, stageUri } from "../../src/shared/stageUri";
import { barAt, barsIn, TimeWindow } from "../../src/shared/timelineMath";
import { readTrace, TraceError } from "../../src/shared/trace";
import { ViewBox } from "../../src/shared/viewBox";

const root = path.resolve(__dirname, "../..");

test("times have three digits and the unit that fits", () => {
  assert.deepEqual([0, 1.5e-9, 9.996e-6, 99.96e-6, 0.00123, 0.9999, 12, NaN, -1].map(formatSeconds),
    ["0 s", "1.50 ns", "10.0 µs", "100 µs", "1.23 ms", "1.00 s", "12.0 s", "?", "?"]);
  assert.deepEqual([0, 1023, 1024, 196608, 3 * 2 ** 30].map(formatBytes), ["0 B", "1023 B", "1 KiB", "192 KiB", "3 GiB"]);
});

test("decisions are written as the command line takes them", () => {
  assert.equal(formatValue({ L1: { m: 128, n: 256 }, L0: { k: 64 } }), "L1.m=128 L1.n=256 L0.k=64");
  assert.equal(formatValue(2), "2");
  assert.equal(formatValue("cube"), "cube");
  assert.equal(formatValue({ fused: ["a/b"] }), '{"fused":["a/b"]}');
  assert.equal(escapeMarkdown("a_b*[x](y)<b>"), "a\\_b\\*\\[x\\]\\(y\\)\\<b\\>");
});

test("stage documents are named as the server names them, whatever the path holds", () => {
  for (const source of ["file:///a/b.mlir", "file:///a%20b/c%23d.mlir", "untitled:Untitled-1", "file:///a/(b)'s!.mlir"]) {
    const text = stageUri({ stage: "tile/choose-tiles@2", source });
    assert.match(text, /^tilewright:\/tile\/choose-tiles@2\?source=[^#?&()'! ]+$/);
    const [head, query] = text.slice("tilewright:".length).split("?");
    assert.deepEqual(parseStageUri({ scheme: "tilewright", path: decodeURIComponent(head!), query: decodeURIComponent(query!) }), { stage: "tile/choose-tiles@2", source });
  }
  assert.equal(parseStageUri({ scheme: "file", path: "/tile", query: "source=x" }), undefined);
  assert.equal(parseStageUri({ scheme: "tilewright", path: "/", query: "source=x" }), undefined);
  assert.equal(parseStageUri({ scheme: "tilewright", path: "/tile", query: "" }), undefined);
});

test("the server: the setting alone, else PATH, else a trusted build tree", () => {
  const places = { setting: "", path: "/usr/bin:relative::/opt/bin", folders: ["/w"], home: "/home/u", trusted: true };
  const there = (...files: string[]) => (file: string) => files.includes(file);
  assert.deepEqual(findServer(places, there("/opt/bin/tilewright-lsp", "/w/build/bin/tilewright-lsp")), { program: "/opt/bin/tilewright-lsp", from: "path" });
  assert.deepEqual(findServer(places, there("/w/build/bin/tilewright-lsp")), { program: "/w/build/bin/tilewright-lsp", from: "build" });
  assert.deepEqual(findServer({ ...places, trusted: false }, there("/w/build/bin/tilewright-lsp")), { missing: ["PATH"] });
  assert.deepEqual(findServer(places, () => false), { missing: ["PATH", "/w/build/bin/tilewright-lsp"] });
  // A relative entry of PATH is not looked at, and a wrong setting is not passed over.
  assert.deepEqual(findServer({ ...places, folders: [] }, (file) => !path.isAbsolute(file)), { missing: ["PATH"] });
  assert.deepEqual(findServer({ ...places, setting: "/no/lsp" }, there("/opt/bin/tilewright-lsp")), { missing: ["/no/lsp"] });
  assert.deepEqual(findServer({ ...places, setting: "${workspaceFolder}/b/lsp" }, there("/w/b/lsp")), { program: "/w/b/lsp", from: "setting" });
  assert.deepEqual(findServer({ ...places, setting: "~/lsp" }, there("/home/u/lsp")), { program: "/home/u/lsp", from: "setting" });
});

test("passes are grouped by stage, and each is compared with the one before", () => {
  const pass = (stage: string, name: string) => ({ stage, pass: name, changed: true, reused: false, milliseconds: 1, operations: 1, changedKeys: [] });
  const passes = [pass("tensor", "cse"), pass("tensor", "dce"), pass("tile", "form-scopes")];
  assert.deepEqual(byStage(passes).map((stage) => [stage.stage, stage.passes.length]), [["tensor", 2], ["tile", 1]]);
  assert.equal(before(passes, "tile/form-scopes"), "tensor/dce");
  assert.equal(before(passes, "tensor/cse"), undefined);
  assert.equal(before(passes, "tensor/gone"), undefined);
});

test("messages of a page are read with suspicion", () => {
  assert.ok(readMessage({ type: "select", keys: ["f/a"], reveal: true }));
  assert.ok(readMessage({ type: "pin", key: "f/a", kind: "tile", value: { L1: { m: 1 } } }));
  assert.ok(readMessage({ type: "find", text: "qk" }));
  assert.ok(readMessage({ type: "locate", key: "f/qk" }));
  for (const bad of [null, 3, "ready", {}, { type: "gone" }, { type: "toString" }, { type: "select", keys: "f/a", reveal: true }, { type: "select", keys: [1], reveal: true },
    { type: "fold", id: "x" }, { type: "size", width: "1", height: 2 }, { type: "pin", key: "f/a", kind: "tile" },
    { type: "find", text: 3 }, { type: "locate" }])
    assert.equal(readMessage(bad), undefined, JSON.stringify(bad));
});

const trace = (events: unknown[], more = {}) => JSON.stringify({ ...more, traceEvents: events });

test("a trace becomes rows of nested bars with keys", () => {
  const timeline = readTrace(trace([
    { ph: "M", pid: 1, tid: 1, name: "thread_name", args: { name: "core 0" } },
    { ph: "X", pid: 1, tid: 1, ts: 10, dur: 5, name: "b", args: { keys: ["f/y"] } },
    { ph: "X", pid: 1, tid: 1, ts: 2, dur: 20, name: "a" },
    { ph: "X", pid: 1, tid: 2, ts: 2.5, dur: 1, name: "a", args: { keys: ["f/y"] } },
    { ph: "X", pid: 1, tid: 2, ts: "soon", dur: 1, name: "never" }, null, 7,
  ], { otherData: { origin: "simulated" } }));
  assert.equal(timeline.origin, "simulated");
  assert.deepEqual(timeline.tracks.map((track) => track.name), ["core 0", "2"]);
  const { bars } = timeline.tracks[0]!;
  assert.deepEqual(bars.begin, [0, 8000]);
  assert.deepEqual(bars.end, [20000, 13000]);
  assert.deepEqual(bars.depth, [0, 1]);
  assert.deepEqual(bars.keys.map((key) => timeline.keys[key]), [[], ["f/y"]]);
  assert.equal(timeline.bars, 3);
  assert.equal(timeline.to, 20000);
});

test("what is no trace says why; a trace without tasks is empty; a long one is cut and says so", () => {
  for (const bad of ["", "{", "null", "[1", '{"traceEvents": 3}', "3"]) assert.throws(() => readTrace(bad), TraceError, bad);
  assert.deepEqual(readTrace(trace([])).tracks, []);
  const many = readTrace(trace(Array.from({ length: 50 }, (_, i) => ({ ph: "X", pid: 1, tid: 1, ts: i, dur: 1, name: "t" }))), 20);
  assert.equal(many.bars, 20);
  assert.equal(many.left, 30);
});

test("the bars of a window of time are found, nested ones too", () => {
  const bars = { begin: [0, 1, 5, 30], end: [20, 2, 6, 40], name: [], keys: [], depth: [0, 1, 1, 0] };
  assert.deepEqual(barsIn(bars, 10, 15), [0, 3]);
  assert.deepEqual(barsIn(bars, 25, 50), [1, 4]); // those around which a longer one may lie are looked at, too
  assert.deepEqual([5.5, 10, 25, 29.5, 35].map((time) => barAt(bars, time, 1)), [2, 0, -1, 3, 3]);
});

test("a window of time keeps in sight of the run", () => {
  const end = 1000;
  let window = new TimeWindow(0, end);
  for (let i = 0; i < 60; ++i) window = window.zoomed(2, 500, end);
  assert.equal(Math.round(window.to - window.from), 20);
  assert.ok(window.from <= 500 && window.to >= 500);
  for (let i = 0; i < 60; ++i) window = window.zoomed(0.5, 500, end);
  assert.ok(window.to - window.from <= end * 1.2 + 1);
  assert.ok(new TimeWindow(0, 100).moved(1e6, end).from < end);
  assert.ok(new TimeWindow(0, 100).moved(-1e6, end).to > 0);
  const shown = new TimeWindow(0, 100).showing(900, 950, end);
  assert.ok(shown.from <= 900 && shown.to >= 950);
  const ticks = new TimeWindow(0, 1000).ticks(5);
  assert.deepEqual(ticks, [0, 200, 400, 600, 800, 1000]);
});

test("zooming a picture keeps the point under the pointer", () => {
  const whole = new ViewBox(0, 0, 1000, 500);
  const near = whole.zoomed(2, 250, 100, whole);
  assert.deepEqual([near.width, near.height], [500, 250]);
  assert.equal((250 - near.x) / near.width, 0.25);
  assert.equal((100 - near.y) / near.height, 0.2);
  assert.equal(whole.zoomed(1e9, 0, 0, whole).width, 20);
  assert.equal(whole.zoomed(1e-9, 0, 0, whole).width, 4000);
});

test("tables sort by one column, rows without a value last", () => {
  const rows = [3, undefined, 1, 2].map((value) => ({ values: new Map<string, number | string>(value === undefined ? [] : [["x", value]]) }));
  const sorted = (down: boolean) => sortRows(rows, { column: "x", down }).map((row) => row.values.get("x"));
  assert.deepEqual(sorted(false), [1, 2, 3, undefined]);
  assert.deepEqual(sorted(true), [3, 2, 1, undefined]);
});

test("every word a person sees is there in Chinese", () => {
  const bundle = JSON.parse(readFileSync(path.join(root, "l10n/bundle.l10n.zh-cn.json"), "utf8")) as Record<string, string>;
  const used = new Set<string>();
  for (const file of readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts")))
    for (const found of readFileSync(path.join(root, "src", file), "utf8").matchAll(/(?:l10n\.t|\bt)\(\s*("(?:[^"\\]|\\.)*")/g))
      used.add(JSON.parse(found[1]!) as string);
  assert.ok(used.size > 80, String(used.size));
  assert.deepEqual([...used].filter((text) => !(text in bundle)), [], "not translated");
  assert.deepEqual(Object.keys(bundle).filter((text) => !used.has(text)), [], "translated and not used");
  for (const [text, chinese] of Object.entries(bundle))
    assert.deepEqual([...chinese.matchAll(/\{\d\}/g)].map(String).sort(), [...text.matchAll(/\{\d\}/g)].map(String).sort(), text);
});

test("the manifest's words, commands and files are there", () => {
  const text = readFileSync(path.join(root, "package.json"), "utf8");
  const manifest = JSON.parse(text) as { contributes: Record<string, unknown> & { commands: { command: string }[] }; activationEvents: string[] };
  const used = [...new Set([...text.matchAll(/"%([\w.]+)%"/g)].map((found) => found[1]!))].sort();
  for (const name of ["package.nls.json", "package.nls.zh-cn.json"])
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(path.join(root, name), "utf8")) as object).sort(), used, name);
  const source = readFileSync(path.join(root, "src/host/extension.ts"), "utf8");
  const registered = [...source.matchAll(/^ {2}command\("(\w+)"/gm)].map((found) => `tilewright.${found[1]}`).sort();
  assert.deepEqual(manifest.contributes.commands.map((command) => command.command).sort(), registered);
  for (const found of text.matchAll(/"command": "(tilewright\.[\w]+)"/g)) assert.ok(registered.includes(found[1]!), found[1]);
  for (const found of text.matchAll(/"(?:path|icon|markdown)": "(?!\$)([^"]+)"/g)) readFileSync(path.join(root, found[1]!));
});

test("views run no inline code: nothing makes markup from text", () => {
  for (const file of readdirSync(path.join(root, "src/webview")).filter((name) => name.endsWith(".ts"))) {
    const text = readFileSync(path.join(root, "src/webview", file), "utf8");
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|setAttribute\("(?:on|style)/, file);
  }
  const panel = readFileSync(path.join(root, "src/host/panel.ts"), "utf8");
  assert.match(panel, /default-src 'none'; script-src 'nonce-\$\{nonce\}'; style-src 'nonce-\$\{nonce\}'/);
});

test("what a search found stands with the groups around it, and a key at the node it is best seen at", () => {
  const node = (id: string, parent = "", keys: string[] = []) => ({ id, label: "", op: "tw.add", keys, parent });
  const part = { pass: "tile/x", documentVersion: 1, total: 90, count: 3, found: ["f/y~tile.move", "f/y", "gone", "kernel:k"],
    nodes: [node("function:f"), node("scope:f/y", "function:f", ["f/y", "f/x"]), node("f/y~tile.move", "scope:f/y", ["f/y"]), node("f/y", "scope:f/y", ["f/y"]),
      node("kernel:k", "", ["f/y"])] };
  const found = foundNodes(part);
  assert.deepEqual(found.map((each) => [each.id, each.groups]),
    [["f/y~tile.move", ["function:f", "scope:f/y"]], ["f/y", ["function:f", "scope:f/y"]], ["kernel:k", []]]);
  assert.equal(found[0]!.label, "f/y~tile.move");
  assert.equal(nodeOfKey(found, "f/y")?.id, "f/y");
  assert.equal(nodeOfKey(found.slice(0, 1), "f/y")?.id, "f/y~tile.move");
  assert.equal(nodeOfKey(found, "f/z"), undefined);
  // Groups in a circle, which no server sends, are gone around once.
  assert.deepEqual(foundNodes({ ...part, found: ["a"], nodes: [node("a", "b"), node("b", "c"), node("c", "b")] })[0]!.groups.length, 2);
  assert.deepEqual(foundNodes({ pass: "", documentVersion: 1, total: 0, count: 0, nodes: [] }), []);
});
