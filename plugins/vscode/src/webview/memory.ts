// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies where and when in the on-chip memories: instructions to the right, addresses upwards.
import { formatBytes, shortKey } from "../shared/format";
import type { KernelMemory, MapBuffer, MapLevel, MemoryMap } from "../shared/protocol";
import { begin, el, remember, remembered, send, show, svg, t, troubleBox } from "./ui";

let kernelName = remembered({ kernel: "" }).kernel;
let map: MemoryMap | undefined;
let selected = "";

begin((message) => {
  if (message.type === "clear") show();
  if (message.type === "trouble") show(troubleBox(message.message));
  else if (message.type === "select") { selected = message.key; mark(); }
  else if (message.type === "memory") { map = message.map; draw(); }
});

// Texts keep their size: the picture is made for the room there is.
new ResizeObserver(() => {
  const now = Math.max(360, document.body.clientWidth - 40);
  if (now !== width) { width = now; draw(); }
}).observe(document.body);

function draw(): void {
  if (!map) return;
  width = Math.max(360, document.body.clientWidth - 40);
  if (!map.kernels.length) {
    show(el("div", { class: "empty" }, t("No kernel keeps a buffer on the chip of {0}", map.target)));
    return;
  }
  const kernel = map.kernels.find((item) => item.kernel === kernelName) ?? map.kernels[0]!;
  const choice = el("select", { "aria-label": t("Kernel"), change: () => { kernelName = choice.value; remember({ kernel: kernelName }); draw(); } },
    ...map.kernels.map((item) => el("option", { value: item.kernel, selected: item === kernel }, item.kernel)));
  show(el("div", { class: "bar" }, el("label", {}, t("Kernel"), choice), el("span", { class: "muted" }, `${map.pass} · ${map.target} · ${kernel.core}`)),
    el("div", { class: "scroll" }, ...kernel.levels.flatMap((level) => panel(kernel, level))));
  mark();
}

let width = 760;
const height = 210, left = 74, bottom = 26;

function panel(kernel: KernelMemory, level: MapLevel): Element[] {
  const steps = Math.max(1, kernel.steps.length);
  const top = Math.max(level.highWater, level.usable && level.highWater > level.usable / 4 ? level.usable : 0, 1) * 1.06;
  const x = (step: number) => left + (width - left - 8) * step / steps;
  const y = (bytes: number) => (height - bottom) * (1 - bytes / top);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": `${level.name}: ${level.buffers.length}` });
  picture.append(svg("rect", { class: "frame", x: left, y: 0, width: width - left - 8, height: height - bottom }));
  for (let i = 0; i <= 4; ++i) {
    const bytes = top / 1.06 * i / 4;
    picture.append(svg("text", { class: "muted", x: left - 6, y: y(bytes) + 4, "text-anchor": "end" }, formatBytes(Math.round(bytes))));
  }
  for (let i = 0; i <= 5; ++i)
    picture.append(svg("text", { class: "muted", x: x(steps * i / 5), y: height - 9, "text-anchor": "middle" }, String(Math.round(steps * i / 5))));
  for (const buffer of level.buffers) picture.append(rectangle(buffer, x, y));
  if (level.usable && level.usable <= top)
    picture.append(svg("line", { class: "limit", x1: left, x2: width - 8, y1: y(level.usable), y2: y(level.usable) }, svg("title", {}, t("usable: {0}", formatBytes(level.usable)))));
  picture.append(svg("line", { class: "high", x1: left, x2: width - 8, y1: y(level.highWater), y2: y(level.highWater) }, svg("title", {}, t("reaches {0}", formatBytes(level.highWater)))));
  const share = level.usable ? ` (${Math.round(100 * level.highWater / level.usable)} %)` : "";
  return [
    el("h2", {}, level.name),
    el("div", { class: "muted" }, t("reaches {0} of {1} usable{2}; most alive at once {3}, at instruction {4}", formatBytes(level.highWater), formatBytes(level.usable), share, formatBytes(level.peakBytes), level.peakStep + 1)),
    picture,
  ];
}

function rectangle(buffer: MapBuffer, x: (step: number) => number, y: (bytes: number) => number): SVGGElement {
  const owner = buffer.keys[0] ?? buffer.name;
  const words = `${buffer.name}: ${formatBytes(buffer.bytes)} @ ${buffer.offset}, ${buffer.used ? `${buffer.first + 1}–${buffer.last + 1}` : t("not used")}, ${buffer.keys.join(" ")}`;
  const from = x(buffer.first), to = x(buffer.last + 1), up = y(buffer.offset + buffer.bytes), down = y(buffer.offset);
  const activate = () => { if (buffer.keys.length) send({ type: "select", keys: buffer.keys, reveal: true }); };
  const group = svg("g", {
    class: `buffer fill${colourOf(owner)}`, tabindex: 0, role: "button", "aria-label": words, "data-keys": JSON.stringify(buffer.keys),
    click: activate, keydown: (event) => { if ((event as KeyboardEvent).key === "Enter") activate(); },
  }, svg("title", {}, words), svg("rect", { x: from, y: up, width: Math.max(1, to - from), height: Math.max(1, down - up) }));
  const room = Math.floor((to - from - 6) / 6.3);
  if (room >= 3 && down - up > 12) {
    const label = shortKey(buffer.name);
    group.append(svg("text", { x: from + 4, y: (up + down) / 2 + 4 }, label.length > room ? `${label.slice(0, room - 1)}…` : label));
  }
  return group;
}

/** The same colour for the same operation in every picture. */
function colourOf(text: string): number {
  let hash = 0;
  for (const c of text) hash = (hash * 31 + c.codePointAt(0)!) >>> 0;
  return hash % 8;
}

function mark(): void {
  for (const group of document.querySelectorAll(".buffer"))
    group.classList.toggle("selected", selected !== "" && (JSON.parse(group.getAttribute("data-keys")!) as string[]).includes(selected));
}
