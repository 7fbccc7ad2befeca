//===- SplitReduction.h - long rows cut up for many cores -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction of few long rows gives few tiles. Its rows are then cut into
// parts that are reduced side by side, and a second, small kernel joins what
// the parts have come to, always in the same order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include "core/model/Diagnostic.h"
#include <functional>
#include <optional>

namespace tilewright::decision {

/// A reduction cut along `dim` (an index in `TileProblem::dims`) into `count`
/// parts of `part` elements each, the last one of what is left.
struct Split {
  size_t dim = 0;
  int64_t part = 0;
  int64_t count = 1;
};

/// `parts` parts of the longest dimension that is reduced, or a few less where
/// that makes them whole vectors. None if the problem has no such dimension or
/// needs its rows more than once.
std::optional<Split> splitInto(const TileProblem &problem, int64_t parts);

/// A number of parts with its reason.
struct SplitChoice {
  int64_t count = 1;
  std::string reason;
};

/// As many parts as fill the cores where the tiles of `sizes` keep at most half
/// of them busy, but none of less than 128 KiB, which take longer to start than
/// to reduce; else 1.
SplitChoice defaultSplit(const TileProblem &problem,
                         const model::TileSizes &sizes,
                         const target::Target &target);

constexpr int64_t mostParts = 65536; ///< that a pin may ask for

/// The numbers of parts nearest to `wanted` that are possible, below and above
/// it: "6 or 8 would do".
std::string nearestParts(int64_t wanted,
                         const std::function<bool(int64_t)> &isPossible);

/// The value of a pin of kind `split_k`; none and TW0214 or TW0215 in `why` if
/// it is no number of parts or cannot be.
std::optional<int64_t> readSplit(const TileProblem &problem,
                                 const nlohmann::json &value,
                                 model::Diagnostic &why);

} // namespace tilewright::decision
