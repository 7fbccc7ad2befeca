// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every view is made of: messages, words in the user's language, elements. No markup is ever
// made from texts: all goes through the DOM.
import type { FromView, ToView } from "../shared/messages";

declare function acquireVsCodeApi(): { postMessage(message: unknown): void; getState(): unknown; setState(state: unknown): void };
const host = acquireVsCodeApi();

const strings = JSON.parse(document.getElementById("strings")?.textContent ?? "{}") as Record<string, string | { message: string }>;

/** `text` in the user's language, with {0}, {1} … filled in. */
export function t(text: string, ...values: (string | number)[]): string {
  const found = strings[text];
  const words = found === undefined ? text : typeof found === "string" ? found : found.message;
  return words.replace(/\{(\d+)\}/g, (all, number: string) => String(values[Number(number)] ?? all));
}

export function send(message: FromView): void { host.postMessage(message); }

/** What the page remembers while it is hidden. */
export function remembered<T>(fallback: T): T { return (host.getState() as T | undefined) ?? fallback; }
export function remember(state: unknown): void { host.setState(state); }

type Props = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(name: K, props: Props = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  return fill(document.createElement(name), props, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(name: K, props: Props = {}, ...children: (Node | string)[]): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), props, children);
}

function fill<E extends Element>(element: E, props: Props, children: (Node | string)[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** Words for a screen reader that nobody sees. */
const live = el("div", { class: "live", "aria-live": "polite" });
export function announce(words: string): void { live.textContent = words; }

const view = document.getElementById("view")!;
const banner = el("div", { id: "banner", role: "status" });

/** Troubles stand above what is shown; only where nothing is they are the handler's. */
export function begin(handler: (message: ToView) => void): HTMLElement {
  document.body.prepend(banner);
  document.body.append(live);
  let filled = false;
  window.addEventListener("message", (event: MessageEvent<ToView>) => {
    const message = event.data;
    if (!message || typeof message.type !== "string") return;
    if (message.type === "clear") {
      filled = false;
      banner.replaceChildren();
    } else if (message.type === "trouble" && filled) {
      banner.replaceChildren(troubleBox(message.message));
      return;
    } else if (message.type !== "select") {
      filled = message.type !== "trouble";
      banner.replaceChildren();
    }
    handler(message);
  });
  send({ type: "ready" });
  return view;
}

export function show(...children: (Node | string)[]): void { view.replaceChildren(...children); }

export function troubleBox(message: string): HTMLElement { return el("div", { class: "trouble" }, message); }
