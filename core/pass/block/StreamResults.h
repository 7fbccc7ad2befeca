//===- StreamResults.h - large results past the caches ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/TargetPass.h"

namespace tilewright::pass {

/// Marks with block::streamingAttrName the instructions of `kernel` that write
/// a result in global memory which the kernel touches nowhere else and which is
/// too long for a cache to keep until somebody reads it
/// (Target::streamingBytes). Nothing on targets that name no such length.
void streamResults(block::KernelOp kernel, const target::Target &target);

std::unique_ptr<mlir::Pass> createStreamResultsPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
