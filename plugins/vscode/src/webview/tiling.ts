// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operation's decisions with their reasons, and what other tiles would do; pinned with one click.
import { formatSeconds, formatValue } from "../shared/format";
import type { Decision, TilePoint, WhatIf } from "../shared/protocol";
import { announce, begin, el, send, show, t, troubleBox } from "./ui";

let chosen = -1;
let ofKey = "";
let selectPoint: (index: number, focus: boolean) => void = () => undefined;

begin((message) => {
  if (message.type === "clear") show();
  if (message.type === "trouble") show(troubleBox(message.message));
  if (message.type !== "tiling") return;
  const { map, key, keys, decisions, explanation } = message;
  if (key !== ofKey) chosen = -1;
  ofKey = key;
  const choice = el("select", { "aria-label": t("Operation"), change: () => send({ type: "ask", key: choice.value }) },
    ...(keys.includes(key) ? keys : [key, ...keys]).map((name) => el("option", { value: name, selected: name === key }, name)));
  const bar = el("div", { class: "bar" }, el("label", {}, t("Operation"), choice), el("span", { class: "grow" }),
    el("button", { click: () => send({ type: "select", keys: [key], reveal: true }) }, t("Go to Source")));
  const body = el("div", { class: "scroll" });
  if (message.trouble) body.append(troubleBox(message.trouble));
  if (map && map.points.length) body.append(...mapOf(map, decisions));
  else if (map) body.append(el("p", { class: "muted" }, t("There are no tiles to choose for this operation")));
  body.append(el("h2", {}, t("Decisions in force")), decisionsOf(decisions));
  if (explanation) body.append(el("h2", {}, t("Why")), el("p", { class: "explanation" }, ...explanation.split("\n").flatMap((line) => [line, el("br")])));
  show(bar, body);
  if (map && map.points.length) selectPoint(chosen >= 0 && chosen < map.points.length ? chosen : map.current >= 0 ? map.current : Math.max(0, map.best), false);
});

function mapOf(map: WhatIf, decisions: Decision[]): HTMLElement[] {
  const columns = map.xs.length, rows = Math.max(1, map.ys.length);
  const best = map.points[map.best];
  const grid = el("div", { class: "map", role: "grid", "aria-label": t("Estimated time of other tiles") });
  grid.style.gridTemplateColumns = `max-content repeat(${columns}, max-content)`;
  const cells: HTMLButtonElement[] = [];
  const details = el("div", { class: "details", "aria-live": "polite" });
  const name = (point: TilePoint) => (map.yDim ? `${map.yDim}=${point.y} ` : "") + `${map.xDim}=${point.x}`;
  const pinned = decisions.some((decision) => decision.key === map.key && decision.kind === "tile" && decision.origin === "pinned");
  const pin = (point: TilePoint) => send({ type: "pin", key: map.key, kind: "tile", value: point.sizes });

  selectPoint = (index, focus) => {
    const point = map.points[index];
    if (!point) return;
    for (const cell of cells) { cell?.setAttribute("aria-selected", "false"); if (cell) cell.tabIndex = -1; }
    chosen = index;
    const cell = cells[index]!;
    cell.setAttribute("aria-selected", "true");
    cell.tabIndex = 0;
    if (focus) cell.focus();
    details.replaceChildren(...(point.legal ? [
      el("div", {}, el("code", {}, formatValue(point.sizes))),
      el("div", {}, t("{0} (estimated), {1} tasks, cores busy {2} %, bound by {3}", formatSeconds(point.seconds), point.tasks || "?", Math.round(point.coreUse * 100), point.bound)),
      el("button", { class: "primary", click: () => pin(point) }, t("Pin These Tiles")), " ",
      ...(pinned ? [el("button", { click: () => send({ type: "unpin", key: map.key, kind: "tile" }) }, t("Unpin"))] : []),
    ] : [el("div", {}, `${name(point)}: ${point.why} [${point.code}]`)]));
  };

  // Rows grow upwards, as on a map.
  for (let row = rows - 1; row >= 0; --row) {
    grid.append(el("div", { class: "axis" }, map.yDim ? `${row === rows - 1 ? `${map.yDim} ` : ""}${map.ys[row]}` : ""));
    for (let column = 0; column < columns; ++column) {
      const index = row * columns + column, point = map.points[index]!;
      const ratio = best && point.legal ? point.seconds / best.seconds : 0;
      const cell = el("button", {
        class: [point.legal ? `legal scale${Math.min(6, Math.max(0, Math.round(Math.log10(Math.max(1, ratio)) * 6)))}` : "illegal",
          index === map.current ? "current" : "", index === map.best ? "best" : ""].join(" "),
        role: "gridcell", tabindex: -1, title: point.legal ? `${formatValue(point.sizes)}: ${formatSeconds(point.seconds)}` : `${point.why} [${point.code}]`,
        "aria-label": `${name(point)}: ${point.legal ? t("{0} times the best", ratio.toFixed(1)) : t("not legal")}${index === map.current ? `, ${t("in force")}` : ""}${index === map.best ? `, ${t("best")}` : ""}`,
        click: () => selectPoint(index, false), dblclick: () => { if (point.legal) pin(point); },
        keydown: (event) => move(event as KeyboardEvent, row, column),
      }, point.legal ? (ratio >= 9.95 ? ratio.toFixed(0) : ratio.toFixed(1)) : "–");
      cells[index] = cell;
      grid.append(cell);
    }
  }
  grid.append(el("div", { class: "axis" }), ...map.xs.map((x, i) => el("div", { class: "axis x" }, i === 0 ? `${map.xDim} ${x}` : String(x))));

  function move(event: KeyboardEvent, row: number, column: number): void {
    const steps: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };
    const step = steps[event.key];
    if (step) {
      const r = Math.min(rows - 1, Math.max(0, row + step[0])), c = Math.min(columns - 1, Math.max(0, column + step[1]));
      selectPoint(r * columns + c, true);
    } else if (event.key === "Enter" || event.key === "p") {
      const point = map.points[row * columns + column]!;
      if (!point.legal) return;
      pin(point);
      announce(t("Pinned {0}", formatValue(point.sizes)));
    } else return;
    event.preventDefault();
  }

  return [
    el("h2", {}, t("Tiles of {0} on {1}", map.key, map.target)),
    el("div", { class: "muted" }, t("estimated time, in times of the best ({0}); in force {1}", best ? formatSeconds(best.seconds) : "?", formatSeconds(map.currentSeconds)),
      " · ", t("{0} settings weighed in {1} ms", map.weighed, map.milliseconds.toFixed(1))),
    grid,
    el("div", { class: "muted legend" }, ...[`◆ ${t("best")}`, `▢ ${t("in force")}`, `▨ ${t("not legal")}`, t("arrow keys move, Enter pins")].map((text) => el("span", {}, text))),
    details,
  ];
}

function decisionsOf(decisions: Decision[]): HTMLElement {
  const body = el("tbody");
  for (const decision of decisions) {
    const pinned = decision.origin === "pinned";
    body.append(el("tr", {},
      el("td", {}, decision.kind),
      el("td", {}, el("code", {}, formatValue(decision.value))),
      el("td", {}, el("span", { class: "pill" }, pinned ? t("pinned") : decision.origin === "tuned" ? t("tuned") : t("default"))),
      el("td", {}, decision.reason, ...weighed(decision)),
      el("td", {}, el("button", {
        "aria-label": pinned ? t("Unpin {0} of {1}", decision.kind, decision.key) : t("Pin {0} of {1}", decision.kind, decision.key),
        click: () => send(pinned ? { type: "unpin", key: decision.key, kind: decision.kind } : { type: "pin", key: decision.key, kind: decision.kind, value: decision.value }),
      }, pinned ? t("Unpin") : t("Pin")))));
  }
  return el("table", {}, el("thead", {}, el("tr", {}, ...[t("Decision"), t("Value"), t("Origin"), t("Reason"), ""].map((head) => el("th", { scope: "col" }, head)))), body);
}

function weighed(decision: Decision): HTMLElement[] {
  if (!decision.weighed.length) return [];
  return [el("details", {}, el("summary", {}, t("{0} others weighed", decision.weighed.length)),
    ...decision.weighed.slice(0, 20).map((other) => el("div", { class: "muted" }, el("code", {}, formatValue(other.value)), ` ${other.reason}`)))];
}
