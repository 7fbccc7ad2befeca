//===- StageAttention.h - attention in chunks of keys -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::pass {

/// For targets whose matrix unit and vector unit are on different cores, which
/// exchange through global memory. Such a softmax is a kernel of its own
/// between two matmuls, and its tile holds whole rows of scores. Where fewer
/// than two rows would fit on chip, the keys are taken in chunks of equal size,
/// each a matmul, a softmax kernel that carries the rows' maximum and sum on
/// (the formulas are in ExpandAttention.h), a matmul, and the addition to the
/// result so far. Other attentions stay as they are.
void stageAttentions(mlir::func::FuncOp func, const target::Target &target);

} // namespace tilewright::pass
