//===- AttentionScope.h - attention in its written-out form -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention is o = softmax(f(q kᵀ)) v, computed row by row of q. Written out it
// is two matmuls, with between them nothing but elementwise operations and
// reductions along the keys. It is found by how data flows between the two,
// whatever the operations are called and in whatever order they stand:
//
//   scores --elementwise--> x --(minus the row's maximum)--> exp --> e
//   e --(divided by the row's sum)--> p --elementwise, linear--> matmul with v
//
// The division may also come after the second matmul, and the maximum may be
// missing: softmax does not change when a row is shifted.
//
// Because every row's maximum, sum and result can be carried along the keys,
// such a scope can go through the keys tile by tile ("Online normalizer
// calculation for softmax", arXiv:1805.02867; "FlashAttention",
// arXiv:2205.14135), and the scores are never held as a whole.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace tilewright::pass {

/// Unit attribute on the function of a scope that is one attention.
inline constexpr llvm::StringLiteral attentionAttrName = "tile.attention";

/// The parts of one attention. Operations keep the order they have in the
/// block.
struct Attention {
  tw::MatmulOp scores; ///< q kᵀ
  tw::MatmulOp output; ///< p v; carries the tile decision
  /// On scores, before the maximum is taken; also what prepares masks.
  llvm::SmallVector<mlir::Operation *> score;
  mlir::Value x;       ///< what softmax is taken of
  tw::ReduceOp rowMax; ///< null where none is subtracted
  /// What lies between x minus the maximum and the exponential: factors.
  llvm::SmallVector<mlir::Operation *> centered;
  tw::ExpOp exp;
  /// Linear in the weights, on the way to the second matmul: casts, factors.
  llvm::SmallVector<mlir::Operation *> weight;
  tw::ReduceOp rowSum;
  /// From the row's sum to what the result is divided by.
  llvm::SmallVector<mlir::Operation *> divisor;
  /// The division, wherever it stands, and which operand is the divisor; a
  /// multiplication by a reciprocal also counts.
  mlir::Operation *normalize = nullptr;
  unsigned divisorOperand = 1;
  /// Between the second matmul and the end; holds `normalize` where that comes
  /// after the matmul.
  llvm::SmallVector<mlir::Operation *> after;
  mlir::Value result;
  /// All of them, and all that becomes superfluous with them.
  llvm::SmallVector<mlir::Operation *> ops;

  bool normalizesAfter() const { return llvm::is_contained(after, normalize); }
  /// Leading dimensions of the scores.
  int64_t batches() { return scores.getNumBatches(); }
};

/// The value an operation of role Fill gives everywhere; none if it is no
/// number known now.
std::optional<double> fillValueOf(mlir::Operation *fill);

/// What was found behind one matmul.
struct AttentionMatch {
  std::optional<Attention> attention;
  /// Where the form is nearly that of attention: the operation that stands in
  /// the way and why; else null.
  mlir::Operation *obstacle = nullptr;
  std::string reason;
};

/// Looks for an attention whose second matmul is `output`. Costs a bounded
/// number of steps.
AttentionMatch matchAttention(tw::MatmulOp output);

/// The attention that the scope `func` is; none if it has not `tile.attention`.
std::optional<Attention> attentionOf(mlir::func::FuncOp func);

/// The space of an attention: that of its result, of which the rows and the
/// batches are free. Nothing joins it.
ScopeSpace attentionSpace(Attention &attention);

/// The tile decision of an attention: dimensions b0 …, m (rows of q), n (keys),
/// d (columns of q and k), v (columns of the result).
decision::TileProblem attentionProblem(Attention &attention, std::string key);

} // namespace tilewright::pass
