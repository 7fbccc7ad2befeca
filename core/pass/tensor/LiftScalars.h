//===- LiftScalars.h - numbers as tensors of one element --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::pass {

/// Operators know tensors only. A number that comes out of a tensor, and what
/// is worked out from such numbers, is the same as a tensor of rank 0.
class LiftScalars {
public:
  explicit LiftScalars(mlir::OpBuilder &builder) : builder(builder) {}

  /// A tensor of rank 0 that holds `scalar`, made behind the operation that
  /// gives the number, once. Null for what cannot be told from tensors:
  /// arguments, elements at places only known in a run, index arithmetic.
  mlir::Value lift(mlir::Value scalar);

  /// One number everywhere in a tensor of `type` (static); null as for lift().
  mlir::Value splat(mlir::Value scalar, mlir::RankedTensorType type,
                    mlir::Location loc);

  /// arith and math on tensors that lift() made, to be raised in turn.
  llvm::SmallVector<mlir::Operation *> takeMade() {
    return std::exchange(made, {});
  }

private:
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, mlir::Value> lifted;
  llvm::SmallVector<mlir::Operation *> made;
};

} // namespace tilewright::pass
