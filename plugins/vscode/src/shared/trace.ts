// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's trace in Chrome's JSON form, as a timeline draws it.

export interface Track { name: string; bars: Bars }
/** Columns: ten thousands of bars are moved between processes and drawn at once. Times in ns from the first. */
export interface Bars { begin: number[]; end: number[]; name: number[]; keys: number[]; depth: number[] }
export interface Timeline { origin: string; tracks: Track[]; names: string[]; keys: string[][]; from: number; to: number; bars: number; left: number }

export class TraceError extends Error {}

interface ChromeEvent { ph?: unknown; ts?: unknown; dur?: unknown; pid?: unknown; tid?: unknown; name?: unknown; args?: Record<string, unknown> }

/** Reads at most `limit` bars; `left` tells how many more there were. Throws TraceError on what is no trace. */
export function readTrace(text: string, limit = 400_000): Timeline {
  let json: unknown;
  try { json = JSON.parse(text); } catch (error) { throw new TraceError(`not JSON: ${(error as Error).message}`); }
  const list = Array.isArray(json) ? json : (json as { traceEvents?: unknown } | null)?.traceEvents;
  if (!Array.isArray(list)) throw new TraceError("no list traceEvents");
  const about = (json as { otherData?: { origin?: unknown } }).otherData;
  // A trace that does not say where it is from was recorded by some other program: measured.
  const origin = typeof about?.origin === "string" ? about.origin : "measured";
  const tracks = new Map<string, { name: string; order: number; bars: Bars; stack: number[] }>();
  const names = new Numbered(), keys = new Numbered();
  const trackOf = (event: ChromeEvent) => {
    const id = `${event.pid}/${event.tid}`;
    let track = tracks.get(id);
    if (!track) {
      track = { name: `${event.tid ?? event.pid}`, order: tracks.size, bars: { begin: [], end: [], name: [], keys: [], depth: [] }, stack: [] };
      tracks.set(id, track);
    }
    return track;
  };
  const bars: { track: ReturnType<typeof trackOf>; begin: number; end: number; name: string; keys: string[] }[] = [];
  let left = 0;
  for (const event of list as ChromeEvent[]) {
    if (typeof event !== "object" || event === null) continue;
    if (event.ph === "M" && event.name === "thread_name") {
      trackOf(event).name = String(event.args?.["name"] ?? "");
    } else if (event.ph === "X") {
      const ts = Number(event.ts), dur = Number(event.dur ?? 0);
      if (!Number.isFinite(ts) || !Number.isFinite(dur) || dur < 0) continue;
      if (bars.length >= limit) { ++left; continue; }
      bars.push({ track: trackOf(event), begin: ts * 1000, end: (ts + dur) * 1000, name: String(event.name ?? ""), keys: keysOf(event.args) });
    }
  }
  bars.sort((a, b) => a.begin - b.begin || b.end - a.end);
  let from = Infinity, to = -Infinity;
  for (const bar of bars) { from = Math.min(from, bar.begin); to = Math.max(to, bar.end); }
  if (!bars.length) from = to = 0;
  for (const bar of bars) {
    const { bars: columns, stack } = bar.track;
    while (stack.length && stack[stack.length - 1]! <= bar.begin) stack.pop();
    columns.begin.push(bar.begin - from);
    columns.end.push(bar.end - from);
    columns.name.push(names.of(bar.name));
    columns.keys.push(keys.of(JSON.stringify(bar.keys)));
    columns.depth.push(stack.length);
    stack.push(bar.end);
  }
  const shown = [...tracks.values()].filter((track) => track.bars.begin.length).sort((a, b) => a.order - b.order);
  return { origin, names: names.list, keys: keys.list.map((text) => JSON.parse(text) as string[]), from: 0, to: to - from, bars: bars.length, left,
    tracks: shown.map(({ name, bars }) => ({ name, bars })) };
}

function keysOf(args: Record<string, unknown> | undefined): string[] {
  const keys = args?.["keys"];
  if (Array.isArray(keys)) return keys.filter((key): key is string => typeof key === "string");
  return typeof keys === "string" && keys ? keys.split(/,\s*/) : [];
}

class Numbered {
  readonly list: string[] = [];
  private readonly numbers = new Map<string, number>();
  of(text: string): number {
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.list.push(text) - 1;
      this.numbers.set(text, number);
    }
    return number;
  }
}
