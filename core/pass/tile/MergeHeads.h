//===- MergeHeads.h - heads of one query as rows of one product -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::pass {

/// In a scope that is an attention with one query a head, where several heads
/// share their keys and values: makes the heads the rows of one matrix of
/// queries, so that keys and values are read once for all of them. Only shapes
/// change; reshapes of operands and result stand for it. Anything else is left
/// as it is.
void mergeHeads(mlir::func::FuncOp scope);

} // namespace tilewright::pass
