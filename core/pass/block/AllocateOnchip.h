//===- AllocateOnchip.h - offsets of on-chip buffers ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/TargetPass.h"

namespace tilewright::pass {

/// Gives every `block.alloc` of `kernel` an offset in its level, aligned as the
/// target asks. In caches, and in memories that are too small otherwise,
/// buffers that never live at the same time share room: what has been unused
/// longest is taken first, and where that does not fit, the tightest of several
/// orders. A buffer lives from its first to its last use, over all of a loop
/// that it is used in but not made in. TW0308 with the figures of every buffer
/// if a level is too small.
mlir::LogicalResult allocateOnchip(block::KernelOp kernel,
                                   const target::Target &target);

/// The code `allocateOnchip` fails with, so that a default can be chosen again.
inline constexpr llvm::StringLiteral onchipFullCode = "TW0308";

std::unique_ptr<mlir::Pass>
createAllocateOnchipPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
