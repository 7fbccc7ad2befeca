//===- AttentionTiles.cpp - tile sizes of an attention --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/AttentionTiles.h"
#include "core/decision/TileArithmetic.h"
#include "core/decision/TileCandidates.h"
#include "core/decision/TileSearch.h"
#include <algorithm>
#include <cmath>

namespace tilewright::decision {

std::optional<double> skippedSteps(const TileProblem &problem,
                                   const model::TileSizes &sizes,
                                   const target::Target &target) {
  if (!problem.visibleKeys)
    return std::nullopt;
  ResolvedTiles tiles = resolveTiles(problem, sizes, target);
  int64_t m = 1, n = 1, rowTile = 1, keyTile = 1;
  for (size_t d = 0; d < problem.dims.size(); ++d) {
    if (problem.dims[d].extent < 0)
      continue;
    if (problem.dims[d].name == "m") {
      m = problem.dims[d].extent;
      rowTile = std::max<int64_t>(1, tiles.outer[d]);
    } else if (problem.dims[d].name == "n") {
      n = problem.dims[d].extent;
      keyTile = std::max<int64_t>(1, tiles.outer[d]);
    }
  }
  int64_t all = ceilDiv(m, rowTile) * ceilDiv(n, keyTile);
  if (keyTile >= n || all == 0) // one step, not a loop
    return 0;
  return 1 -
         double(
             countSteps(*problem.visibleKeys, m, rowTile, n, keyTile).total) /
             double(all);
}

TileChoice attentionTiles(const TileProblem &problem,
                          const target::Target &target, double budget) {
  auto position = [&](std::string_view name) {
    size_t d = 0;
    while (problem.dims[d].name != name)
      ++d;
    return d;
  };
  size_t m = position("m"), n = position("n");
  ResolvedTiles base;
  for (const Dimension &dimension : problem.dims)
    base.outer.push_back(dimension.parallel ? 1 : extentOf(dimension));
  base.inner = base.outer;
  // Rows: the queries in equal parts, and what a map of the space shows.
  int64_t queries = extentOf(problem.dims[m]);
  std::vector<int64_t> rows = searchedSizes(problem, m, target);
  for (int64_t parts = 2; parts <= 64; ++parts)
    if (queries % parts == 0)
      rows.push_back(queries / parts);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  // Of times that are alike many rows win, as keys and values are loaded less;
  // beside caches few do, whose scores do not fill the cache to its brim.
  double alike = 1.003;
  if (target.registerBlock.rows > 0) {
    std::reverse(rows.begin(), rows.end());
    alike = 1.005;
  }
  TileSearch search(problem, target, budget, alike);
  for (int64_t row : rows)
    for (int64_t keys : roundSizes(problem, n, target)) {
      ResolvedTiles tiles = base;
      tiles.outer[m] = tiles.inner[m] = row;
      tiles.outer[n] = tiles.inner[n] = keys;
      search.offer(tiles);
    }
  const WeighedTiles *best = search.run();
  if (!best) {
    TileChoice choice;
    ResolvedTiles smallest = base;
    for (size_t d : {m, n})
      smallest.outer[d] = smallest.inner[d] =
          std::min(extentOf(problem.dims[d]), tileGranule(problem, d, target));
    choice.sizes = sizesOf(smallest, problem, target);
    choice.reason = "the smallest tiles there are; none fits";
    return choice;
  }
  TileChoice choice = choiceOf(search, *best, problem, target);
  int64_t steps = ceilDiv(extentOf(problem.dims[n]), best->tiles.outer[n]);
  choice.reason =
      sizesText(best->tiles, problem) + ": " +
      gridText(*best, problem, target) + "; " + std::to_string(steps) +
      (steps == 1 ? " step" : " steps") +
      " over the keys each, of which scores, weights and result stay on chip";
  if (std::optional<double> skipped =
          skippedSteps(problem, choice.sizes, target)) {
    choice.reason += "; skips " + std::to_string(std::lround(100 * *skipped)) +
                     " % of the steps, whose keys the mask hides";
    choice.metrics.push_back(
        {"skipped steps", *skipped, "share", model::Origin::Estimated});
  }
  choice.reason += boundText(*best, problem, target);
  return choice;
}

} // namespace tilewright::decision
