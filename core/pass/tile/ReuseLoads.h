//===- ReuseLoads.h - load once what is the same ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pass/TargetPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::pass {

/// Loads once what the tiles of an expanded scope read again: equal moves of
/// equal slices become one, which carries the keys of all; a move that is the
/// same in every turn of a loop is done before the loop. Slices and index
/// arithmetic go along. A move stays in its loop where the tiles held at its
/// level would then need more than is usable.
mlir::LogicalResult reuseLoads(mlir::func::FuncOp scope,
                               const target::Target &target);

std::unique_ptr<mlir::Pass> createReuseLoadsPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
