//===- SplitAccumulators.h - add to sums where they can be read -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pass/TargetPass.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::pass {

/// Where a tensor cannot be brought to where the matrix unit keeps its sums,
/// `c = matmul a, b acc x` becomes `s = matmul a, b` in f32 and `c = s + x`,
/// rounded once to the result's type as before. The addition keeps the key
/// `c`, the product is `c.product`.
void splitAccumulators(mlir::ModuleOp module, const target::Target &target);

std::unique_ptr<mlir::Pass>
createSplitAccumulatorsPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
