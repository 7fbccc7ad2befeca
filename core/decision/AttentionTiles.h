//===- AttentionTiles.h - tile sizes of an attention ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include <optional>

namespace tilewright::decision {

/// Rows of queries (m) that one task takes and keys (n) that one step of its
/// loop takes, with the reason and what was weighed. `problem.attention` holds.
/// `budget` is the share of each level that may be used.
TileChoice attentionTiles(const TileProblem &problem,
                          const target::Target &target, double budget = 1.0);

/// The share of the steps over the keys that tasks leave out because the mask
/// hides their keys from all their queries; none where it hides none for
/// certain.
std::optional<double> skippedSteps(const TileProblem &problem,
                                   const model::TileSizes &sizes,
                                   const target::Target &target);

} // namespace tilewright::decision
