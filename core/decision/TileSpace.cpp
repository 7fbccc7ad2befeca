//===- TileSpace.cpp - all tiles an operation could have ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TileSpace.h"
#include "core/decision/Legality.h"
#include "core/decision/TileCandidates.h"
#include "core/estimate/Estimate.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace tilewright::decision {
namespace {

class TileMap {
public:
  TileMap(const TiledScope &scope, const target::Target &target)
      : scope(scope),
        problem(shownProblem(*scope.problem, scope.key, scope.keys)),
        target(target), placement(target.placement(placementClass(problem))),
        estimator(problem, target) {
    setting.parts = scope.parts;
    // Other tiles get what is best for them, where it is not pinned.
    setting.merge = scope.mergePinned ? scope.merge : 0;
    setting.strip = scope.stripPinned ? scope.strip : 0;
  }

  model::WhatIf run(int64_t mostPoints) {
    auto begin = std::chrono::steady_clock::now();
    model::WhatIf map;
    map.key = map.asked = scope.key;
    map.target = target.name;
    map.currentSeconds = estimate::estimateSeconds(
        problem, {scope.sizes, scope.merge, scope.parts, scope.strip}, target);
    axes = chiefDims(problem);
    if (axes.empty() || !placement)
      return map;
    map.xDim = problem.dims[axes[0]].name;
    map.xs = sizesAlong(axes[0]);
    if (axes.size() > 1) {
      map.yDim = problem.dims[axes[1]].name;
      map.ys = sizesAlong(axes[1]);
    }
    thin(map, std::max<int64_t>(mostPoints, 1));
    ResolvedTiles now = resolveTiles(problem, scope.sizes, target);
    for (int64_t y : map.ys.empty() ? std::vector<int64_t>{0} : map.ys)
      for (int64_t x : map.xs) {
        map.points.push_back(judge(x, y));
        const model::TilePoint &point = map.points.back();
        int64_t index = int64_t(map.points.size()) - 1;
        if (x == now.outer[axes[0]] &&
            (axes.size() < 2 || y == now.outer[axes[1]]))
          map.current = index;
        if (point.legal &&
            (map.best < 0 ||
             point.seconds < map.points[size_t(map.best)].seconds))
          map.best = index;
      }
    map.weighed = weighed;
    map.milliseconds = std::chrono::duration<double, std::milli>(
                           std::chrono::steady_clock::now() - begin)
                           .count();
    return map;
  }

private:
  const TiledScope &scope;
  const TileProblem problem;
  const target::Target &target;
  const target::Placement *placement;
  estimate::Estimator estimator;
  estimate::Setting setting;
  std::vector<size_t> axes; ///< x, then y
  int64_t weighed = 0;

  static bool isRegister(const target::Target &target,
                         const target::TileLevel &level) {
    const target::Level *first =
        level.levels.empty() ? nullptr : target.level(level.levels.front());
    return first && first->kind == "register";
  }

  std::vector<int64_t> sizesAlong(size_t d) const {
    std::vector<int64_t> sizes = roundSizes(problem, d, target);
    sizes.push_back(resolveTiles(problem, scope.sizes, target).outer[d]);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
  }

  /// Leaves out sizes, evenly, but never those in force or the ends.
  void thin(model::WhatIf &map, int64_t mostPoints) const {
    ResolvedTiles now = resolveTiles(problem, scope.sizes, target);
    auto points = [&] {
      return int64_t(map.xs.size() * std::max<size_t>(1, map.ys.size()));
    };
    while (points() > mostPoints) {
      bool alongX = map.xs.size() >= map.ys.size();
      std::vector<int64_t> &sizes = alongX ? map.xs : map.ys;
      if (sizes.size() <= 2)
        return;
      int64_t keep = now.outer[axes[alongX ? 0 : 1]];
      std::vector<int64_t> fewer;
      for (size_t i = 0; i < sizes.size(); ++i)
        if (i % 2 == 0 || i + 1 == sizes.size() || sizes[i] == keep)
          fewer.push_back(sizes[i]);
      if (fewer.size() == sizes.size())
        return;
      sizes = std::move(fewer);
    }
  }

  /// `size` of a dimension at every level above the registers that sizes it, or
  /// at the outermost if none does.
  void setSize(model::TileSizes &sizes, size_t d, int64_t size) const {
    const std::string &name = problem.dims[d].name;
    bool found = false;
    for (const target::TileLevel &level : placement->tileLevels) {
      if (isRegister(target, level))
        continue;
      auto at = sizes.find(level.name);
      if (at == sizes.end() || !at->second.count(name))
        continue;
      at->second[name] = size;
      found = true;
    }
    if (!found && !placement->tileLevels.empty())
      sizes[placement->tileLevels.front().name][name] = size;
  }

  /// The depths a matmul could go in: of the inner and of the outer tile.
  std::vector<Depths> depths() const {
    std::vector<Depths> result = searchedDepths(problem, target);
    if (problem.matmul) {
      ResolvedTiles now = resolveTiles(problem, scope.sizes, target);
      result.insert(result.begin(),
                    {now.inner.back(), now.outer.back(), now.stays});
    }
    return result;
  }

  void setDepth(model::TileSizes &sizes, const Depths &depth) const {
    for (const target::TileLevel &level : placement->tileLevels) {
      auto at = sizes.find(level.name);
      if (at == sizes.end() || isRegister(target, level))
        continue;
      bool innermost = true;
      for (const target::TileLevel &other : placement->tileLevels)
        if (&other > &level && sizes.count(other.name) &&
            !isRegister(target, other))
          innermost = false;
      at->second["k"] = innermost ? depth.inner : depth.outer;
      if (&level != &placement->tileLevels.front() || innermost)
        continue;
      for (size_t operand : {0, 1}) {
        std::string dim = "k#" + std::to_string(operand);
        if (depth.stays[operand])
          at->second[dim] = depth.stays[operand];
        else
          at->second.erase(dim);
      }
    }
  }

  model::TilePoint judge(int64_t x, int64_t y) {
    model::TilePoint point;
    point.x = x;
    point.y = y;
    point.sizes = scope.sizes;
    setSize(point.sizes, axes[0], x);
    if (axes.size() > 1)
      setSize(point.sizes, axes[1], y);
    double least = 0;
    model::TileSizes best;
    auto weigh = [&](const model::TileSizes &sizes) {
      ++weighed;
      ResolvedTiles tiles = resolveTiles(problem, sizes, target);
      if (!fitsLevels(problem, tiles, target, scope.budget))
        return;
      double seconds = estimator.seconds(tiles, nullptr, scope.parts);
      if (best.empty() || seconds < least)
        least = seconds, best = sizes;
    };
    if (problem.matmul) {
      ResolvedTiles tiles = resolveTiles(problem, point.sizes, target);
      bool inForce = true; // the first ones are
      for (const Depths &depth : depths()) {
        if (!std::exchange(inForce, false) &&
            !isWorthALook(depth, tiles, problem))
          continue;
        model::TileSizes sizes = point.sizes;
        setDepth(sizes, depth);
        weigh(sizes);
      }
    } else {
      weigh(point.sizes);
    }
    if (!best.empty())
      point.sizes = best;
    model::Diagnostic why;
    point.legal = isLegal(problem, point.sizes, target, why, scope.budget);
    if (!point.legal) {
      point.code = why.code;
      point.why = why.message + (why.hint.empty() ? "" : "; " + why.hint);
      return point;
    }
    setting.sizes = point.sizes;
    model::Estimate estimate =
        estimate::estimateKernel(problem, setting, target);
    point.seconds = estimate.seconds;
    point.tasks = estimate.tasks;
    point.coreUse = estimate.coreUse;
    point.bound = estimate.bound;
    return point;
  }
};

} // namespace

model::WhatIf mapTiles(const TiledScope &scope, const target::Target &target,
                       int64_t mostPoints) {
  return TileMap(scope, target).run(mostPoints);
}

} // namespace tilewright::decision
