//===- Canonicalizers.cpp - chains of data movement made one --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/TensorDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tw;

/// Whether every value of `from` is one of `to`.
static bool widens(Type from, Type to) {
  if (isa<Float16Type, BFloat16Type>(from))
    return to.isF32() || to == from;
  if (from.isF32())
    return to.isF32();
  if (from.isInteger(1))
    return true;
  auto a = dyn_cast<IntegerType>(from), b = dyn_cast<IntegerType>(to);
  return a && b && b.getWidth() >= a.getWidth();
}

/// cast(cast(x)) where the first loses nothing: one cast from x.
LogicalResult CastOp::canonicalize(CastOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<CastOp>();
  if (!inner)
    return failure();
  Type from = inner.getInput().getType().getElementType();
  Type middle = inner.getType().getElementType();
  if (!widens(from, middle))
    return failure();
  rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), inner.getInput());
  return success();
}

/// transpose(transpose(x)): one transpose.
LogicalResult TransposeOp::canonicalize(TransposeOp op,
                                        PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<TransposeOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> permutation;
  for (int64_t d : op.getPermutation())
    permutation.push_back(inner.getPermutation()[d]);
  rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getInput(),
                                           permutation);
  return success();
}

/// reshape(reshape(x)): one reshape.
LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<ReshapeOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getInput());
  return success();
}

/// slice(slice(x)): one slice.
LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<SliceOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> outerStrides = op.getStridesOrOnes();
  SmallVector<int64_t> innerStrides = inner.getStridesOrOnes();
  SmallVector<int64_t> offsets, sizes, strides;
  for (size_t d = 0; d < outerStrides.size(); ++d) {
    int64_t size = op.getSizes()[d], offset = 0, stride = 0;
    // "What is left" means another thing on the inner input.
    if (ShapedType::isDynamic(size))
      size = op.getType().getDimSize(d);
    if (ShapedType::isDynamic(size) &&
        !(ShapedType::isDynamic(inner.getSizes()[d]) && innerStrides[d] == 1))
      return failure();
    if (llvm::MulOverflow(op.getOffsets()[d], innerStrides[d], offset) ||
        llvm::AddOverflow(offset, inner.getOffsets()[d], offset) ||
        llvm::MulOverflow(outerStrides[d], innerStrides[d], stride))
      return failure();
    offsets.push_back(offset);
    sizes.push_back(size);
    strides.push_back(stride);
  }
  bool ones = llvm::all_of(strides, [](int64_t s) { return s == 1; });
  rewriter.replaceOpWithNewOp<SliceOp>(
      op, op.getType(), inner.getInput(),
      rewriter.getDenseI64ArrayAttr(offsets),
      rewriter.getDenseI64ArrayAttr(sizes),
      ones ? DenseI64ArrayAttr() : rewriter.getDenseI64ArrayAttr(strides));
  return success();
}
