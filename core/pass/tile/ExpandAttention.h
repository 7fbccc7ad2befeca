//===- ExpandAttention.h - attention as an online softmax -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::pass {

/// Turns the body of a scope with `tile.attention` into one `scf.forall` over
/// batches and rows of queries, and in it one `scf.for` over the keys that
/// carries, for each row, the maximum so far, the sum of exponentials and the
/// result, both as seen from that maximum:
///
///   m' = max(m, rowmax(x))         x: scores of this tile of keys, masked
///   p  = e^(x - m')                a = e^(m - m')
///   l' = a l + rowsum(p)           o' = a o + p v
///
/// and the result is o / l in the end (arXiv:1805.02867, algorithm 3). The
/// maximum starts at the lowest finite number, so that a row of which the first
/// tiles are masked with -inf gives zeros, not NaN, until it has a finite
/// score; one that is masked throughout ends in 0 / 0, as written out.
mlir::LogicalResult expandAttention(mlir::func::FuncOp scope,
                                    const target::Target &target);

} // namespace tilewright::pass
