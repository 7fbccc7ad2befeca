// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stage as a graph: the server's picture, moved, searched, folded and walked through here.
import type { FoundNode } from "../shared/graphSearch";
import type { PictureNode } from "../shared/protocol";
import { ViewBox } from "../shared/viewBox";
import { announce, begin, el, remember, remembered, send, show, t, troubleBox } from "./ui";

interface Kept { stage: string; box: [number, number, number, number] | undefined }
let kept = remembered<Kept>({ stage: "", box: undefined });

const stages = el("select", { "aria-label": t("Stage"), change: () => send({ type: "stage", stage: stages.value }) });
const search = el("input", { type: "search", placeholder: t("Search"), "aria-label": t("Search nodes"), input: () => find(), keydown: (event) => searchKey(event as KeyboardEvent) });
const hits = el("span", { class: "muted", "aria-live": "polite" });
const title = el("span", { class: "muted" });
const bar = el("div", { class: "bar" }, el("label", {}, t("Stage"), stages), search, hits, el("span", { class: "grow" }), title,
  el("button", { click: () => zoom(1.25), "aria-label": t("Zoom in") }, "+"),
  el("button", { click: () => zoom(0.8), "aria-label": t("Zoom out") }, "−"),
  el("button", { click: () => fit() }, t("Fit")),
  el("button", { click: () => send({ type: "fold", id: "", open: false, reset: true }) }, t("Reset Folding")));
const canvas = el("div", { class: "canvas" });
const trouble = el("div");

let picture: SVGSVGElement | undefined;
let box = new ViewBox(0, 0, 100, 100);
let whole = new ViewBox(0, 0, 100, 100);
let nodes = new Map<string, PictureNode>();
let places = new Map<string, { element: SVGGElement; x: number; y: number; width: number; height: number }>();
let selected = "";
/** What the server found of what is searched for, the first of `foundInAll`. */
let found: FoundNode[] = [];
/** What `found` is the answer to; what is searched for may have changed since. */
let answered = "";
/** Enter was pressed before the answer was there. */
let eager = false;
let foundInAll = 0;
let at = -1;
let awaited = "";
let waiting: ReturnType<typeof setTimeout> | undefined;
/** A person types on: what is typed is asked for once it is left alone so long. */
const typingMs = 150;

begin((message) => {
  if (message.type === "clear") { canvas.replaceChildren(); picture = undefined; }
  else if (message.type === "trouble") trouble.replaceChildren(troubleBox(message.message));
  else if (message.type === "select") selectKey(message.key);
  else if (message.type === "located") { if (!idOf(message.key)) select(message.groups.filter((id) => places.has(id)).pop() ?? "", false); }
  else if (message.type === "found") { if (message.text === search.value.trim()) showFound(message.nodes, message.count, message.text); }
  else if (message.type === "graph") {
    trouble.replaceChildren();
    stages.replaceChildren(...message.stages.map((name) => el("option", { value: name, selected: name === message.stage }, name.includes("/") ? `  ${name}` : name)));
    const { pass, total } = message.picture;
    title.textContent = `${message.title} · ${pass} · ${message.picture.nodes.length < total ? t("{0} of {1} nodes", message.picture.nodes.length, total) : t("{0} nodes", total)}`;
    nodes = new Map(message.picture.nodes.map((node) => [node.id, node]));
    draw(message.picture.svg, message.stage);
  }
});
show(bar, trouble, canvas);
new ResizeObserver(() => {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (width && height && picture) apply();
}).observe(canvas);
requestAnimationFrame(() => { if (canvas.clientWidth) send({ type: "size", width: canvas.clientWidth, height: canvas.clientHeight }); });

function draw(text: string, stage: string): void {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.nodeName !== "svg") return;
  picture = document.importNode(parsed, true) as unknown as SVGSVGElement;
  const given = (picture.getAttribute("viewBox") ?? "0 0 100 100").split(/[ ,]+/).map(Number) as [number, number, number, number];
  for (const name of ["width", "height"]) picture.removeAttribute(name);
  picture.setAttribute("role", "group");
  picture.setAttribute("aria-label", t("Graph; arrow keys go from node to node, Enter goes to the source, Space opens and closes a group"));
  whole = new ViewBox(...given);
  // The same stage after an edit stays where it was looked at.
  const same = kept.stage === stage && kept.box !== undefined;
  box = same ? new ViewBox(...kept.box!) : whole;
  places = new Map();
  canvas.replaceChildren(picture);
  for (const element of picture.querySelectorAll<SVGGElement>("[data-id]")) {
    const id = element.getAttribute("data-id")!;
    const frame = element.getBBox();
    places.set(id, { element, x: frame.x, y: frame.y, width: frame.width, height: frame.height });
    const node = nodes.get(id);
    element.setAttribute("role", "button");
    element.setAttribute("tabindex", "-1");
    element.setAttribute("aria-label", [node?.label ?? id, node?.op, node?.group ? (node.open ? t("open group") : t("closed group")) : "",
      node?.hidden ? t("{0} nodes inside", node.hidden) : ""].filter(Boolean).join(", "));
    if (node?.group) element.setAttribute("aria-expanded", String(node.open));
  }
  kept.stage = stage;
  listen(picture);
  apply();
  if (selected) select(selected, false);
  else setTab(places.keys().next().value);
  markFound();
  find();
  if (awaited && places.has(awaited)) { const id = awaited; awaited = ""; select(id, true); center(id); }
}

function apply(): void {
  picture?.setAttribute("viewBox", box.toString());
  kept = { stage: kept.stage, box: [box.x, box.y, box.width, box.height] };
  remember(kept);
}

function zoom(factor: number, x = box.x + box.width / 2, y = box.y + box.height / 2): void {
  box = box.zoomed(factor, x, y, whole);
  apply();
}
function fit(): void { box = whole; apply(); }

function pointOf(event: MouseEvent): DOMPoint {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(picture!.getScreenCTM()!.inverse());
}

function listen(element: SVGSVGElement): void {
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) {
      const point = pointOf(event);
      zoom(Math.exp(-event.deltaY / 300), point.x, point.y);
    } else {
      const unit = box.width / canvas.clientWidth;
      box = box.moved(event.shiftKey ? event.deltaY * unit : event.deltaX * unit, event.shiftKey ? 0 : event.deltaY * unit);
      apply();
    }
  }, { passive: false });
  let last: { x: number; y: number; moved: boolean } | undefined;
  element.addEventListener("pointerdown", (event) => { if (event.button === 0) last = { x: event.clientX, y: event.clientY, moved: false }; });
  element.addEventListener("pointermove", (event) => {
    if (!last) return;
    if (!last.moved && Math.hypot(event.clientX - last.x, event.clientY - last.y) < 4) return;
    if (!last.moved) { last.moved = true; element.setPointerCapture(event.pointerId); element.classList.add("dragged"); }
    const scale = element.getScreenCTM()!.a;
    box = box.moved((last.x - event.clientX) / scale, (last.y - event.clientY) / scale);
    last.x = event.clientX;
    last.y = event.clientY;
    apply();
  });
  element.addEventListener("pointerup", (event) => {
    const clicked = last && !last.moved;
    last = undefined;
    element.classList.remove("dragged");
    const id = (event.target as Element).closest?.("[data-id]")?.getAttribute("data-id");
    if (clicked && id) { select(id, true); activate(id); }
  });
  element.addEventListener("dblclick", (event) => {
    const id = (event.target as Element).closest?.("[data-id]")?.getAttribute("data-id");
    if (id) toggle(id);
  });
  element.addEventListener("keydown", (event) => key(event));
}

function key(event: KeyboardEvent): void {
  const id = (event.target as Element).closest?.("[data-id]")?.getAttribute("data-id") ?? selected;
  const unit = box.width / 12;
  const pan: Record<string, [number, number]> = { ArrowLeft: [-unit, 0], ArrowRight: [unit, 0], ArrowUp: [0, -unit], ArrowDown: [0, unit] };
  const direction = pan[event.key];
  if (direction && (event.shiftKey || event.ctrlKey)) { box = box.moved(...direction); apply(); }
  else if (direction) go(id, direction[0], direction[1]);
  else if (event.key === "Enter") activate(id);
  else if (event.key === " ") toggle(id);
  else if (event.key === "+" || event.key === "=") zoom(1.25);
  else if (event.key === "-") zoom(0.8);
  else if (event.key === "0") fit();
  else if (event.key === "/" || (event.key === "f" && (event.ctrlKey || event.metaKey))) search.focus();
  else return;
  event.preventDefault();
}

/** To the nearest node in a direction: how far off it lies counts double. */
function go(from: string, dx: number, dy: number): void {
  const start = places.get(from) ?? places.values().next().value;
  if (!start) return;
  const cx = start.x + start.width / 2, cy = start.y + start.height / 2;
  let best = "", least = Infinity;
  for (const [id, place] of places) {
    const x = place.x + place.width / 2 - cx, y = place.y + place.height / 2 - cy;
    const along = dx ? x * Math.sign(dx) : y * Math.sign(dy), across = Math.abs(dx ? y : x);
    if (id === from || along <= 1) continue;
    if (along + 2 * across < least) { least = along + 2 * across; best = id; }
  }
  if (best) { select(best, true); center(best, true); }
}

function setTab(id: string | undefined): void {
  for (const place of places.values()) place.element.setAttribute("tabindex", "-1");
  if (id) places.get(id)?.element.setAttribute("tabindex", "0");
}

function select(id: string, focus: boolean): void {
  places.get(selected)?.element.classList.remove("selected");
  selected = id;
  const place = places.get(id);
  if (!place) return;
  place.element.classList.add("selected");
  setTab(id);
  if (focus) place.element.focus({ preventScroll: true });
}

function center(id: string, onlyIfOutside = false): void {
  const place = places.get(id);
  if (!place) return;
  const x = place.x + place.width / 2, y = place.y + place.height / 2;
  if (onlyIfOutside && x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height) return;
  box = box.centered(x, y);
  apply();
}

function activate(id: string): void {
  const keys = nodes.get(id)?.keys ?? [];
  if (keys.length) send({ type: "select", keys, reveal: true });
  else announce(t("This node has no place in the source"));
}

function toggle(id: string): void {
  const node = nodes.get(id);
  if (!node?.group) return;
  awaited = id;
  send({ type: "fold", id, open: !node.open });
}

/** The drawn node a key is best seen at. */
function idOf(key: string): string {
  if (places.has(key)) return key;
  for (const id of places.keys()) if (nodes.get(id)?.keys.includes(key) && !nodes.get(id)?.group) return id;
  for (const id of places.keys()) if (nodes.get(id)?.keys.includes(key)) return id;
  return "";
}

/** Shows what is selected elsewhere; where it is folded away, the group that it is in. */
function selectKey(key: string): void {
  const id = idOf(key);
  select(id, false);
  if (!id && picture && key) send({ type: "locate", key });
}

function find(): void {
  clearTimeout(waiting);
  const text = search.value.trim();
  if (text) waiting = setTimeout(() => send({ type: "find", text }), typingMs);
  else showFound([], 0, "");
}

function showFound(nodes: FoundNode[], count: number, text: string): void {
  // The same search after a group was opened goes on where it was.
  const id = found[at]?.id;
  found = nodes;
  foundInAll = count;
  answered = text;
  at = found.findIndex((node) => node.id === id);
  markFound();
  if (eager) step(1);
}

function markFound(): void {
  const wanted = search.value.trim() !== "";
  for (const place of places.values()) place.element.classList.remove("found");
  for (const node of found) places.get(shownFor(node))?.element.classList.add("found");
  picture?.classList.toggle("searching", wanted);
  const folded = found.filter((node) => !places.has(node.id)).length;
  hits.textContent = !wanted || answered !== search.value.trim() ? "" : at >= 0 ? t("{0} of {1}", at + 1, foundInAll)
    : folded ? t("{0} found, {1} of them folded", foundInAll, folded + (foundInAll - found.length)) : t("{0} found", foundInAll);
}

/** What a node is seen as: itself, or the closed group that it is in. */
function shownFor(node: FoundNode): string {
  return places.has(node.id) ? node.id : node.groups.filter((id) => places.has(id) && !nodes.get(id)?.open).pop() ?? "";
}

function searchKey(event: KeyboardEvent): void {
  if (event.key === "Escape") { search.value = ""; find(); picture?.focus(); }
  if (event.key !== "Enter") return;
  if (answered === search.value.trim()) step(event.shiftKey ? -1 : 1);
  else eager = true;
}

/** Goes to the next or previous hit, and opens what is around it. */
function step(by: 1 | -1): void {
  eager = false;
  if (!found.length) return;
  at = at < 0 && by < 0 ? found.length - 1 : (at + by + found.length) % found.length;
  const node = found[at]!;
  hits.textContent = t("{0} of {1}", at + 1, foundInAll);
  if (places.has(node.id)) { select(node.id, false); center(node.id); }
  else { awaited = node.id; send({ type: "fold", id: node.id, open: true }); }
}
