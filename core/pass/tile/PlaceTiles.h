//===- PlaceTiles.h - bring tiles to where they are used --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pass/TargetPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::pass {

/// Puts a `tile.move` on the way of every operand from global memory to the
/// level, and into the layout, that the target's unit reads it from: each step
/// in the innermost loop in which the tile it moves is cut out.
mlir::LogicalResult placeTiles(mlir::func::FuncOp scope,
                               const target::Target &target);

/// The level a tile lies at: that of its move, of the unit that made it, or
/// "GM" for what was cut from an argument.
std::string levelOfTile(mlir::Value tile, const target::Target &target);

/// Checks that every operand in the grids of `scope` lies where the target can
/// read it, and every result where it can be stored from: TW0307.
mlir::LogicalResult verifyPlacement(mlir::func::FuncOp scope,
                                    const target::Target &target);

std::unique_ptr<mlir::Pass> createPlaceTilesPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
