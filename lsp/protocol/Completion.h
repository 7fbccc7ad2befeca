//===- Completion.h - completion between front and engine -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "lsp/protocol/Json.h"
#include <string>
#include <vector>

namespace tilewright::lsp {

namespace method {
/// Params as of hover.
inline constexpr const char *completion = "tilewright/completion";
} // namespace method

struct CompletionEntry {
  std::string label;
  std::string kind; ///< operation, value, function, type, attribute, alias
  std::string detail;
  std::string documentation; ///< markdown
  std::string insert;        ///< a snippet; empty: the label
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompletionEntry, label, kind,
                                                detail, documentation, insert)

struct CompletionResult {
  model::TextRange range; ///< replaced by the entry that is chosen
  std::vector<CompletionEntry> entries;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompletionResult, range,
                                                entries)

} // namespace tilewright::lsp
