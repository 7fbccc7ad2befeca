// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the extension and its views say to each other.
import type { FoundNode } from "./graphSearch";
import type { Comparison, Decision, Experiment, GraphPicture, MemoryMap, WhatIf } from "./protocol";
import type { Timeline } from "./trace";

/** To a view. */
export type ToView =
  /** Why there is nothing newer; what is shown stays. */
  | { type: "trouble"; message: string }
  /** Another source: what is shown is of no use. */
  | { type: "clear" }
  | { type: "select"; key: string; reveal: boolean }
  | { type: "graph"; picture: GraphPicture; stages: string[]; stage: string; title: string }
  /** The first of `count` nodes in which `text` was found. */
  | { type: "found"; text: string; count: number; nodes: FoundNode[] }
  /** Where the node of a key is that is not drawn: the groups around it, from the outside in. */
  | { type: "located"; key: string; groups: string[] }
  | { type: "tiling"; map: WhatIf | undefined; keys: string[]; key: string; decisions: Decision[]; explanation: string; pins: string; trouble: string }
  | { type: "memory"; map: MemoryMap }
  | { type: "timeline"; timeline: Timeline; title: string; milliseconds: number }
  | { type: "experiments"; experiments: Experiment[]; comparison: Comparison | undefined };

/** From a view. */
export type FromView =
  | { type: "ready" }
  | { type: "select"; keys: string[]; reveal: boolean }
  | { type: "stage"; stage: string }
  | { type: "fold"; id: string; open: boolean; reset?: boolean }
  | { type: "size"; width: number; height: number }
  | { type: "find"; text: string }
  | { type: "locate"; key: string }
  | { type: "ask"; key: string }
  | { type: "pin"; key: string; kind: string; value: unknown }
  | { type: "unpin"; key: string; kind: string }
  | { type: "compare"; before: number; after: number }
  | { type: "run" };

const kinds: Record<FromView["type"], Record<string, string>> = {
  ready: {}, run: {},
  select: { keys: "object", reveal: "boolean" },
  stage: { stage: "string" },
  fold: { id: "string", open: "boolean" },
  size: { width: "number", height: "number" },
  find: { text: "string" },
  locate: { key: "string" },
  ask: { key: "string" },
  pin: { key: "string", kind: "string", value: "any" },
  unpin: { key: "string", kind: "string" },
  compare: { before: "number", after: "number" },
};

/** A view's message, or undefined if it is none: what comes from a page is not believed. */
export function readMessage(value: unknown): FromView | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const message = value as Record<string, unknown>;
  const type = message["type"];
  if (typeof type !== "string" || !Object.hasOwn(kinds, type)) return undefined;
  for (const [field, kind] of Object.entries(kinds[type as FromView["type"]]))
    if (kind === "any" ? !(field in message) : typeof message[field] !== kind) return undefined;
  if (type === "select" && !(Array.isArray(message["keys"]) && message["keys"].every((key) => typeof key === "string"))) return undefined;
  return message as unknown as FromView;
}
