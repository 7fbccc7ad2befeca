//===- Geometry.h - points and rectangles -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

namespace tilewright::viz {

/// Device independent pixels, x to the right, y down.
struct Point {
  double x = 0;
  double y = 0;
  friend bool operator==(const Point &, const Point &) = default;
};

struct Rect {
  double x = 0; ///< left
  double y = 0; ///< top
  double width = 0;
  double height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point center() const { return {x + width / 2, y + height / 2}; }
  bool contains(Point p) const {
    return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom();
  }
  /// Touching borders do not intersect.
  bool intersects(const Rect &other) const {
    return x < other.right() && other.x < right() && y < other.bottom() &&
           other.y < bottom();
  }
  friend bool operator==(const Rect &, const Rect &) = default;
};

} // namespace tilewright::viz
