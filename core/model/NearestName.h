//===- NearestName.h - what a misspelt name may have meant ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::model {

/// The name most like `word`, for "did you mean"; empty if none is much like
/// it: more than two letters, and more than a third of them, would change.
std::string nearestName(std::string_view word,
                        const std::vector<std::string> &names);

} // namespace tilewright::model
