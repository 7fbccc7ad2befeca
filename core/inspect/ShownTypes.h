//===- ShownTypes.h - types and attributes as people see them ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::inspect {

/// Remembers what it made: to print the shortest type costs MLIR some
/// microseconds, and among the thousands of values of a program few types and
/// attributes differ.
class ShownTypes {
public:
  /// Element type, sizes and, of a memref, the level; a type without shape by
  /// its text. Unknown sizes are symbols `dyn0`, `dyn1` … by dimension. A null
  /// type is empty.
  const model::TensorType &of(mlir::Type type);

  /// A string without quotes, else as printed without its type; at most 80
  /// bytes and "…".
  const std::string &textOf(mlir::Attribute attribute);

private:
  llvm::DenseMap<mlir::Type, model::TensorType> types;
  llvm::DenseMap<mlir::Attribute, std::string> texts;
};

} // namespace tilewright::inspect
