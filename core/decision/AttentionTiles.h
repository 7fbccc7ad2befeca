//===- AttentionTiles.h - tile sizes of an attention ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"

namespace tilewright::decision {

/// Rows of queries (m) that one task takes and keys (n) that one step of its
/// loop takes, with the reason and what was weighed. `problem.attention` holds.
/// `budget` is the share of each level that may be used.
TileChoice attentionTiles(const TileProblem &problem,
                          const target::Target &target, double budget = 1.0);

} // namespace tilewright::decision
