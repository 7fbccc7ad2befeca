//===- MergeBlocks.h - neighbouring blocks in one task ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/model/Decision.h"
#include "core/pass/TargetPass.h"
#include <vector>

namespace tilewright::pass {

/// Pinned number of blocks a task does, an integer on a kernel.
inline constexpr llvm::StringLiteral mergeAttrName = "block.merge";

/// Lets one task do several neighbouring blocks of a grid, in a loop: so that
/// what is the same for all of them is loaded once, that pipes overlap from
/// block to block, and that tiny tasks get big enough to pay for their start.
/// The number divides a dimension of the grid. By default it is the one that
/// is fastest by closed form; it must gain 5 %, or 10 % where cores have
/// one pipe. `decisions`, if given, gets one decision of kind `merge` a kernel.
///
/// A pin that divides no dimension is a warning, TW0223, and the default holds.
/// Grids and access maps of the dispatches follow. TW0420 where the target
/// cannot do an instruction.
mlir::LogicalResult mergeBlocks(mlir::ModuleOp module,
                                const target::Target &target,
                                std::vector<model::Decision> *decisions);

std::unique_ptr<mlir::Pass>
createMergeBlocksPass(TargetPtr target = nullptr,
                      std::vector<model::Decision> *decisions = nullptr);

} // namespace tilewright::pass
