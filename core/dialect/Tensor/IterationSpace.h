//===- IterationSpace.h - the loops an operator stands for ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace tilewright::tw {

/// How an operator's loops run over its operands and its result.
struct IterationSpace {
  /// In place of an iteration dimension: the dimension has the static size 1
  /// and is stretched.
  static constexpr int stretched = -1;
  /// In place of an iteration dimension: every point needs all of it.
  static constexpr int whole = -2;

  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  llvm::SmallVector<std::string> names; ///< "m", "n", "k"; "d0", …
  /// For each operand, for each of its dimensions: iteration dimension,
  /// `stretched` or `whole`. Empty for an operand that is no tensor.
  llvm::SmallVector<llvm::SmallVector<int>> operands;
  /// For each dimension of the result: iteration dimension or `whole`.
  llvm::SmallVector<int> result;

  /// Number of points of iteration dimension `dim`: an attribute where some
  /// type tells it, else asked of an operand.
  mlir::OpFoldResult sizeOf(mlir::OpBuilder &b, mlir::Operation *op,
                            int dim) const;
  /// The same without building anything; kDynamic where not known.
  int64_t staticSizeOf(mlir::Operation *op, int dim) const;
};

/// The iteration space of a tileable `tw` operator.
IterationSpace iterationSpace(mlir::Operation *op);

/// Names of the iteration dimensions of any operation that can be tiled, for
/// decisions: for a matrix product (ours or upstream's) its batches `b0`, …,
/// `m`, `n` and `k`; else `d0`, `d1`, …. Empty if it cannot be tiled.
llvm::SmallVector<std::string> iterationNames(mlir::Operation *op);

} // namespace tilewright::tw
