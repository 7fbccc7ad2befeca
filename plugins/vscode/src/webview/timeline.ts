// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last run's tasks over time: one row a core, drawn on a canvas.
import { formatSeconds } from "../shared/format";
import { barAt, barsIn, TimeWindow } from "../shared/timelineMath";
import type { Timeline, Track } from "../shared/trace";
import { announce, begin, el, remember, remembered, send, show, t, troubleBox } from "./ui";

const rowHeight = 26, headHeight = 24, nameWidth = 130;

let timeline: Timeline | undefined;
let view = new TimeWindow(0, 1);
let scrollTop = 0;
let selected: { track: number; bar: number } | undefined;
let selectedKey = "";
let hovered: { track: number; bar: number } | undefined;
/** What was looked at when the page was hidden, and of which run. */
let kept = remembered<{ from: number; to: number; of: string } | undefined>(undefined);
const nameOf = (run: Timeline) => `${run.bars}/${run.to}`;

const title = el("span", { class: "muted" });
const search = el("input", { type: "search", placeholder: t("Search"), "aria-label": t("Search tasks"), input: () => draw(), keydown: (event) => { if ((event as KeyboardEvent).key === "Enter") next(search.value, 1); } });
const canvas = el("canvas", { tabindex: 0, role: "application", "aria-label": t("Timeline; left and right go from task to task, up and down from core to core, plus and minus zoom, Enter goes to the source") });
const tip = el("div", { class: "tip", hidden: true });
const status = el("div", { class: "status", "aria-live": "polite" });
const area = el("div", { class: "canvas" }, canvas, tip);
const bar = el("div", { class: "bar" }, search, el("span", { class: "grow" }), title,
  el("button", { click: () => zoom(1.6), "aria-label": t("Zoom in") }, "+"), el("button", { click: () => zoom(1 / 1.6), "aria-label": t("Zoom out") }, "−"),
  el("button", { click: () => { fit(); draw(); } }, t("Fit")), el("button", { click: () => send({ type: "run" }) }, t("Run Again")));

begin((message) => {
  if (message.type === "clear") show();
  if (message.type === "trouble")
    show(troubleBox(message.message), el("div", { class: "empty" }, el("button", { class: "primary", click: () => send({ type: "run" }) }, t("Run"))));
  else if (message.type === "select") { selectedKey = message.key; draw(); }
  else if (message.type === "timeline") {
    timeline = message.timeline;
    selected = hovered = undefined;
    title.textContent = `${message.title} · ${Number.isFinite(message.milliseconds) ? `${message.milliseconds.toFixed(3)} ms · ` : ""}${t("{0} tasks", timeline.bars)} (${timeline.origin})` +
      (timeline.left ? ` · ${t("{0} more are not shown", timeline.left)}` : "");
    show(bar, area, status);
    fit();
    if (kept?.of === nameOf(timeline) && kept.to > kept.from) view = new TimeWindow(kept.from, kept.to);
    status.textContent = t("Click a task to go to its operation");
    draw();
  }
});
new ResizeObserver(() => draw()).observe(area);

function fit(): void { if (timeline) view = new TimeWindow(0, Math.max(1, timeline.to)); }
function plotWidth(): number { return Math.max(1, area.clientWidth - nameWidth); }
function zoom(factor: number, at = (view.from + view.to) / 2): void {
  if (!timeline) return;
  view = view.zoomed(factor, at, timeline.to);
  draw();
}
function pan(share: number): void { if (timeline) { view = view.moved(share * (view.to - view.from), timeline.to); draw(); } }
function timeAt(x: number): number { return view.from + (view.to - view.from) * (x - nameWidth) / plotWidth(); }

function colours() {
  const style = getComputedStyle(document.body);
  const of = (name: string, fallback: string) => style.getPropertyValue(`--vscode-${name}`).trim() || fallback;
  const contrast = document.body.classList.contains("vscode-high-contrast");
  return {
    contrast, ground: of("editor-background", "#fff"), ink: of("editor-foreground", "#000"), muted: of("descriptionForeground", "#777"),
    line: of("panel-border", of("contrastBorder", "#888")), focus: of("focusBorder", "#09f"), border: of("contrastBorder", of("editor-foreground", "#888")),
    found: of("editorWarning-foreground", "#b80"), font: of("font-family", "sans-serif"),
  };
}
// Dark ink has a contrast of at least 6 on each of these.
const fills = ["#7aa6d8", "#ffc857", "#5fb3a1", "#d98880", "#b39ddb", "#9ccc65", "#f4a6c6", "#bcaaa4"];
function fillOf(text: string): string {
  let hash = 0;
  for (const c of text) hash = (hash * 31 + c.codePointAt(0)!) >>> 0;
  return fills[hash % fills.length]!;
}

let asked = false;
function draw(): void {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; paint(); });
}

function paint(): void {
  if (!timeline || !area.clientWidth) return;
  kept = { from: view.from, to: view.to, of: nameOf(timeline) };
  remember(kept);
  const scale = window.devicePixelRatio || 1, width = area.clientWidth, height = area.clientHeight;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const c = canvas.getContext("2d")!, colour = colours();
  c.scale(scale, scale);
  c.fillStyle = colour.ground;
  c.fillRect(0, 0, width, height);
  c.font = `11px ${colour.font}`;
  c.textBaseline = "middle";
  scrollTop = Math.max(0, Math.min(scrollTop, timeline.tracks.length * rowHeight - (height - headHeight)));
  const perPixel = (view.to - view.from) / plotWidth();
  const wanted = search.value.trim().toLowerCase();
  const hits = timeline.names.map((name) => wanted !== "" && name.toLowerCase().includes(wanted));
  const ofKey = timeline.keys.map((keys) => selectedKey !== "" && keys.includes(selectedKey));

  for (let index = Math.floor(scrollTop / rowHeight); index < timeline.tracks.length; ++index) {
    const y = headHeight + index * rowHeight - scrollTop;
    if (y > height) break;
    const track = timeline.tracks[index]!;
    c.strokeStyle = colour.line;
    c.globalAlpha = 0.4;
    c.beginPath(); c.moveTo(0, y + rowHeight - 0.5); c.lineTo(width, y + rowHeight - 0.5); c.stroke();
    c.globalAlpha = 1;
    c.save();
    c.beginPath(); c.rect(nameWidth, y, width - nameWidth, rowHeight); c.clip();
    row(c, track, index, y, perPixel, colour, hits, ofKey, wanted !== "");
    c.restore();
    c.fillStyle = colour.ground;
    c.fillRect(0, y, nameWidth - 1, rowHeight - 1);
    c.fillStyle = colour.ink;
    c.fillText(elide(c, track.name, nameWidth - 16), 10, y + rowHeight / 2);
  }
  c.fillStyle = colour.ground;
  c.fillRect(0, 0, width, headHeight);
  c.fillStyle = colour.muted;
  for (const tick of view.ticks(Math.max(2, Math.floor(plotWidth() / 110)))) {
    const x = nameWidth + (tick - view.from) / perPixel;
    c.fillText(formatSeconds(tick / 1e9), x + 3, headHeight / 2);
    c.fillRect(x, headHeight - 6, 1, 6);
  }
}

function row(c: CanvasRenderingContext2D, track: Track, index: number, y: number, perPixel: number, colour: ReturnType<typeof colours>,
             hits: boolean[], ofKey: boolean[], searching: boolean): void {
  const { bars } = track;
  const [first, last] = barsIn(bars, view.from, view.to);
  let covered = -1;
  for (let i = first; i < last; ++i) {
    if (bars.end[i]! < view.from) continue;
    const x = nameWidth + (bars.begin[i]! - view.from) / perPixel, right = nameWidth + (bars.end[i]! - view.from) / perPixel;
    const special = ofKey[bars.keys[i]!] || hits[bars.name[i]!] || (selected?.track === index && selected.bar === i);
    // Of bars within one pixel one is drawn; a million tasks cost as much as the pixels they cover.
    if (!special && right <= covered + 0.5) continue;
    covered = Math.max(covered, right);
    const inset = Math.min(3, bars.depth[i]!) * 4, width = Math.max(1, right - x - (right - x > 3 ? 0.6 : 0));
    const name = timelineName(bars.name[i]!);
    c.globalAlpha = searching && !hits[bars.name[i]!] ? 0.3 : 1;
    c.fillStyle = colour.contrast ? colour.ground : fillOf(name);
    c.fillRect(x, y + 3 + inset, width, rowHeight - 7 - inset);
    if (colour.contrast && width > 2) { c.strokeStyle = colour.border; c.lineWidth = 1; c.strokeRect(x + 0.5, y + 3.5 + inset, width - 1, rowHeight - 8 - inset); }
    const chosen = selected?.track === index && selected.bar === i;
    if (chosen || ofKey[bars.keys[i]!] || hits[bars.name[i]!]) {
      c.strokeStyle = hits[bars.name[i]!] ? colour.found : colour.focus;
      c.lineWidth = chosen ? 3 : 2;
      c.setLineDash(hits[bars.name[i]!] ? [4, 2] : []);
      c.strokeRect(x + 1, y + 4 + inset, Math.max(1, width - 2), rowHeight - 9 - inset);
      c.setLineDash([]);
    }
    if (width > 34) {
      c.fillStyle = colour.contrast ? colour.ink : "#10140f";
      const from = Math.max(x, nameWidth);
      c.fillText(elide(c, name, right - from - 8), from + 4, y + rowHeight / 2 + inset / 2);
    }
    c.globalAlpha = 1;
  }
}

function timelineName(index: number): string { return timeline!.names[index] ?? ""; }

function elide(c: CanvasRenderingContext2D, text: string, room: number): string {
  if (room < 12) return "";
  if (c.measureText(text).width <= room) return text;
  let length = Math.max(0, Math.floor(text.length * room / c.measureText(text).width) - 1);
  while (length > 0 && c.measureText(`${text.slice(0, length)}…`).width > room) --length;
  return length ? `${text.slice(0, length)}…` : "";
}

function hit(event: MouseEvent): { track: number; bar: number } | undefined {
  const frame = canvas.getBoundingClientRect();
  const x = event.clientX - frame.left, y = event.clientY - frame.top;
  if (!timeline || x < nameWidth || y < headHeight) return undefined;
  const track = Math.floor((y - headHeight + scrollTop) / rowHeight);
  const bars = timeline.tracks[track]?.bars;
  const slack = 2 * (view.to - view.from) / plotWidth();
  const bar = bars ? barAt(bars, timeAt(x), slack) : -1;
  return bar >= 0 ? { track, bar } : undefined;
}

function words(place: { track: number; bar: number }): string {
  const track = timeline!.tracks[place.track]!, { bars } = track;
  const from = bars.begin[place.bar]!, to = bars.end[place.bar]!;
  const keys = timeline!.keys[bars.keys[place.bar]!] ?? [];
  return `${timelineName(bars.name[place.bar]!)}  ${formatSeconds((to - from) / 1e9)} (${timeline!.origin})\n${t("from {0} on {1}", formatSeconds(from / 1e9), track.name)}${keys.length ? `\n${keys.join(", ")}` : ""}`;
}

function choose(place: { track: number; bar: number }, reveal: boolean): void {
  selected = place;
  const text = words(place);
  status.textContent = text.replace(/\n/g, " · ");
  const keys = timeline!.keys[timeline!.tracks[place.track]!.bars.keys[place.bar]!] ?? [];
  if (keys.length) {
    selectedKey = keys[0]!;
    send({ type: "select", keys, reveal });
  } else if (reveal) announce(t("This task has no place in the source"));
  draw();
}

function bring(place: { track: number; bar: number }): void {
  const { bars } = timeline!.tracks[place.track]!;
  view = view.showing(bars.begin[place.bar]!, bars.end[place.bar]!, timeline!.to);
  const y = place.track * rowHeight, height = area.clientHeight - headHeight;
  if (y < scrollTop) scrollTop = y;
  if (y + rowHeight > scrollTop + height) scrollTop = y + rowHeight - height;
}

/** To the next task whose name has these letters. */
function next(letters: string, step: number): void {
  if (!timeline || !letters.trim()) return;
  const wanted = letters.trim().toLowerCase();
  const start = selected ?? { track: 0, bar: -1 };
  for (let n = 0; n <= timeline.tracks.length; ++n) {
    const track = (start.track + n) % timeline.tracks.length, { bars } = timeline.tracks[track]!;
    for (let i = n === 0 ? start.bar + step : 0; i < bars.begin.length; i += step)
      if (timelineName(bars.name[i]!).toLowerCase().includes(wanted)) {
        choose({ track, bar: i }, false);
        bring({ track, bar: i });
        return;
      }
  }
}

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 300), timeAt(event.clientX - canvas.getBoundingClientRect().left));
  else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan((event.deltaX || event.deltaY) / plotWidth());
  else { scrollTop += event.deltaY; draw(); }
}, { passive: false });
let drag: { x: number; y: number; moved: boolean } | undefined;
canvas.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, y: event.clientY, moved: false }; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener("pointermove", (event) => {
  if (drag) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 3) drag.moved = true;
    if (drag.moved) { pan((drag.x - event.clientX) / plotWidth()); scrollTop += drag.y - event.clientY; drag.x = event.clientX; drag.y = event.clientY; }
    return;
  }
  hovered = hit(event);
  tip.hidden = !hovered;
  if (!hovered) return;
  tip.textContent = words(hovered);
  const frame = area.getBoundingClientRect();
  tip.style.left = `${Math.min(event.clientX - frame.left + 12, Math.max(0, frame.width - tip.offsetWidth - 4))}px`;
  tip.style.top = `${Math.min(event.clientY - frame.top + 16, Math.max(0, frame.height - tip.offsetHeight - 4))}px`;
});
canvas.addEventListener("pointerup", (event) => {
  const clicked = drag && !drag.moved;
  drag = undefined;
  const place = clicked ? hit(event) : undefined;
  if (place) choose(place, true);
});
canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
canvas.addEventListener("keydown", (event) => {
  if (!timeline) return;
  const start = selected ?? { track: 0, bar: -1 };
  const step = (track: number, bar: number) => {
    const bars = timeline!.tracks[track]?.bars;
    if (!bars || bar < 0 || bar >= bars.begin.length) return;
    choose({ track, bar }, false);
    bring({ track, bar });
  };
  const across = (track: number) => {
    const bars = timeline!.tracks[track]?.bars;
    const time = selected ? timeline!.tracks[start.track]!.bars.begin[start.bar]! : view.from;
    if (bars) step(track, Math.min(bars.begin.length - 1, Math.max(0, barsIn(bars, time, time)[0])));
  };
  if (event.shiftKey && event.key === "ArrowLeft") pan(-0.1);
  else if (event.shiftKey && event.key === "ArrowRight") pan(0.1);
  else if (event.key === "ArrowRight") step(start.track, start.bar + 1);
  else if (event.key === "ArrowLeft") step(start.track, start.bar - 1);
  else if (event.key === "ArrowDown") across(start.track + 1);
  else if (event.key === "ArrowUp") across(start.track - 1);
  else if (event.key === "Enter") { if (selected) choose(selected, true); }
  else if (event.key === "+" || event.key === "=" || event.key === "w") zoom(1.6);
  else if (event.key === "-" || event.key === "s") zoom(1 / 1.6);
  else if (event.key === "0") { fit(); draw(); }
  else if (event.key === "/") search.focus();
  else return;
  event.preventDefault();
});
