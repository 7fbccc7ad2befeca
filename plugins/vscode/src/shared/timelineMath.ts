// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bars a window of time shows, and how it moves. Times in ns.
import type { Bars } from "./trace";

export class TimeWindow {
  constructor(readonly from: number, readonly to: number) {}

  zoomed(factor: number, at: number, end: number): TimeWindow {
    const span = Math.min(end * 1.2, Math.max(20, (this.to - this.from) / factor));
    const from = at - (at - this.from) * span / (this.to - this.from);
    return new TimeWindow(from, from + span).kept(end);
  }

  moved(by: number, end: number): TimeWindow { return new TimeWindow(this.from + by, this.to + by).kept(end); }

  /** Moved, and widened where needed, so that this can be seen. */
  showing(begin: number, stop: number, end: number): TimeWindow {
    const span = Math.max(this.to - this.from, (stop - begin) * 1.1);
    if (begin >= this.from && stop <= this.to) return this;
    return new TimeWindow((begin + stop) / 2 - span / 2, (begin + stop) / 2 + span / 2).kept(end);
  }

  /** Round times, about `count` of them. */
  ticks(count: number): number[] {
    const rough = (this.to - this.from) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 10 * power;
    const result: number[] = [];
    for (let time = Math.ceil(this.from / step) * step; time <= this.to && result.length < 1000; time += step) result.push(time);
    return result;
  }

  /** Never wholly beside what there is. */
  private kept(end: number): TimeWindow {
    const span = this.to - this.from, slack = span * 0.1;
    const from = Math.min(Math.max(this.from, -slack), Math.max(-slack, end + slack - span));
    return new TimeWindow(from, from + span);
  }
}

/** The bars, by begin, that may be seen between two times: first, and one past the last. Bars nest, so
 *  one that begins before `from` and covers it is among the ones around the last that begins before it. */
export function barsIn(bars: Bars, from: number, to: number): [number, number] {
  let first = lowerBound(bars.begin, from);
  while (first > 0 && (bars.end[first - 1]! >= from || bars.depth[first - 1]! > 0)) --first;
  return [first, lowerBound(bars.begin, to, true)];
}

/** The innermost bar at a time, or one that is at most `slack` beside it; -1 if there is none. */
export function barAt(bars: Bars, time: number, slack: number): number {
  const [first, last] = barsIn(bars, time - slack, time + slack);
  let best = -1, least = Infinity;
  for (let i = first; i < last; ++i) {
    const beside = time < bars.begin[i]! ? bars.begin[i]! - time : time > bars.end[i]! ? time - bars.end[i]! : 0;
    if (beside <= slack && (beside < least || (beside === least && bars.depth[i]! >= bars.depth[best]!))) { least = beside; best = i; }
  }
  return best;
}

function lowerBound(sorted: number[], value: number, upper = false): number {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value || (upper && sorted[middle]! === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
