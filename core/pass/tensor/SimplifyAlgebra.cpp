//===- SimplifyAlgebra.cpp - rewrites that keep every value ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rewrite is taken only if, for every input including NaN and the infinities,
// the new result equals the old one or both are NaN. The sign of a zero and the
// bits of a NaN may change; nothing else may, not even the last place. So
// x * 0 -> 0 (NaN), x - x -> 0 (inf), (x * a) * b -> x * (a * b) (rounding) and
// exp(log(x)) -> x are not here.
//
//===----------------------------------------------------------------------===//
#include "core/pass/tensor/PatternPass.h"
#include "core/pass/tensor/SplatValue.h"
#include "core/pass/tensor/TensorPasses.h"
#include <cmath>

using namespace mlir;

namespace tilewright::pass {

/// Puts `value` in the place of `op`; not if that would change the type, as
/// where the operand given up had stretched the other.
static LogicalResult replaceWith(Operation *op, Value value,
                                 PatternRewriter &rewriter) {
  if (value.getType() != op->getResult(0).getType())
    return failure();
  rewriter.replaceOp(op, value);
  return success();
}

template <typename Op>
static LogicalResult replaceWithUnary(Operation *op, Value value,
                                      PatternRewriter &rewriter) {
  if (value.getType() != op->getResult(0).getType())
    return failure();
  rewriter.replaceOpWithNewOp<Op>(op, value.getType(), value);
  return success();
}

/// The operand that is not the constant `x`, if one of them is.
template <typename Op>
static std::pair<Value, std::optional<double>> besideConstant(Op op) {
  if (auto x = splatValue(op.getRhs()))
    return {op.getLhs(), x};
  return {op.getRhs(), splatValue(op.getLhs())};
}

namespace {

struct SimplifyAdd : OpRewritePattern<tw::AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::AddOp op,
                                PatternRewriter &rewriter) const override {
    auto [other, x] = besideConstant(op);
    if (x == 0) // x + 0 -> x
      return replaceWith(op, other, rewriter);
    if (auto neg = op.getRhs().getDefiningOp<tw::NegOp>()) { // x + -y -> x - y
      rewriter.replaceOpWithNewOp<tw::SubOp>(op, op.getType(), op.getLhs(),
                                             neg.getInput());
      return success();
    }
    if (auto neg = op.getLhs().getDefiningOp<tw::NegOp>()) { // -x + y -> y - x
      rewriter.replaceOpWithNewOp<tw::SubOp>(op, op.getType(), op.getRhs(),
                                             neg.getInput());
      return success();
    }
    return failure();
  }
};

struct SimplifySub : OpRewritePattern<tw::SubOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::SubOp op,
                                PatternRewriter &rewriter) const override {
    if (splatValue(op.getRhs()) == 0) // x - 0 -> x
      return replaceWith(op, op.getLhs(), rewriter);
    if (splatValue(op.getLhs()) == 0) // 0 - x -> -x
      return replaceWithUnary<tw::NegOp>(op, op.getRhs(), rewriter);
    if (auto neg = op.getRhs().getDefiningOp<tw::NegOp>()) { // x - -y -> x + y
      rewriter.replaceOpWithNewOp<tw::AddOp>(op, op.getType(), op.getLhs(),
                                             neg.getInput());
      return success();
    }
    return failure();
  }
};

struct SimplifyMul : OpRewritePattern<tw::MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::MulOp op,
                                PatternRewriter &rewriter) const override {
    auto [other, x] = besideConstant(op);
    if (x == 1) // x * 1 -> x
      return replaceWith(op, other, rewriter);
    if (x == -1) // x * -1 -> -x
      return replaceWithUnary<tw::NegOp>(op, other, rewriter);
    auto lhs = op.getLhs().getDefiningOp<tw::NegOp>();
    auto rhs = op.getRhs().getDefiningOp<tw::NegOp>();
    if (lhs && rhs) { // -x * -y -> x * y
      rewriter.replaceOpWithNewOp<tw::MulOp>(op, op.getType(), lhs.getInput(),
                                             rhs.getInput());
      return success();
    }
    return failure();
  }
};

/// 1 / x where that is exact in `type` and no denormal.
std::optional<double> exactReciprocal(double x, FloatType type) {
  int exponent;
  if (!std::isfinite(x) || std::fabs(std::frexp(x, &exponent)) != 0.5)
    return std::nullopt;
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int reciprocal = -std::ilogb(x);
  if (reciprocal < APFloat::semanticsMinExponent(semantics) ||
      reciprocal > APFloat::semanticsMaxExponent(semantics))
    return std::nullopt;
  return 1 / x;
}

struct SimplifyDiv : OpRewritePattern<tw::DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::DivOp op,
                                PatternRewriter &rewriter) const override {
    auto x = splatValue(op.getRhs());
    if (x == 1) // x / 1 -> x
      return replaceWith(op, op.getLhs(), rewriter);
    if (x == -1) // x / -1 -> -x
      return replaceWithUnary<tw::NegOp>(op, op.getLhs(), rewriter);
    auto constantType = cast<RankedTensorType>(op.getRhs().getType());
    if (x && constantType.hasStaticShape())
      if (auto factor = exactReciprocal(
              *x, cast<FloatType>(constantType.getElementType()))) {
        // x / 4 -> x * 0.25: powers of two are exact
        Value constant =
            rewriter.create<tw::FullOp>(op.getLoc(), constantType, *factor);
        rewriter.replaceOpWithNewOp<tw::MulOp>(op, op.getType(), op.getLhs(),
                                               constant);
        return success();
      }
    if (splatValue(op.getLhs()) == 1) // 1 / x
      return replaceWithUnary<tw::ReciprocalOp>(op, op.getRhs(), rewriter);
    return failure();
  }
};

struct SimplifyPow : OpRewritePattern<tw::PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::PowOp op,
                                PatternRewriter &rewriter) const override {
    auto x = splatValue(op.getRhs());
    if (x == 1) // x ^ 1 -> x
      return replaceWith(op, op.getLhs(), rewriter);
    if (x == -1) // x ^ -1 -> 1 / x
      return replaceWithUnary<tw::ReciprocalOp>(op, op.getLhs(), rewriter);
    if (x != 2 || op.getLhs().getType() != op.getType())
      return failure();
    rewriter.replaceOpWithNewOp<tw::MulOp>(op, op.getType(), op.getLhs(),
                                           op.getLhs()); // x ^ 2 -> x * x
    return success();
  }
};

/// max(x, x) -> x
template <typename Op> struct SimplifyExtremum : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (op.getLhs() == op.getRhs())
      return replaceWith(op, op.getLhs(), rewriter);
    auto [other, x] = besideConstant(op);
    if (std::is_same_v<Op, tw::MaximumOp> && x == 0) // max(x, 0) -> relu(x)
      return replaceWithUnary<tw::ReluOp>(op, other, rewriter);
    return failure();
  }
};

/// |-x| -> |x|
struct SimplifyAbs : OpRewritePattern<tw::AbsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::AbsOp op,
                                PatternRewriter &rewriter) const override {
    auto neg = op.getInput().getDefiningOp<tw::NegOp>();
    if (!neg)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, neg.getInput()); });
    return success();
  }
};

/// -(x - y) -> y - x
struct SimplifyNeg : OpRewritePattern<tw::NegOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::NegOp op,
                                PatternRewriter &rewriter) const override {
    auto sub = op.getInput().getDefiningOp<tw::SubOp>();
    if (!sub || !sub->hasOneUse())
      return failure();
    rewriter.replaceOpWithNewOp<tw::SubOp>(op, op.getType(), sub.getRhs(),
                                           sub.getLhs());
    return success();
  }
};

/// The input of a transpose of only the last two dimensions.
Value underMatrixTranspose(Value value) {
  auto transpose = value.getDefiningOp<tw::TransposeOp>();
  if (!transpose)
    return {};
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  int64_t rank = permutation.size();
  if (rank < 2)
    return {};
  for (int64_t d = 0; d < rank - 2; ++d)
    if (permutation[d] != d)
      return {};
  return permutation[rank - 1] == rank - 2 ? transpose.getInput() : Value();
}

/// A transposed operand of a matmul -> transpose_lhs, transpose_rhs.
struct TransposeIntoMatmul : OpRewritePattern<tw::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tw::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Value lhs = underMatrixTranspose(op.getLhs());
    Value rhs = underMatrixTranspose(op.getRhs());
    if (!lhs && !rhs)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (lhs) {
        op.getLhsMutable().assign(lhs);
        op.setTransposeLhs(!op.getTransposeLhs());
      }
      if (rhs) {
        op.getRhsMutable().assign(rhs);
        op.setTransposeRhs(!op.getTransposeRhs());
      }
    });
    return success();
  }
};

struct SimplifyAlgebra : PatternPass<SimplifyAlgebra> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyAlgebra)
  StringRef getArgument() const override { return "simplify-algebra"; }
  StringRef getDescription() const override {
    return "Rewrite arithmetic where every value stays the same";
  }
  static void addPatterns(RewritePatternSet &set) {
    set.add<SimplifyAdd, SimplifySub, SimplifyMul, SimplifyDiv, SimplifyPow,
            SimplifyExtremum<tw::MaximumOp>, SimplifyExtremum<tw::MinimumOp>,
            SimplifyAbs, SimplifyNeg, TransposeIntoMatmul>(set.getContext());
    tw::TransposeOp::getCanonicalizationPatterns(set, set.getContext());
  }
};

} // namespace

std::unique_ptr<Pass> createSimplifyAlgebraPass() {
  return std::make_unique<SimplifyAlgebra>();
}

} // namespace tilewright::pass
