//===- ExpandTiles.h - scopes become grids of tiles -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pass/TargetPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::pass {

/// Turns the body of a scope into one `scf.forall` over the grid that
/// `tile.sizes` gives (several for concat and insert), with every operation on
/// tiles, and `scf.for` over the depth of a matmul, whose sums are an f32
/// iter_arg. A scope that is expanded already is left alone.
mlir::LogicalResult expandTiles(mlir::func::FuncOp scope,
                                const target::Target &target);

std::unique_ptr<mlir::Pass> createExpandTilesPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
