//===- TileArithmetic.h - counting tiles ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include <algorithm>

namespace tilewright::decision {

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t roundUp(int64_t a, int64_t to) { return ceilDiv(a, to) * to; }

/// What is assumed of a size only known at run time.
inline constexpr int64_t assumedExtent = 1024;

inline int64_t extentOf(const Dimension &dimension) {
  return dimension.extent < 0 ? assumedExtent
                              : std::max<int64_t>(dimension.extent, 1);
}

/// What one tile takes of each level: "cache2 416 KiB of 512 KiB".
std::string fillText(const TileProblem &problem, const model::TileSizes &sizes,
                     const target::Target &target);

} // namespace tilewright::decision
