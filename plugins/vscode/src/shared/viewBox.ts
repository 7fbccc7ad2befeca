// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/** The part of a picture that is looked at. */
export class ViewBox {
  constructor(readonly x: number, readonly y: number, readonly width: number, readonly height: number) {}

  /** `factor` > 1 comes nearer, to the point that stays in place; from a fiftieth to four times `whole`. */
  zoomed(factor: number, x: number, y: number, whole: ViewBox): ViewBox {
    const width = Math.min(whole.width * 4, Math.max(whole.width / 50, this.width / factor));
    const scale = width / this.width;
    return new ViewBox(x - (x - this.x) * scale, y - (y - this.y) * scale, width, this.height * scale);
  }

  moved(dx: number, dy: number): ViewBox { return new ViewBox(this.x + dx, this.y + dy, this.width, this.height); }

  centered(x: number, y: number): ViewBox { return new ViewBox(x - this.width / 2, y - this.height / 2, this.width, this.height); }

  toString(): string { return [this.x, this.y, this.width, this.height].map((n) => +n.toFixed(2)).join(" "); }
}
