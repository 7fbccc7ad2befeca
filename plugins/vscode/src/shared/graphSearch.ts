// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search of the server's is to the graph view.
import type { GraphPart } from "./protocol";

/** A node that a text was found in, with the ids of the groups around it, from the outside in. */
export interface FoundNode { id: string; label: string; op: string; keys: string[]; groups: string[] }

/** The nodes of `part` that were found; the others in it are the groups around them. */
export function foundNodes(part: GraphPart): FoundNode[] {
  const nodes = new Map(part.nodes.map((node) => [node.id, node]));
  const result: FoundNode[] = [];
  for (const id of part.found ?? []) {
    const node = nodes.get(id);
    if (!node) continue;
    const groups: string[] = [];
    for (let up = node.parent; nodes.has(up) && !groups.includes(up); up = nodes.get(up)!.parent) groups.unshift(up);
    result.push({ id, label: node.label || id, op: node.op, keys: node.keys, groups });
  }
  return result;
}

/** Of the nodes in which a key was found the one it is best seen at: named so, or made from it. */
export function nodeOfKey(found: FoundNode[], key: string): FoundNode | undefined {
  return found.find((node) => node.id === key) ?? found.find((node) => node.keys[0] === key) ?? found.find((node) => node.keys.includes(key));
}
