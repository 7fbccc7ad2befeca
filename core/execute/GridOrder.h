//===- GridOrder.h - in which order tasks go over a grid --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks of a grid are numbered in the order they are started in. Over the last
// two dimensions, rows and columns, that is by strips of `strip` rows, each
// gone through column by column; the last strip has the rows that are left.
// A strip of one row is the plain order of a loop nest, one of all rows goes
// column by column.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace tilewright::execute {

/// The place in `grid` of task `number`.
inline void gridPoint(std::span<const int64_t> grid, int64_t strip,
                      int64_t number, int64_t *out) {
  size_t d = grid.size();
  if (strip > 1 && d >= 2) {
    int64_t rows = grid[d - 2], columns = grid[d - 1];
    int64_t inside = number % (rows * columns);
    number /= rows * columns;
    int64_t first = inside / (strip * columns) * strip;
    int64_t high = std::min(strip, rows - first);
    inside -= first * columns;
    out[d - 2] = first + inside % high;
    out[d - 1] = inside / high;
    d -= 2;
  }
  while (d-- > 0) {
    out[d] = number % grid[d];
    number /= grid[d];
  }
}

/// The number of the task at `point`.
inline int64_t gridNumber(std::span<const int64_t> grid, int64_t strip,
                          const int64_t *point) {
  size_t rank = grid.size();
  int64_t number = 0;
  bool strips = strip > 1 && rank >= 2;
  for (size_t d = 0; d < (strips ? rank - 2 : rank); ++d)
    number = number * grid[d] + point[d];
  if (!strips)
    return number;
  int64_t rows = grid[rank - 2], columns = grid[rank - 1];
  int64_t first = point[rank - 2] / strip * strip;
  int64_t high = std::min(strip, rows - first);
  return number * rows * columns + first * columns + point[rank - 1] * high +
         (point[rank - 2] - first);
}

} // namespace tilewright::execute
