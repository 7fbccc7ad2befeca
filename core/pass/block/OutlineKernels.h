//===- OutlineKernels.h - grids become kernels and dispatches ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pass/TargetPass.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::pass {

/// Turns every scope in buffer form into a `block.program` that dispatches one
/// `block.kernel` a grid. The body of a grid becomes the kernel, its induction
/// variables are computed from grid coordinates. Equal kernels are one.
mlir::LogicalResult outlineKernels(mlir::ModuleOp module,
                                   const target::Target &target);

std::unique_ptr<mlir::Pass>
createOutlineKernelsPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
