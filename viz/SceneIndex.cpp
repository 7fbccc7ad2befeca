//===- SceneIndex.cpp - what is where in a scene --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/SceneIndex.h"
#include <algorithm>
#include <cmath>

namespace tilewright::viz {

namespace {

Rect boundsOf(const Scene &scene, const SceneEdge &edge) {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool any = false;
  for (std::span<const Point> path : {scene.path(edge), scene.stubPath(edge)})
    for (const Point &p : path) {
      left = any ? std::min(left, p.x) : p.x;
      right = any ? std::max(right, p.x) : p.x;
      top = any ? std::min(top, p.y) : p.y;
      bottom = any ? std::max(bottom, p.y) : p.y;
      any = true;
    }
  return {left, top, right - left, bottom - top};
}

/// Touching counts, and so do lines without any width.
bool meet(const Rect &a, const Rect &b) {
  return a.x <= b.right() && b.x <= a.right() && a.y <= b.bottom() &&
         b.y <= a.bottom();
}

double distanceTo(Point p, Point a, Point b) {
  double dx = b.x - a.x, dy = b.y - a.y;
  double square = dx * dx + dy * dy;
  double t = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
  t = std::clamp(t, 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

double distanceTo(Point p, std::span<const Point> path) {
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i + 3 < path.size(); i += 3) {
    constexpr int steps = 12;
    Point from = path[i];
    for (int k = 1; k <= steps; ++k) {
      double t = double(k) / steps, s = 1 - t;
      double w0 = s * s * s, w1 = 3 * s * s * t, w2 = 3 * s * t * t,
             w3 = t * t * t;
      Point to{w0 * path[i].x + w1 * path[i + 1].x + w2 * path[i + 2].x +
                   w3 * path[i + 3].x,
               w0 * path[i].y + w1 * path[i + 1].y + w2 * path[i + 2].y +
                   w3 * path[i + 3].y};
      nearest = std::min(nearest, distanceTo(p, from, to));
      from = to;
    }
  }
  return nearest;
}

struct CellRange {
  uint32_t x0, x1, y0, y1; ///< inclusive
};

CellRange cellsOf(const Rect &rect, const Rect &bounds, double cell,
                  uint32_t columns, uint32_t rows) {
  auto place = [&](double at, uint32_t count) {
    double index = std::floor(at / cell);
    return static_cast<uint32_t>(std::clamp(index, 0.0, double(count - 1)));
  };
  return {place(rect.x - bounds.x, columns),
          place(rect.right() - bounds.x, columns),
          place(rect.y - bounds.y, rows),
          place(rect.bottom() - bounds.y, rows)};
}

/// Items are entered in every cell they touch, but for those that touch very
/// many: these go to the list of the extra last cell.
template <typename RectOf>
void enter(uint32_t count, RectOf rectOf, const Rect &bounds, double cell,
           uint32_t columns, uint32_t rows, std::vector<uint32_t> &start,
           std::vector<uint32_t> &items) {
  constexpr uint64_t many = 256;
  const size_t cells = size_t(columns) * rows + 1;
  start.assign(cells + 1, 0);
  std::vector<uint32_t> fill;
  for (bool counting : {true, false}) {
    for (uint32_t i = 0; i < count; ++i) {
      CellRange range = cellsOf(rectOf(i), bounds, cell, columns, rows);
      auto put = [&](size_t at) {
        if (counting)
          ++start[at + 1];
        else
          items[fill[at]++] = i;
      };
      if (uint64_t(range.x1 - range.x0 + 1) * (range.y1 - range.y0 + 1) >
          many) {
        put(cells - 1);
        continue;
      }
      for (uint32_t y = range.y0; y <= range.y1; ++y)
        for (uint32_t x = range.x0; x <= range.x1; ++x)
          put(size_t(y) * columns + x);
    }
    if (counting) {
      for (size_t c = 0; c < cells; ++c)
        start[c + 1] += start[c];
      items.resize(start[cells]);
      fill.assign(start.begin(), start.end() - 1);
    }
  }
}

template <typename Accept>
std::vector<uint32_t>
collect(const Rect &view, const Rect &bounds, double cell, uint32_t columns,
        uint32_t rows, const std::vector<uint32_t> &start,
        const std::vector<uint32_t> &items, Accept accept) {
  std::vector<uint32_t> found;
  auto add = [&](size_t at) {
    for (uint32_t i = start[at]; i < start[at + 1]; ++i)
      if (accept(items[i]))
        found.push_back(items[i]);
  };
  CellRange range = cellsOf(view, bounds, cell, columns, rows);
  for (uint32_t y = range.y0; y <= range.y1; ++y)
    for (uint32_t x = range.x0; x <= range.x1; ++x)
      add(size_t(y) * columns + x);
  add(size_t(columns) * rows);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

} // namespace

SceneIndex::SceneIndex(const Scene &scene) : scene(&scene) {
  edgeBounds.reserve(scene.edges.size());
  for (const SceneEdge &edge : scene.edges)
    edgeBounds.push_back(boundsOf(scene, edge));
  const Rect &bounds = scene.bounds;
  double items = double(scene.nodes.size() + scene.edges.size()) + 1;
  double area = std::max(1.0, bounds.width * bounds.height);
  cell = std::max(160.0, std::sqrt(area / items) * 1.5);
  // Very long and thin scenes must not make more cells than items.
  while (std::ceil(bounds.width / cell + 1) *
             std::ceil(bounds.height / cell + 1) >
         4 * items + 64)
    cell *= 1.5;
  columns = static_cast<uint32_t>(std::ceil(bounds.width / cell + 1));
  rows = static_cast<uint32_t>(std::ceil(bounds.height / cell + 1));
  enter(
      static_cast<uint32_t>(scene.nodes.size()),
      [&](uint32_t i) { return scene.nodes[i].rect; }, bounds, cell, columns,
      rows, nodeStart, nodeItems);
  enter(
      static_cast<uint32_t>(scene.edges.size()),
      [&](uint32_t i) { return edgeBounds[i]; }, bounds, cell, columns, rows,
      edgeStart, edgeItems);
}

std::vector<uint32_t> SceneIndex::nodesIn(const Rect &view) const {
  return collect(view, scene->bounds, cell, columns, rows, nodeStart, nodeItems,
                 [&](uint32_t i) { return meet(scene->nodes[i].rect, view); });
}

std::vector<uint32_t> SceneIndex::edgesIn(const Rect &view) const {
  return collect(view, scene->bounds, cell, columns, rows, edgeStart, edgeItems,
                 [&](uint32_t i) {
                   return scene->edges[i].pointCount > 0 &&
                          meet(edgeBounds[i], view);
                 });
}

int32_t SceneIndex::nodeAt(Point point) const {
  std::vector<uint32_t> found = nodesIn({point.x, point.y, 0, 0});
  return found.empty() ? -1 : static_cast<int32_t>(found.front());
}

int32_t SceneIndex::groupAt(Point point) const {
  int32_t innermost = -1;
  for (size_t i = 0; i < scene->groups.size(); ++i)
    if (scene->groups[i].rect.contains(point) &&
        (innermost < 0 ||
         scene->groups[i].depth > scene->groups[innermost].depth))
      innermost = static_cast<int32_t>(i);
  return innermost;
}

int32_t SceneIndex::edgeAt(Point point, double distance) const {
  Rect around{point.x - distance, point.y - distance, 2 * distance,
              2 * distance};
  int32_t nearest = -1;
  double least = distance;
  for (uint32_t i : edgesIn(around)) {
    double here = std::min(distanceTo(point, scene->path(scene->edges[i])),
                           distanceTo(point, scene->stubPath(scene->edges[i])));
    if (here <= least) {
      if (nearest < 0 || here < least)
        nearest = static_cast<int32_t>(i);
      least = here;
    }
  }
  return nearest;
}

} // namespace tilewright::viz
