//===- MergeBlocks.h - neighbouring blocks in one task ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/TargetPass.h"

namespace tilewright::pass {

/// On a kernel: the dimension of its grid along which a task does several
/// blocks, and how many (two integers). choose-tiles decides that.
inline constexpr llvm::StringLiteral mergeAttrName = "block.merge";

/// Lets one task do several neighbouring blocks of a grid, in a loop: so that
/// what is the same for all of them is loaded once, that pipes overlap from
/// block to block, and that tiny tasks get big enough to pay for their start.
/// The number divides the dimension of the grid; where it does not, a warning
/// (TW0223) says so, and nothing changes. Grids and access maps of the
/// dispatches follow.
mlir::LogicalResult mergeBlocks(mlir::ModuleOp module,
                                const target::Target &target);

std::unique_ptr<mlir::Pass> createMergeBlocksPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
