//===- PathBuilder.h - chains of Bezier curves ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/Geometry.h"
#include <vector>

namespace tilewright::viz {

/// Builds the 1 + 3n points of a chain of cubic curves. Upright lines that
/// continue each other become one.
class PathBuilder {
public:
  void clear() { chain.clear(); }
  const std::vector<Point> &points() const { return chain; }

  void moveTo(Point point) { chain.assign(1, point); }
  void lineTo(Point point);
  void curveTo(Point control1, Point control2, Point end);
  /// Upright at both ends; a line if the end is straight below.
  void sCurveTo(Point end);
  /// A line towards `corner`, then a round turn to the direction of `next`.
  void cornerTo(Point corner, Point next);
  /// Another chain that begins where this one ends.
  void append(const std::vector<Point> &other);

private:
  std::vector<Point> chain;
};

} // namespace tilewright::viz
