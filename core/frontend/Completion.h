//===- Completion.h - what may be written at a place ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <string>
#include <vector>

namespace tilewright::frontend {

class SourceSnapshot;

struct CompletionItem {
  std::string label;
  std::string kind;   ///< operation, value, function, type, attribute, alias
  std::string detail; ///< a value's operation and type; may be empty
  std::string documentation; ///< markdown; may be empty
  std::string insert;        ///< a snippet of LSP's form; empty: the label
};

struct Completion {
  model::TextRange range;            ///< what an item replaces: the word begun
  std::vector<CompletionItem> items; ///< those that begin with that word
};

/// What may stand at `offset`: operations where a statement begins, values that
/// are defined above in the same function and its open regions, functions,
/// aliases, types after a colon, names of the operation's attributes in its
/// braces. The text need not be right anywhere. Nothing in comments and
/// strings.
Completion completeAt(const SourceSnapshot &source, int64_t offset);

} // namespace tilewright::frontend
