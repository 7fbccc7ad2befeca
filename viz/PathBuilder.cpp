//===- PathBuilder.cpp - chains of Bezier curves --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/PathBuilder.h"
#include <algorithm>
#include <cmath>

namespace tilewright::viz {

namespace {
constexpr double tiny = 0.01;
constexpr double cornerRadius = 8;

Point between(Point a, Point b, double share) {
  return {a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
}
} // namespace

void PathBuilder::lineTo(Point point) {
  Point from = chain.back();
  if (std::abs(point.x - from.x) < tiny && std::abs(point.y - from.y) < tiny)
    return;
  if (chain.size() >= 4) {
    Point before = chain[chain.size() - 4];
    Point control = chain[chain.size() - 3];
    bool upright = std::abs(before.x - from.x) < tiny &&
                   std::abs(control.x - from.x) < tiny &&
                   std::abs(point.x - from.x) < tiny;
    if (upright && (point.y > from.y) == (from.y > before.y)) {
      chain.resize(chain.size() - 3);
      from = before;
    }
  }
  curveTo(between(from, point, 1.0 / 3), between(from, point, 2.0 / 3), point);
}

void PathBuilder::curveTo(Point control1, Point control2, Point end) {
  chain.push_back(control1);
  chain.push_back(control2);
  chain.push_back(end);
}

void PathBuilder::sCurveTo(Point end) {
  Point from = chain.back();
  if (std::abs(end.x - from.x) < tiny) {
    lineTo(end);
    return;
  }
  double middle = (from.y + end.y) / 2;
  curveTo({from.x, middle}, {end.x, middle}, end);
}

void PathBuilder::cornerTo(Point corner, Point next) {
  Point from = chain.back();
  auto length = [](Point a, Point b) {
    return std::hypot(a.x - b.x, a.y - b.y);
  };
  double before = length(from, corner), after = length(corner, next);
  double radius = std::min({cornerRadius, before, after / 2});
  if (before > tiny)
    lineTo(between(corner, from, radius / before));
  if (after < tiny)
    return;
  Point end = between(corner, next, radius / after);
  Point start = chain.back();
  curveTo(between(start, corner, 0.55), between(end, corner, 0.55), end);
}

void PathBuilder::append(const std::vector<Point> &other) {
  if (other.empty())
    return;
  if (chain.empty()) {
    chain = other;
    return;
  }
  // The pieces meet at a port; a line goes on through it.
  size_t at = 1;
  if (other.size() >= 4) {
    bool straight = std::abs(other[0].x - other[3].x) < tiny &&
                    std::abs(other[0].x - other[1].x) < tiny;
    if (straight) {
      lineTo(other[3]);
      at = 4;
    }
  }
  chain.insert(chain.end(), other.begin() + at, other.end());
}

} // namespace tilewright::viz
