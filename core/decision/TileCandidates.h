//===- TileCandidates.h - sizes that tiles may have -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the search for a default goes through and what a map of the tile space
// shows are the same sizes: the map shows no point that the search left out.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include <vector>

namespace tilewright::decision {

/// The dimensions whose sizes decide most, chief one first: n and m of a matmul
/// or an attention, else the last two that are cut.
std::vector<size_t> chiefDims(const TileProblem &problem);

/// Sizes of dimension `d` are multiples of this: what the machine computes at a
/// time.
int64_t tileGranule(const TileProblem &problem, size_t d,
                    const target::Target &target);

/// Multiples of the granule with ratios of 4/3 and 3/2 from one to the next,
/// and the whole extent. Ascending.
std::vector<int64_t> roundSizes(const TileProblem &problem, size_t d,
                                const target::Target &target);

/// Those, and equal parts of the extent in whole granules. Ascending.
std::vector<int64_t> searchedSizes(const TileProblem &problem, size_t d,
                                   const target::Target &target);

/// How a matmul goes through its depth.
struct Depths {
  int64_t inner = 1, outer = 1;   ///< of the inner and of the outer tile
  std::array<int64_t, 2> stays{}; ///< as in ResolvedTiles
};
void setDepths(ResolvedTiles &tiles, const Depths &depths);

/// Whether `depths` are to be weighed for `tiles`: an operand stays by default
/// only where it is whole in a tile, and so the same for all tasks.
bool isWorthALook(const Depths &depths, const ResolvedTiles &tiles,
                  const TileProblem &problem);

/// The depths a matmul may go in. The first needs least room.
std::vector<Depths> searchedDepths(const TileProblem &problem,
                                   const target::Target &target);

} // namespace tilewright::decision
