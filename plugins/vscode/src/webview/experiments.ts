// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was compiled and run before, and what differs between two of them.
import { formatValue } from "../shared/format";
import { sortRows, type Order } from "../shared/sorting";
import type { Comparison, Experiment, Metric } from "../shared/protocol";
import { announce, begin, el, send, show, t, troubleBox } from "./ui";

let experiments: Experiment[] = [];
let comparison: Comparison | undefined;
let order: Order = { column: "id", down: true };
let chosen: number[] = [];

begin((message) => {
  if (message.type === "clear") show();
  if (message.type === "trouble") show(troubleBox(message.message));
  else if (message.type === "experiments") { ({ experiments, comparison } = message); draw(); }
});

/** "best time (ms, measured)": origins are never dropped. */
function headOf(metric: Metric): string { return `${metric.name} (${metric.unit ? `${metric.unit}, ` : ""}${metric.origin})`; }

/** The same with its unit and origin in a line of their own, so that a table of many numbers stays narrow. */
function headLines(metric: Metric): (HTMLElement | string)[] {
  return [metric.name, el("br"), el("span", { class: "muted" }, metric.unit ? `${metric.unit}, ${metric.origin}` : metric.origin)];
}

function draw(): void {
  if (!experiments.length) {
    show(el("div", { class: "empty" }, t("Nothing was recorded for this source yet. A run records itself (setting tilewright.run.record).")));
    return;
  }
  const heads = new Map(experiments.flatMap((item) => item.metrics.map((metric) => [headOf(metric), headLines(metric)] as const)));
  const metrics = [...heads.keys()];
  const rows = experiments.map((item) => ({
    item, values: new Map<string, string | number>([
      ["id", item.id], [t("Time"), item.time], [t("What"), item.kind], [t("Target"), item.target], [t("Note"), item.note],
      ...item.metrics.map((metric): [string, number] => [headOf(metric), metric.value])]),
  }));
  const noted = experiments.some((item) => item.note);
  const columns = ["id", t("Time"), t("What"), t("Target"), ...(noted ? [t("Note")] : []), ...metrics];
  const compare = el("button", { class: "primary", disabled: chosen.length !== 2, click: () => send({ type: "compare", before: Math.min(...chosen), after: Math.max(...chosen) }) }, t("Compare Two"));
  const head = el("tr", {}, el("th", { scope: "col" }, ""), ...columns.map((name) => el("th", {
    scope: "col", class: metrics.includes(name) || name === "id" ? "number" : "", "aria-sort": order.column === name ? (order.down ? "descending" : "ascending") : "none",
  }, el("button", { click: () => { order = { column: name, down: order.column === name ? !order.down : metrics.includes(name) ? false : true }; draw(); } },
    ...(heads.get(name) ?? [name === "id" ? "#" : name]), order.column === name ? (order.down ? " ▾" : " ▴") : ""))));
  const body = el("tbody", {}, ...sortRows(rows, order).map(({ item, values }) => {
    const box = el("input", { type: "checkbox", checked: chosen.includes(item.id), "aria-label": t("Choose {0} to compare", item.id), change: () => {
      chosen = box.checked ? [...chosen, item.id].slice(-2) : chosen.filter((id) => id !== item.id);
      announce(t("{0} of 2 chosen", chosen.length));
      draw();
    } });
    return el("tr", { class: chosen.includes(item.id) ? "chosen" : "" }, el("td", {}, box), ...columns.map((name) => {
      const value = values.get(name);
      return el("td", { class: typeof value === "number" ? "number" : "" }, value === undefined ? "–" : typeof value === "number" && name !== "id" ? number(value) : name === t("Time") ? when(String(value)) : String(value) + (name === t("What") && !item.passed ? ` ✗` : ""));
    }));
  }));
  show(el("div", { class: "bar" }, compare, el("span", { class: "muted" }, t("{0} experiments", experiments.length))),
    el("div", { class: "scroll experiments" }, el("table", { class: "list" }, el("thead", {}, head), body), ...(comparison ? difference(comparison) : [])));
}

function number(value: number): string {
  return value === 0 ? "0" : Math.abs(value) >= 1000 || Number.isInteger(value) ? Math.round(value).toLocaleString("en").replace(/,/g, " ")
    : Math.abs(value) < 1e-3 ? value.toExponential(3) : value.toPrecision(4);
}

function when(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" });
}

function difference(two: Comparison): HTMLElement[] {
  const cell = (value: unknown, origin: string) => el("td", {}, value === null || value === undefined ? "–" : el("code", {}, formatValue(value)), " ", el("span", { class: "muted" }, origin ?? ""));
  const heads = (...names: string[]) => el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name))));
  return [
    el("h2", {}, t("{0} against {1}", two.before.id, two.after.id)),
    el("div", { class: "muted" }, `${two.sameSource ? t("same source") : t("the source differs")}, ${two.samePins ? t("same pins") : t("the pins differ")}`),
    el("table", {}, heads(t("Number"), t("Before"), t("After"), t("Change")), el("tbody", {}, ...two.metrics.map((metric) => el("tr", {},
      el("td", {}, `${metric.name}${metric.unit ? ` (${metric.unit})` : ""}`),
      el("td", { class: "number" }, metric.before === null ? "–" : `${number(metric.before)} `, el("span", { class: "muted" }, metric.beforeOrigin)),
      el("td", { class: "number" }, metric.after === null ? "–" : `${number(metric.after)} `, el("span", { class: "muted" }, metric.afterOrigin)),
      el("td", { class: "number" }, metric.before && metric.after !== null ? `${metric.after >= metric.before ? "+" : ""}${(100 * (metric.after / metric.before - 1)).toFixed(1)} %` : ""))))),
    ...(two.decisions.length ? [el("table", {}, heads(t("Operation"), t("Decision"), t("Before"), t("After")), el("tbody", {}, ...two.decisions.map((decision) =>
      el("tr", {}, el("td", {}, decision.key), el("td", {}, decision.kind), cell(decision.before, decision.beforeOrigin), cell(decision.after, decision.afterOrigin)))))]
      : [el("p", { class: "muted" }, t("No decision differs"))]),
  ];
}
