//===- InstructionPipes.h - who does an instruction, how long ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BufferLife.h"
#include "core/target/Target.h"

namespace tilewright::pass {

/// Puts every instruction of `kernel` on the target's pipe for it. TW0420 if
/// the target cannot do one.
mlir::LogicalResult assignPipes(block::KernelOp kernel,
                                const target::Target &target);

/// Whether the cores that `kernel` runs on do everything one after the other.
bool hasOnePipe(block::KernelOp kernel, const target::Target &target);

/// Estimated seconds of one instruction on its pipe, for whole tiles: the fixed
/// part and bytes or operations over the target's rate. 0 where the target
/// gives no figure.
double instructionSeconds(mlir::Operation *instruction,
                          const target::Target &target);

using block::bytesOf;

} // namespace tilewright::pass
