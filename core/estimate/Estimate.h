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
// other. With b the time of a block once its core is busy, f the time from its
// first load until its slowest engine works, and d the dispatch of a task:
//
//   task   = d + f + (sum of b over its blocks)
//   kernel = coreStart + smooth(longest core, GM, L2)
//
//   longest core = (sum of all tasks) / cores + the idle rest of the last wave
//   GM = bytes not found in the shared cache / rate of global memory
//   L2 = bytes moved by all cores / rate of the shared cache
//
// Engines that hand over to each other by two buffers hold each other up when
// they are about equally long: smooth(a, b, …) = (a^p + b^p + …)^(1/p) with
// p = 14, by which two equal ones take 5 % longer than one: read off the
// published A3 matrix products (6144 cubed: 1434 us by the longest engine, 1506
// us measured). On a core of one pipe, stages of a matmul follow each other (p
// = 1), and loads hide half behind the arithmetic of elementwise code (p = 2,
// assumed).
//
// Which bytes the shared cache lacks: where operands and result fit it
// together, each byte once; else each wave of tasks fetches anew what no other
// task of the wave has, which is what the published 6144 cubed row in plain
// order (2100 us) says, not the size of the cache.
//
// Formulas of a block: MatmulCost.cpp, RowsCost.cpp, AttentionCost.cpp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include "core/model/Estimate.h"

namespace tilewright::estimate {

/// In which order the tasks of a grid run.
enum class Order {
  Rows,    ///< along the last dimension first, as a loop nest has it
  Blocked, ///< so that a wave is about square: operands are shared by most
};

/// What is decided of a kernel.
struct Setting {
  model::TileSizes sizes;
  /// Blocks a task does. 0: as many as keep all cores busy once where cores
  /// have several pipes, else 1.
  int64_t merge = 0;
  int64_t parts = 1; ///< of the rows of a reduction (split_k)
  Order order = Order::Rows;
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

} // namespace tilewright::estimate
