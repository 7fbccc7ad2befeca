//===- AttributeChecks.h - attributes taken on trust ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <optional>
#include <string_view>
#include <unordered_map>

namespace tilewright::frontend {

/// Finds attributes that parsers of upstream operations cast without looking:
/// in vector.contract and linalg.generic what `iterator_types` lists must be
/// strings, and `kind` a kind. (MLIR 19.1: ContractionOp::parse and verify,
/// GenericOp::parse.) What is wrong in other ways the parsers tell themselves.
class AttributeChecks {
public:
  /// `aliases` are the definitions that `text` may name. Both must outlive
  /// this.
  AttributeChecks(std::string_view text, std::string_view aliases)
      : text(text), aliases(aliases) {}

  /// Whether `operation` is one that is looked at.
  static bool concerns(std::string_view operation);
  /// What is wrong with the attributes written behind the operation's name,
  /// which ends at `end`. Ranges count from the text's begin.
  std::optional<model::Diagnostic> check(std::string_view operation,
                                         uint32_t end);

private:
  /// A place in the text, or in an alias.
  struct Place {
    std::string_view text;
    uint32_t at = 0;
  };
  /// The value at a place, aliases followed.
  Place follow(Place place);
  bool isListOfStrings(Place place);

  std::string_view text, aliases;
  bool known = false; ///< the next has been filled
  std::unordered_map<std::string_view, uint32_t> definitions;
};

} // namespace tilewright::frontend
