//===- EliminateNops.cpp - operators that do nothing ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results without elements, operands without elements, and data movement that
// moves nothing. Identities that are an operand (a cast to the same type, a
// slice of everything …) are the operators' folders, which run here too.
//
//===----------------------------------------------------------------------===//
#include "core/pass/tensor/PatternPass.h"
#include "core/pass/tensor/TensorPasses.h"
#include <limits>

using namespace mlir;

namespace tilewright::pass {

static bool isEmpty(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && llvm::is_contained(type.getShape(), 0);
}

static LogicalResult replaceByFull(Operation *op, double value,
                                   PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.hasStaticShape())
    return failure();
  rewriter.replaceOpWithNewOp<tw::FullOp>(op, type, value);
  return success();
}

namespace {

/// A result without elements needs no computing.
struct EmptyResult : RewritePattern {
  explicit EmptyResult(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<tw::TensorDialect>(op->getDialect()) ||
        isa<tw::FullOp>(op) || !isEmpty(op->getResult(0)))
      return failure();
    return replaceByFull(op, 0, rewriter);
  }
};

/// A reduction over nothing is its neutral element.
struct EmptyReduce : OpRewritePattern<tw::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getInput()) || isEmpty(op.getResult()))
      return failure();
    double inf = std::numeric_limits<double>::infinity();
    switch (op.getKind()) {
    case tw::ReduceKind::Sum:
      return replaceByFull(op, 0, rewriter);
    case tw::ReduceKind::Prod:
      return replaceByFull(op, 1, rewriter);
    case tw::ReduceKind::Max:
      return replaceByFull(op, -inf, rewriter);
    case tw::ReduceKind::Min:
      return replaceByFull(op, inf, rewriter);
    case tw::ReduceKind::Mean:
      return replaceByFull(op, std::numeric_limits<double>::quiet_NaN(),
                           rewriter);
    }
    return failure();
  }
};

/// A reduction over dimensions of 1 only takes those away.
struct ReduceOfOnes : OpRewritePattern<tw::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType();
    for (int64_t axis : op.getNormalizedAxes())
      if (input.getDimSize(axis) != 1)
        return failure();
    if (op.getType() == input)
      rewriter.replaceOp(op, op.getInput());
    else if (op.getType().getNumDynamicDims() <= 1)
      rewriter.replaceOpWithNewOp<tw::ReshapeOp>(op, op.getType(),
                                                 op.getInput());
    else
      return failure();
    return success();
  }
};

/// A product over k = 0 is 0, or the accumulator.
struct EmptyMatmul : OpRewritePattern<tw::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getK() != 0)
      return failure();
    if (!op.getAcc())
      return replaceByFull(op, 0, rewriter);
    rewriter.replaceOp(op, op.getAcc());
    return success();
  }
};

/// Operands of a concat that add nothing.
struct EmptyInConcat : OpRewritePattern<tw::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    int64_t axis = op.getNormalizedAxis();
    SmallVector<Value> rest;
    for (Value input : op.getInputs())
      if (cast<RankedTensorType>(input.getType()).getDimSize(axis) != 0)
        rest.push_back(input);
    if (rest.size() == op.getInputs().size() || rest.empty())
      return failure();
    rewriter.replaceOpWithNewOp<tw::ConcatOp>(op, op.getType(), rest,
                                              op.getAxisAttr());
    return success();
  }
};

/// An insert of nothing.
struct EmptyInsert : OpRewritePattern<tw::InsertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::InsertOp op,
                                PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getSource()) || op.getType() != op.getInto().getType())
      return failure();
    rewriter.replaceOp(op, op.getInto());
    return success();
  }
};

/// A transpose that only moves dimensions of 1 leaves the elements in place.
struct TransposeOfOnes : OpRewritePattern<tw::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType();
    int64_t last = -1;
    for (int64_t d : op.getPermutation()) {
      if (input.getDimSize(d) == 1)
        continue;
      if (d < last)
        return failure();
      last = d;
    }
    if (op.getType().getNumDynamicDims() > 1)
      return failure();
    rewriter.replaceOpWithNewOp<tw::ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

struct EliminateNops : PatternPass<EliminateNops> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EliminateNops)
  StringRef getArgument() const override { return "eliminate-nops"; }
  StringRef getDescription() const override {
    return "Remove operators on no elements and those that change nothing";
  }
  static void addPatterns(RewritePatternSet &set) {
    set.add<EmptyResult, EmptyReduce, ReduceOfOnes, EmptyMatmul, EmptyInConcat,
            EmptyInsert, TransposeOfOnes>(set.getContext());
    tw::CastOp::getCanonicalizationPatterns(set, set.getContext());
    tw::TransposeOp::getCanonicalizationPatterns(set, set.getContext());
    tw::ReshapeOp::getCanonicalizationPatterns(set, set.getContext());
    tw::SliceOp::getCanonicalizationPatterns(set, set.getContext());
  }
};

} // namespace

std::unique_ptr<Pass> createEliminateNopsPass() {
  return std::make_unique<EliminateNops>();
}

} // namespace tilewright::pass
