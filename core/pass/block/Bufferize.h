//===- Bufferize.h - tiles become buffers and instructions ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not upstream's bufferization: a tile's buffer has a static capacity while its
// valid part may be smaller at a border, results are written where they are
// wanted, and what comes out are `block` instructions on memrefs with a level,
// not memref.alloc and memref.copy.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pass/TargetPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::pass {

/// Number of output buffers, the last arguments, of a scope in buffer form.
inline constexpr llvm::StringLiteral resultCountAttrName = "tile.result_count";

/// Rewrites an expanded scope to work on buffers: arguments become memrefs in
/// global memory, results become arguments behind them, every operation on
/// tiles becomes one instruction. Sizes only known at run time are refused:
/// TW0404.
mlir::LogicalResult bufferizeScope(mlir::func::FuncOp scope,
                                   const target::Target &target);

/// Scopes of a module, then what calls them (see JoinProgram.h).
std::unique_ptr<mlir::Pass> createBufferizePass(TargetPtr target = nullptr);

} // namespace tilewright::pass
