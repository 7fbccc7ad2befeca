//===- Rename.h - a value or function gets another name ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/SourceDocument.h"
#include "core/model/Diagnostic.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::frontend {

/// A value or function that has a name.
struct NamedThing {
  std::string name; ///< without `%` or `@`
  bool isFunction = false;
  model::TextRange range;               ///< of the name at the offset asked for
  std::vector<model::TextRange> places; ///< of all its names, sign included
};

struct Renaming {
  std::vector<TextEdit> edits; ///< in order; each in the text as it was
  /// Every key that becomes another one, unnamed operations that are made of
  /// the renamed value included.
  std::map<std::string, std::string> keys;
};

/// What stands at `offset`. None and TW0615 if it has no name of its own.
std::optional<NamedThing> namedAt(const SourceSnapshot &source, int64_t offset,
                                  model::Diagnostic &problem);

/// Gives what stands at `offset` the name `newName` (a leading `%` or `@` is
/// left out) everywhere in the text. None and TW0615 if nothing with a name is
/// there, TW0616 if it cannot be a name, TW0617 if the text would then mean
/// something else or be wrong.
std::optional<Renaming> rename(mlir::MLIRContext &context,
                               const SourceSnapshot &source, int64_t offset,
                               std::string newName,
                               const std::atomic<bool> *cancel,
                               model::Diagnostic &problem);

/// `key` after a renaming: itself, or the part or operand of what was renamed.
std::string renamedKey(const std::map<std::string, std::string> &keys,
                       const std::string &key);

} // namespace tilewright::frontend
