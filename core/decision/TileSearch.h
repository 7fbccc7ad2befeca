//===- TileSearch.h - the tiles that are estimated fastest ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileCandidates.h"
#include "core/decision/TileProblem.h"
#include "core/estimate/Estimate.h"
#include <string>
#include <vector>

namespace tilewright::decision {

/// Tiles that were estimated.
struct WeighedTiles {
  ResolvedTiles tiles;
  TaskSchedule schedule;
  double seconds = 0;
};

/// Goes through the legal tiles of a problem with the estimate as objective.
/// Sizes of the parallel dimensions that cannot beat the best found are left
/// out whatever the others are (Estimator::leastSeconds), which changes nothing
/// of the result.
class TileSearch {
public:
  /// Times that differ by less than the factor `alike` are alike.
  TileSearch(const TileProblem &problem, const target::Target &target,
             double budget, double alike = 1.003);

  /// Depths, those that need least room first, that each tile of a matmul is
  /// weighed with.
  void weighDepths(std::vector<Depths> all) { depths = std::move(all); }

  /// Tiles to weigh. They are left out if they do not fit even with the least
  /// depths.
  void offer(ResolvedTiles tiles);

  /// Estimates what was offered. Null if nothing of it fits. Of times
  /// that are alike what was offered last wins.
  const WeighedTiles *run();

  /// The nearest rivals of the best: the best tiles of other sizes of parallel
  /// dimensions.
  std::vector<WeighedTiles> rivals(size_t most) const;

private:
  const TileProblem &problem;
  const target::Target &target;
  double budget, alike;
  estimate::Estimator estimator;
  struct Offer {
    double least = 0;
    size_t number = 0;
    ResolvedTiles tiles;
  };
  std::vector<Depths> depths;
  std::vector<Offer> offers;
  std::vector<WeighedTiles> weighed; ///< the best of each offer
  size_t best = 0;
};

/// The sizes at the target's tile levels that resolve to `tiles`.
model::TileSizes sizesOf(const ResolvedTiles &tiles, const TileProblem &problem,
                         const target::Target &target);

/// A choice of `best` with its figures and its rivals, but no reason.
TileChoice choiceOf(const TileSearch &search, const WeighedTiles &best,
                    const TileProblem &problem, const target::Target &target);

/// "m=128, n=256": the sizes that are cut, or of the chief dimensions.
std::string sizesText(const ResolvedTiles &tiles, const TileProblem &problem);

/// "288 blocks in 24 tasks keep 24 cores 100% busy (L1 384 KiB of 512 KiB)".
std::string gridText(const WeighedTiles &best, const TileProblem &problem,
                     const target::Target &target);

/// "; bound by cube.CUBE, 12 % longer than cube.MTE2".
std::string boundText(const WeighedTiles &best, const TileProblem &problem,
                      const target::Target &target);

TileChoice matmulTiles(const TileProblem &problem, const target::Target &target,
                       double budget);
TileChoice rowTiles(const TileProblem &problem, const target::Target &target,
                    double budget);

} // namespace tilewright::decision
