//===- TextDiff.h - two texts compared line by line -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::inspect {

struct TextDiffLimits {
  int context = 3; ///< unchanged lines around a change
  /// Line comparisons; beyond it the rest is shown as replaced. The result
  /// stays right, only longer than need be.
  int64_t steps = int64_t(200) << 20;
  int64_t bytes = int64_t(16) << 20; ///< of the result
};

/// A unified diff with `---`/`+++` headers; empty if the texts are equal.
/// Myers' algorithm in linear space.
std::string unifiedDiff(std::string_view before, std::string_view after,
                        std::string_view beforeName, std::string_view afterName,
                        const TextDiffLimits &limits = {});

} // namespace tilewright::inspect
