//===- FlopCount.h - arithmetic of a Tensor graph ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::estimate {

/// Floating-point operations one run of `function` needs, counted from shapes:
/// 2 m n k for a matmul of each batch, one for each element read of a
/// reduction, one for each element made by any other operator of `tw`, one for
/// each arithmetic operation of each point of a linalg operation. Operations on
/// dynamic shapes count as nothing.
double countFlop(mlir::func::FuncOp function);

} // namespace tilewright::estimate
