//===- FoldViews.h - reshapes and transposes that move nothing --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::pass {

/// Whether `op` only names elements of its operand in another order, so that
/// its users can read the operand itself: a reshape of static shape, or a
/// transpose that only matmuls read and that keeps the last dimension among the
/// matrix dimensions (rows stay contiguous). What a function returns is not a
/// view: it needs a buffer of its own. Such operations make no scope; each user
/// gets its own copy.
bool isView(mlir::Operation *op);

/// Makes the views at the top of an expanded scope vanish: reshapes become
/// `tensor.collapse_shape` and `tensor.expand_shape` of whole operands, slices
/// of transposes become slices of what is transposed, and where the two matrix
/// dimensions changed places the matmul reads its operand transposed.
void foldViews(mlir::func::FuncOp scope);

} // namespace tilewright::pass
