// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers and decisions as a person reads them. Neither VS Code nor the DOM is known here.
import type { TileSizes } from "./protocol";

/** "12.3 µs": three digits, with the unit that fits. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return "?";
  if (seconds === 0) return "0 s";
  for (const [unit, scale] of [["s", 1], ["ms", 1e3], ["µs", 1e6]] as const)
    if (seconds * scale >= 0.9995) return `${digits(seconds * scale)} ${unit}`;
  return `${digits(seconds * 1e9)} ns`;
}

function digits(value: number): string {
  return value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

export function formatBytes(bytes: number): string {
  for (const [unit, scale] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]] as const)
    if (bytes >= scale) return `${+(bytes / scale).toFixed(1)} ${unit}`;
  return `${bytes} B`;
}

export function isTileSizes(value: unknown): value is TileSizes {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.values(value).every((sizes) => typeof sizes === "object" && sizes !== null && !Array.isArray(sizes) &&
      Object.values(sizes).every((size) => typeof size === "number"));
}

/** A decision's value as the command line takes it: "L1.m=128 L0.k=64", "2", …; other forms as JSON. */
export function formatValue(value: unknown): string {
  if (isTileSizes(value))
    return Object.entries(value).flatMap(([level, sizes]) =>
      Object.entries(sizes).map(([name, size]) => `${level}.${name}=${size}`)).join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** "gate" of "ffn/gate": what a list shows beside the whole key. */
export function shortKey(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

/** Text for Markdown that shows exactly these letters. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&]/g, "\\$&");
}
