//===- OperationDocs.h - what an operation does, for a person ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::frontend {

/// Markdown from the operation's definition (ODS): summary and description.
/// Empty for an operation it is not known for.
std::string_view operationDocs(std::string_view name);

/// An operand, attribute or result as the definition names it.
struct OperationPart {
  std::string name;
  std::string description; ///< "ranked tensor"
  std::string type;        ///< of an attribute, in C++: "::mlir::IntegerAttr"
};

struct OperationShape {
  std::vector<OperationPart> operands, attributes, results;
  /// What follows the name, in the notation of assembly formats; empty if the
  /// operation has a parser of its own.
  std::string syntax;
};

/// Null for an operation it is not known for.
const OperationShape *operationShape(std::string_view name);

} // namespace tilewright::frontend
