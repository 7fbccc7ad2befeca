//===- Folders.cpp - operators that are one of their operands -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only exact identities: same values bit for bit, NaN and signs of zeros
// included. What is exact in value only is left to `simplify-algebra`, what
// computes on constants to `fold-constants`.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/TensorDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright::tw;

/// `input` if it has the very type of the result.
static OpFoldResult ifSameType(Operation *op, Value input) {
  return input.getType() == op->getResult(0).getType() ? input : Value();
}

OpFoldResult NegOp::fold(FoldAdaptor) {
  // -(-x)
  if (auto inner = getInput().getDefiningOp<NegOp>())
    return ifSameType(*this, inner.getInput());
  return {};
}

/// f(f(x)) = f(x)
template <typename Op> static OpFoldResult foldIdempotent(Op op) {
  if (op.getInput().template getDefiningOp<Op>())
    return ifSameType(op, op.getInput());
  return {};
}
OpFoldResult AbsOp::fold(FoldAdaptor) { return foldIdempotent(*this); }
OpFoldResult ReluOp::fold(FoldAdaptor) { return foldIdempotent(*this); }

OpFoldResult CastOp::fold(FoldAdaptor) { return ifSameType(*this, getInput()); }

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return ifSameType(*this, getOnTrue());
  if (auto condition =
          dyn_cast_or_null<SplatElementsAttr>(adaptor.getCondition()))
    return ifSameType(*this, condition.getSplatValue<bool>() ? getOnTrue()
                                                             : getOnFalse());
  return {};
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  // Nothing is reduced.
  return getAxes().empty() ? ifSameType(*this, getInput()) : OpFoldResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  for (auto [d, from] : llvm::enumerate(getPermutation()))
    if (int64_t(d) != from)
      return {};
  return ifSameType(*this, getInput());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  // With one `?` on either side the sizes are the same; a mere equality of
  // types with more would not tell.
  return ifSameType(*this, getInput());
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  SmallVector<int64_t> strides = getStridesOrOnes();
  for (size_t d = 0; d < shape.size(); ++d)
    if (getOffsets()[d] != 0 || strides[d] != 1 ||
        (getSizes()[d] != shape[d] && !ShapedType::isDynamic(getSizes()[d])))
      return {};
  return ifSameType(*this, getInput());
}

OpFoldResult InsertOp::fold(FoldAdaptor) {
  // All of the target is replaced.
  if (!getInto().getType().hasStaticShape())
    return {};
  return ifSameType(*this, getSource());
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? ifSameType(*this, getInputs().front())
                                 : OpFoldResult();
}
