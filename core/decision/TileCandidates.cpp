//===- TileCandidates.cpp - sizes that tiles may have ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TileCandidates.h"
#include "core/decision/TileArithmetic.h"
#include <algorithm>
#include <set>

namespace tilewright::decision {

/// Of a size only known at run time, tiles are at most so large.
constexpr int64_t mostUnknown = 4096;

std::vector<size_t> chiefDims(const TileProblem &problem) {
  std::vector<size_t> dims;
  if (problem.matmul || problem.attention) {
    for (const char *name : {"n", "m"})
      for (size_t d = 0; d < problem.dims.size(); ++d)
        if (problem.dims[d].name == name)
          dims.push_back(d);
    return dims;
  }
  // Long rows are cut where they may be, else what is free.
  for (size_t d = problem.dims.size(); d-- > 0 && dims.size() < 2;) {
    const Dimension &dimension = problem.dims[d];
    if (dimension.extent != 1 && (dimension.parallel || problem.sequentialRows))
      dims.push_back(d);
  }
  return dims;
}

int64_t tileGranule(const TileProblem &problem, size_t d,
                    const target::Target &target) {
  const std::string &name = problem.dims[d].name;
  if (problem.matmul) {
    if (target.registerBlock.rows && !readsInPlace(problem, target))
      return name == "m"   ? target.blockFor(problem.dtype).rows
             : name == "n" ? target.blockFor(problem.dtype).columns
                           : 1;
    if (const target::ComputeRate *rate = target.rate("matmul", problem.dtype))
      return std::max<int64_t>(1, name == "m"   ? rate->granule[0]
                                  : name == "n" ? rate->granule[1]
                                                : rate->granule[2]);
  }
  if (problem.attention && target.registerBlock.rows)
    return name == "m" ? target.registerBlock.rows
                       : target.registerBlock.columns;
  return 1;
}

static std::set<int64_t> roundSet(const TileProblem &problem, size_t d,
                                  const target::Target &target) {
  int64_t extent = problem.dims[d].extent;
  int64_t granule = tileGranule(problem, d, target);
  int64_t most = extent > 0 ? extent : mostUnknown;
  std::set<int64_t> sizes;
  for (int64_t size = granule; size < most; size *= 2) {
    sizes.insert(size);
    if (size * 3 / 2 % granule == 0 && size * 3 / 2 < most)
      sizes.insert(size * 3 / 2);
  }
  if (extent > 0)
    sizes.insert(extent);
  if (sizes.empty())
    sizes.insert(granule);
  return sizes;
}

std::vector<int64_t> roundSizes(const TileProblem &problem, size_t d,
                                const target::Target &target) {
  std::set<int64_t> sizes = roundSet(problem, d, target);
  return {sizes.begin(), sizes.end()};
}

std::vector<int64_t> searchedSizes(const TileProblem &problem, size_t d,
                                   const target::Target &target) {
  std::set<int64_t> sizes = roundSet(problem, d, target);
  int64_t granule = tileGranule(problem, d, target);
  int64_t extent = extentOf(problem.dims[d]);
  constexpr int64_t mostParts = 16;
  // Rows are cut into whole vectors.
  if (!problem.matmul && !problem.attention && d + 1 == problem.dims.size() &&
      extent > 1024)
    granule = 64;
  for (int64_t parts = 2; parts <= mostParts; ++parts)
    sizes.insert(std::min(extent, roundUp(ceilDiv(extent, parts), granule)));
  return {sizes.begin(), sizes.end()};
}

void setDepths(ResolvedTiles &tiles, const Depths &depths) {
  tiles.inner.back() = depths.inner;
  tiles.outer.back() = depths.outer;
  tiles.stays = depths.stays;
}

bool isWorthALook(const Depths &depths, const ResolvedTiles &tiles,
                  const TileProblem &problem) {
  size_t m = problem.dims.size() - 3;
  for (size_t operand : {0, 1})
    if (depths.stays[operand])
      return problem.dims[m + operand].extent > 0 &&
             tiles.outer[m + operand] >= problem.dims[m + operand].extent;
  return true;
}

std::vector<Depths> searchedDepths(const TileProblem &problem,
                                   const target::Target &target) {
  std::vector<Depths> depths;
  if (!problem.matmul)
    return depths;
  size_t d = problem.dims.size() - 1;
  int64_t extent =
      problem.dims[d].extent > 0 ? problem.dims[d].extent : mostUnknown;
  int64_t granule = tileGranule(problem, d, target);
  if (target.registerBlock.rows) {
    // Even parts: the last one is as deep as the others.
    constexpr int64_t least = 64, most = 1024;
    int64_t last = 0;
    for (int64_t parts = 1; parts <= ceilDiv(extent, least); ++parts) {
      int64_t depth = std::min(
          extent, roundUp(ceilDiv(extent, parts),
                          roundUp(8, target.blockFor(problem.dtype).multiple)));
      if (depth > most || depth == last || (last && last - depth < depth / 5))
        continue;
      last = depth;
      depths.push_back({depth, depth, {}});
      if (depth <= least)
        break;
    }
    if (depths.empty())
      depths.push_back({std::min(extent, most), std::min(extent, most), {}});
    std::reverse(depths.begin(), depths.end());
    return depths;
  }
  bool stay = target.operandPath("matmul", 0).size() > 2 &&
              target.operandPath("matmul", 1).size() > 2;
  // Powers of two of granules: they divide what is outside them.
  for (int64_t inner = std::min(granule, extent);; inner *= 2) {
    inner = std::min(inner, extent);
    for (int64_t times : {1, 2, 3, 4, 6, 8}) {
      if (times > 1 && inner * (times - 1) >= extent)
        continue;
      int64_t outer = std::min(inner * times, extent);
      depths.push_back({inner, outer, {}});
      // One operand stays, all of it, while the other one passes.
      if (problem.dims[d].extent > 0 && outer < extent && stay) {
        depths.push_back({inner, outer, {extent, 0}});
        depths.push_back({inner, outer, {0, extent}});
      }
    }
    if (inner * 8 < extent)
      depths.push_back({inner, extent, {}});
    if (inner >= extent || inner >= 1024)
      break;
  }
  return depths;
}

} // namespace tilewright::decision
