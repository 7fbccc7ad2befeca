//===- RowTiles.cpp - tile sizes of elementwise code and of rows ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TileArithmetic.h"
#include "core/decision/TileCandidates.h"
#include "core/decision/TileSearch.h"
#include <algorithm>

namespace tilewright::decision {

TileChoice rowTiles(const TileProblem &problem, const target::Target &target,
                    double budget) {
  size_t rank = problem.dims.size();
  // Rows are whole, other dimensions single, but for those that decide most.
  ResolvedTiles base;
  for (const Dimension &dimension : problem.dims)
    base.outer.push_back(dimension.parallel ? 1 : extentOf(dimension));
  base.inner = base.outer;
  TileSearch search(problem, target, budget, 1.01);
  auto offer = [&](const ResolvedTiles &tiles) { search.offer(tiles); };
  auto set = [](ResolvedTiles &tiles, size_t d, int64_t size) {
    tiles.outer[d] = tiles.inner[d] = size;
  };
  std::vector<size_t> chief = chiefDims(problem);
  if (chief.empty()) {
    offer(base);
  } else {
    // The innermost dimension last: of equal times long rows win.
    std::vector<int64_t> outer = chief.size() > 1
                                     ? searchedSizes(problem, chief[1], target)
                                     : std::vector<int64_t>{1};
    for (int64_t inner : searchedSizes(problem, chief[0], target))
      for (int64_t size : outer) {
        ResolvedTiles tiles = base;
        if (chief.size() > 1)
          set(tiles, chief[1], size);
        set(tiles, chief[0], inner);
        offer(tiles);
      }
    // Where both are whole, those outside them grow.
    ResolvedTiles whole = base;
    for (size_t d : chief)
      set(whole, d, extentOf(problem.dims[d]));
    for (size_t d = chief.back(); d-- > 0;) {
      if (!problem.dims[d].parallel)
        continue;
      ResolvedTiles tiles = whole;
      for (int64_t size : searchedSizes(problem, d, target)) {
        if (size == 1)
          continue;
        set(tiles, d, size);
        offer(tiles);
      }
      set(whole, d, extentOf(problem.dims[d]));
    }
  }
  const WeighedTiles *best = search.run();
  WeighedTiles smallest;
  if (!best) {
    // allocate-onchip reports the figures.
    smallest.tiles = base;
    for (size_t d : chief)
      set(smallest.tiles, d, 1);
    TileChoice choice;
    choice.sizes = sizesOf(smallest.tiles, problem, target);
    choice.reason = "the smallest tiles there are; none fits";
    return choice;
  }
  TileChoice choice = choiceOf(search, *best, problem, target);
  std::string text = sizesText(best->tiles, problem);
  if (text.empty())
    text = "one task: every element depends on all";
  std::string pieces;
  for (size_t d = 0; d < rank; ++d)
    if (!problem.dims[d].parallel &&
        best->tiles.outer[d] < extentOf(problem.dims[d]))
      pieces += " " + problem.dims[d].name + "=" +
                std::to_string(best->tiles.outer[d]);
  if (!pieces.empty())
    text += "; a row is gone through in pieces of" + pieces;
  choice.reason = text + ": " + gridText(*best, problem, target) +
                  boundText(*best, problem, target);
  return choice;
}

} // namespace tilewright::decision
