//===- MatmulTiles.cpp - tile sizes of a matmul ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TileArithmetic.h"
#include "core/decision/TileCandidates.h"
#include "core/decision/TileSearch.h"
#include <algorithm>

namespace tilewright::decision {
namespace {

class MatmulSearch {
public:
  MatmulSearch(const TileProblem &problem, const target::Target &target,
               double budget)
      : problem(problem), target(target), m(problem.dims.size() - 3),
        search(problem, target, budget) {}

  TileChoice run() {
    bool inPlace = readsInPlace(problem, target);
    std::vector<Depths> depths;
    int64_t whole = extentOf(problem.dims[m + 2]);
    if (inPlace)
      depths = {{whole, whole, {}}};
    else
      depths = searchedDepths(problem, target);
    search.weighDepths(depths);
    std::vector<int64_t> rows = sizes(m), columns = sizes(m + 1);
    // Of about equal times, long rows of the result win.
    for (int64_t column : columns)
      for (int64_t row : rows)
        search.offer(
            tilesOf(row, column, depths.front().inner, depths.front().outer));
    const WeighedTiles *best = search.run();
    if (!best) {
      // allocate-onchip reports the figures.
      TileChoice choice;
      choice.sizes =
          sizesOf(tilesOf(rows.front(), columns.front(), depths.front().inner,
                          depths.front().inner),
                  problem, target);
      choice.reason = "the smallest tiles there are; none fits";
      return choice;
    }
    TileChoice choice = choiceOf(search, *best, problem, target);
    choice.reason = sizesText(best->tiles, problem) + ": " +
                    gridText(*best, problem, target) + depthText(*best) +
                    boundText(*best, problem, target);
    return choice;
  }

private:
  std::vector<int64_t> sizes(size_t d) const {
    return searchedSizes(problem, d, target);
  }

  ResolvedTiles tilesOf(int64_t rows, int64_t columns, int64_t inner,
                        int64_t outer) const {
    ResolvedTiles tiles;
    tiles.outer.assign(problem.dims.size(), 1);
    tiles.inner = tiles.outer;
    auto set = [&](size_t d, int64_t outside, int64_t inside) {
      tiles.outer[d] = outside;
      tiles.inner[d] = inside;
    };
    set(m, rows, rows);
    set(m + 1, columns, columns);
    set(m + 2, outer, inner);
    return tiles;
  }

  /// Why this depth, and what stays on chip.
  std::string depthText(const WeighedTiles &best) const {
    if (readsInPlace(problem, target)) {
      bool column = problem.dims[m + 1].extent == 1;
      return "; operands are read where they lie, as each element is used " +
             (column ? std::string("once")
                     : "at most " + std::to_string(extentOf(problem.dims[m])) +
                           " times");
    }
    int64_t inner = best.tiles.inner[m + 2], outer = best.tiles.outer[m + 2];
    std::string text = "; k=" + std::to_string(inner);
    if (target.registerBlock.rows)
      return text + ": a panel of it stays in the first cache";
    text += " of " + std::to_string(outer);
    for (size_t operand : {0, 1})
      if (int64_t depth = best.tiles.stays[operand]; depth > outer)
        text += std::string("; the ") + (operand ? "right" : "left") +
                " operand stays in " +
                target.placement("matmul")->tileLevels.front().name +
                (depth >= extentOf(problem.dims[m + 2])
                     ? ", all of its k=" + std::to_string(depth)
                     : ", k=" + std::to_string(depth) + " at a time") +
                ", while the other one passes";
    return text;
  }

  const TileProblem &problem;
  const target::Target &target;
  size_t m; ///< position of m; n and k follow
  TileSearch search;
};

} // namespace

TileChoice matmulTiles(const TileProblem &problem, const target::Target &target,
                       double budget) {
  return MatmulSearch(problem, target, budget).run();
}

} // namespace tilewright::decision
