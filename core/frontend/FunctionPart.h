//===- FunctionPart.h - one function out of a text --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/SourceDocument.h"
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::frontend {

/// The text of `source` in which everything is blanked but the function `name`,
/// the functions and aliases it uses, directly or not, and the modules around
/// them. All else stays at its offset, line and column. So a fault in another
/// function is none of this one's. Nothing if the text has no such function.
std::optional<std::string> textOfFunction(const SourceSnapshot &source,
                                          std::string_view name);

} // namespace tilewright::frontend
