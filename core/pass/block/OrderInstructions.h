//===- OrderInstructions.h - instructions on pipes, in order ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/TargetPass.h"

namespace tilewright::pass {

/// Puts every instruction of `kernel` on the target's pipe for it and, block by
/// block, brings instructions into the order in which they can begin: list
/// scheduling on the pipes with the target's rates, an inner loop as one step.
/// An instruction stays behind all it depends on through buffers; of loads that
/// can begin together, the one that most waits for goes first. A block whose
/// new order would need more room than there is keeps its order, as does
/// everything where the core has one pipe. TW0420 if the target cannot do an
/// instruction.
mlir::LogicalResult orderInstructions(block::KernelOp kernel,
                                      const target::Target &target);

std::unique_ptr<mlir::Pass>
createOrderInstructionsPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
