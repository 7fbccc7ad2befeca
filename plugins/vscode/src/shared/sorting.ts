// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
export interface Order { column: string; down: boolean }

/** By one column; rows without a value come last, whichever way. Rows that are equal keep their order. */
export function sortRows<T extends { values: Map<string, string | number> }>(rows: readonly T[], order: Order): T[] {
  return [...rows].sort((a, b) => {
    const x = a.values.get(order.column), y = b.values.get(order.column);
    if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? 1 : -1;
    const less = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return order.down ? -less : less;
  });
}
