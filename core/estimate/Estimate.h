//===- Estimate.h - what a kernel costs, in closed form ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cheapest of the three answers about time: a few hundred operations of
// arithmetic on shapes, tile sizes and the figures of a target, no IR. So that
// a map over hundreds of tile sizes takes milliseconds, and each number is
// `estimated`.
//
// A kernel is a grid of blocks; a task does `merge` of them, one after the
// other. With b the time of a block once its core is busy, f what the first
// block of a task takes besides (its first loads until the slowest engine
// works, and the others' rest once that is done), and d the dispatch of a task:
//
//   task   = d + f + (sum of b over its blocks)
//   kernel = coreStart + smooth(longest core, GM, L2)
//
//   longest core = (sum of all tasks) / cores + the idle rest of the last wave
//   GM = bytes not found in the shared cache / rate of global memory
//   L2 = bytes moved by all cores / rate of the shared cache
//
// Loads that are the same for all blocks of a task are done once.
//
// Engines that hand over to each other by two buffers hold each other up when
// they are about equally long: smooth(a, b, …) = (a^p + b^p + …)^(1/p) with
// p = 14, by which two equal ones take 5 % longer than one: read off the
// published A3 matrix products (6144 cubed: 1434 us by the longest engine, 1506
// us measured). On a core of one pipe, stages of a matmul follow each other (p
// = 1), and loads hide half behind the arithmetic of elementwise code (p = 2,
// assumed). There, cores are shared with an operating system: the last wave
// waits for who is late, by `lateShare` of a task.
//
// Which bytes the shared cache lacks: where operands and result fit it
// together, each byte once; else each wave of blocks fetches anew what no other
// block of the wave has, which is what the published 6144 cubed row in plain
// order (2100 us) says, not the size of the cache. What blocks of a wave have
// in common depends on the order of tasks: strips of `strip` rows of the grid
// of tasks, each gone through column by column.
//
// Formulas of a block: MatmulCost.cpp, RowsCost.cpp, AttentionCost.cpp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include "core/model/Estimate.h"
#include <memory>

namespace tilewright::estimate {

/// Cores that an operating system shares with others are late by so much of a
/// task (assumed).
inline constexpr double lateShare = 0.15;

using Schedule = decision::TaskSchedule;

/// What is decided of a kernel.
struct Setting {
  model::TileSizes sizes;
  int64_t merge = 0; ///< blocks a task does; 0: what is fastest
  int64_t parts = 1; ///< of the rows of a reduction (split_k)
  int64_t strip = 0; ///< as in Schedule; 0: what is fastest
};

/// Everything about one kernel. Dimensions known at run time only count as 1024
/// and are named in `assumptions`; a target that cannot compute the problem
/// gives no time (`seconds` is 0, and `assumptions` says why).
model::Estimate estimateKernel(const decision::TileProblem &problem,
                               const Setting &setting,
                               const target::Target &target);

/// The same time alone: estimateKernel(…).seconds at a third of the cost.
double estimateSeconds(const decision::TileProblem &problem,
                       const Setting &setting, const target::Target &target);

/// Estimates one problem under many tiles: for searches. What does not depend
/// on the tiles is looked up once, and a time takes about a microsecond.
class Estimator {
public:
  /// Both must outlive this.
  Estimator(const decision::TileProblem &problem, const target::Target &target);
  ~Estimator();

  /// Whether the target can compute the problem. If not, all times are 0.
  bool possible() const;
  /// Seconds under the fastest schedule, which is left in `schedule`. A merge
  /// that gains less than leastMergeGain() is not taken; of schedules that take
  /// about as long, the one that reads least from behind the shared cache is.
  double seconds(const decision::ResolvedTiles &tiles,
                 Schedule *schedule = nullptr, int64_t parts = 1);
  /// The least that tiles with these sizes of the parallel dimensions can take,
  /// whatever the others are.
  double leastSeconds(const decision::ResolvedTiles &tiles);
  /// Seconds under every number of blocks a task may do, and under one.
  struct Merged {
    Schedule schedule;
    int64_t tasks = 1;
    double seconds = 0;
  };
  std::vector<Merged> merges(const decision::ResolvedTiles &tiles,
                             int64_t parts = 1);
  /// Seconds under every strip worth a look, row by row first; `schedule` says
  /// what a task does.
  struct Ordered {
    int64_t strip = 1;
    double seconds = 0;
    double missed = 0; ///< bytes from behind the shared cache
  };
  std::vector<Ordered> orders(const decision::ResolvedTiles &tiles,
                              const Schedule &schedule, int64_t parts = 1);

  Ordered timeOf(const decision::ResolvedTiles &tiles, const Schedule &schedule,
                 int64_t parts = 1);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// What doing several blocks in a task has to gain to be worth its code, as a
/// share of the time: less where pipes overlap from block to block.
double leastMergeGain(const target::Target &target, std::string_view core);

} // namespace tilewright::estimate
