//===- Ranking.h - a rank for every node of a level -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/LevelLayout.h"

namespace tilewright::viz {

struct Ranking {
  std::vector<uint32_t> rank;    ///< of each node; isolated nodes have none (0)
  std::vector<uint8_t> reversed; ///< of each edge; a loop is not reversed
  std::vector<uint8_t> isolated; ///< of each node: no edge but loops
  std::vector<uint32_t> walk; ///< of each node: its place in a depth-first walk
  uint32_t rankCount = 0;
};

/// Turns cycles around, gives every edge a descent of one rank or more, and
/// uses slack to keep edges short. Linear.
Ranking rankNodes(const std::vector<LevelNode> &nodes,
                  const std::vector<LevelEdge> &edges);

} // namespace tilewright::viz
