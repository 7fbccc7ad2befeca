//===- TileSpace.cpp - all tiles an operation could have ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TileSpace.h"
#include "core/decision/Legality.h"
#include "core/estimate/Estimate.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

namespace tilewright::decision {
namespace {

class TileMap {
public:
  TileMap(const TiledScope &scope, const target::Target &target)
      : scope(scope), problem(*scope.problem), target(target),
        placement(target.placement(placementClass(problem))) {
    setting.parts = scope.parts;
    setting.merge = 0; // what it would be for other tiles is not known
  }

  model::WhatIf run(int64_t mostPoints) {
    auto begin = std::chrono::steady_clock::now();
    model::WhatIf map;
    map.key = map.asked = scope.key;
    map.target = target.name;
    setting.sizes = scope.sizes;
    map.currentSeconds = estimate::estimateSeconds(problem, setting, target);
    chooseAxes();
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
  const TileProblem &problem;
  const target::Target &target;
  const target::Placement *placement;
  estimate::Setting setting;
  std::vector<size_t> axes; ///< x, then y
  int64_t weighed = 0;

  static bool isRegister(const target::Target &target,
                         const target::TileLevel &level) {
    const target::Level *first =
        level.levels.empty() ? nullptr : target.level(level.levels.front());
    return first && first->kind == "register";
  }

  void chooseAxes() {
    auto position = [&](const char *name) {
      for (size_t d = 0; d < problem.dims.size(); ++d)
        if (problem.dims[d].name == name)
          return d;
      return problem.dims.size();
    };
    if (problem.matmul || problem.attention) {
      axes = {position("n"), position("m")};
      std::erase(axes, problem.dims.size());
      return;
    }
    // Long rows are cut where they may be, else what is free.
    for (size_t d = problem.dims.size(); d-- > 0 && axes.size() < 2;) {
      const Dimension &dimension = problem.dims[d];
      if (dimension.extent != 1 &&
          (dimension.parallel || problem.sequentialRows))
        axes.push_back(d);
    }
  }

  int64_t granuleOf(size_t d) const {
    const std::string &name = problem.dims[d].name;
    if (problem.matmul) {
      if (target.registerBlock.rows && !readsInPlace(problem, target))
        return name == "m"   ? target.registerBlock.rows
               : name == "n" ? target.registerBlock.columns
                             : 1;
      if (const target::ComputeRate *rate =
              target.rate("matmul", problem.dtype))
        return name == "m"   ? rate->granule[0]
               : name == "n" ? rate->granule[1]
                             : rate->granule[2];
    }
    if (problem.attention && target.registerBlock.rows)
      return name == "m" ? target.registerBlock.rows
                         : target.registerBlock.columns;
    return 1;
  }

  std::vector<int64_t> sizesAlong(size_t d) const {
    int64_t extent = problem.dims[d].extent;
    int64_t granule = granuleOf(d);
    int64_t most = extent > 0 ? extent : 4096;
    std::set<int64_t> sizes;
    for (int64_t size = granule; size < most; size *= 2) {
      sizes.insert(size);
      if (size * 3 / 2 % granule == 0 && size * 3 / 2 < most)
        sizes.insert(size * 3 / 2);
    }
    if (extent > 0)
      sizes.insert(extent);
    ResolvedTiles now = resolveTiles(problem, scope.sizes, target);
    sizes.insert(now.outer[d]);
    return {sizes.begin(), sizes.end()};
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
  std::vector<std::pair<int64_t, int64_t>> depths() const {
    std::vector<std::pair<int64_t, int64_t>> result;
    if (!problem.matmul)
      return result;
    size_t d = problem.dims.size() - 1;
    int64_t extent = problem.dims[d].extent > 0 ? problem.dims[d].extent : 4096;
    int64_t granule = granuleOf(d);
    ResolvedTiles now = resolveTiles(problem, scope.sizes, target);
    result.emplace_back(now.inner[d], now.outer[d]);
    bool piped = !target.registerBlock.rows;
    int64_t least = piped ? granule : std::max<int64_t>(granule, 64);
    for (int64_t inner = std::min(least, extent);; inner *= 2) {
      inner = std::min(inner, extent);
      for (int64_t times = 1; times <= (piped ? 8 : 1); times *= 2)
        if (times == 1 || inner * times / 2 < extent)
          result.emplace_back(inner, std::min(inner * times, extent));
      if (inner >= extent || inner >= 1024)
        break;
    }
    return result;
  }

  void setDepth(model::TileSizes &sizes,
                const std::pair<int64_t, int64_t> &depth) const {
    for (const target::TileLevel &level : placement->tileLevels) {
      auto at = sizes.find(level.name);
      if (at == sizes.end() || isRegister(target, level))
        continue;
      bool innermost = true;
      for (const target::TileLevel &other : placement->tileLevels)
        if (&other > &level && sizes.count(other.name) &&
            !isRegister(target, other))
          innermost = false;
      at->second["k"] = innermost ? depth.first : depth.second;
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
      if (!fitsLevels(problem, sizes, target))
        return;
      setting.sizes = sizes;
      double seconds = estimate::estimateSeconds(problem, setting, target);
      if (best.empty() || seconds < least)
        least = seconds, best = sizes;
    };
    if (problem.matmul) {
      for (const auto &depth : depths()) {
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
    point.legal = isLegal(problem, point.sizes, target, why);
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
