//===- OrderInstructions.h - instructions on pipes, in order ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/TargetPass.h"

namespace tilewright::pass {

/// Puts every instruction of `kernel` on the target's pipe for it and, within
/// each block, brings instructions into data order with loads early: an
/// instruction stays behind all it depends on through buffers, and moves from
/// global memory pass those of other pipes that they do not depend on. TW0420
/// if the target cannot do an instruction.
mlir::LogicalResult orderInstructions(block::KernelOp kernel,
                                      const target::Target &target);

std::unique_ptr<mlir::Pass>
createOrderInstructionsPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
