//===- PipelineBuffers.h - several buffers in turn --------------*- C++ -*-===//
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

/// Pinned copies on a kernel: dictionary operand ("0", "1" of a matmul; "" for
/// every buffer) -> number.
inline constexpr llvm::StringLiteral buffersAttrName = "block.buffers";

/// Gives the buffers by which pipes hand tiles on in a loop several copies,
/// used in turn, so that one pipe fills the next while another works on this
/// one. The loop then does as many turns at once as there are copies, each on
/// its own; what is left of an odd number stands behind it.
///
/// By default as many copies as pipes touch the buffer, as long as all buffers
/// of the kernel keep within the usable size of their levels; else fewer.
/// Nothing is done where the core has one pipe. `decisions`, if given, gets one
/// decision of kind `buffers` an operand, keyed as the kernel is.
///
/// A pin that does not fit is a warning, TW0220, and the default holds. Sets
/// the pipes of all instructions, TW0420.
mlir::LogicalResult pipelineBuffers(block::KernelOp kernel,
                                    const target::Target &target,
                                    std::vector<model::Decision> *decisions);

std::unique_ptr<mlir::Pass>
createPipelineBuffersPass(TargetPtr target = nullptr,
                          std::vector<model::Decision> *decisions = nullptr);

} // namespace tilewright::pass
