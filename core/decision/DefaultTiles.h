//===- DefaultTiles.h - tile sizes without being asked ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"

namespace tilewright::decision {

/// Legal sizes for `problem`, with the reason and what was weighed. In closed
/// form but for a short search; the cost does not depend on the extents.
/// `budget` is the share of each level that may be used: less after a first
/// choice did not fit. If nothing is legal the smallest tiles are returned, and
/// `allocate-onchip` reports the figures.
TileChoice defaultTiles(const TileProblem &problem,
                        const target::Target &target, double budget = 1.0);

} // namespace tilewright::decision
