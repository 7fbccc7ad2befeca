//===- TensorOps.cpp - operators of the Tensor graph ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/AttributeSyntax.h"
#include "core/dialect/Tensor/TensorDialect.h"

using namespace mlir;
using namespace tilewright::tw;

#define GET_OP_CLASSES
#include "core/dialect/Tensor/TensorOps.cpp.inc"

bool tilewright::tw::isUnary(Operation *op) {
  return isa<NegOp, AbsOp, ExpOp, LogOp, SqrtOp, RsqrtOp, ReciprocalOp, TanhOp,
             ErfOp, SigmoidOp, SiluOp, GeluOp, ReluOp>(op);
}
bool tilewright::tw::isBinary(Operation *op) {
  return isa<AddOp, SubOp, MulOp, DivOp, MaximumOp, MinimumOp, PowOp>(op);
}
bool tilewright::tw::isElementwise(Operation *op) {
  return isUnary(op) || isBinary(op) || isa<CastOp, CompareOp, SelectOp>(op);
}

static int64_t fromFront(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

int64_t MatmulOp::getM() {
  return getResult().getType().getShape().drop_back().back();
}
int64_t MatmulOp::getN() { return getResult().getType().getShape().back(); }
int64_t MatmulOp::getK() {
  ArrayRef<int64_t> lhs = getLhs().getType().getShape();
  ArrayRef<int64_t> rhs = getRhs().getType().getShape();
  int64_t k = lhs[lhs.size() - (getTransposeLhs() ? 2 : 1)];
  return ShapedType::isDynamic(k)
             ? rhs[rhs.size() - (getTransposeRhs() ? 1 : 2)]
             : k;
}

SmallVector<int64_t> ReduceOp::getNormalizedAxes() {
  SmallVector<int64_t> axes;
  for (int64_t axis : getAxes())
    axes.push_back(fromFront(axis, getInput().getType().getRank()));
  llvm::sort(axes);
  return axes;
}

int64_t SoftmaxOp::getNormalizedAxis() {
  return fromFront(getAxis(), getInput().getType().getRank());
}
int64_t ConcatOp::getNormalizedAxis() {
  return fromFront(getAxis(), getResult().getType().getRank());
}

static SmallVector<int64_t>
stridesOrOnes(std::optional<ArrayRef<int64_t>> strides, size_t rank) {
  return strides ? SmallVector<int64_t>(*strides)
                 : SmallVector<int64_t>(rank, 1);
}
SmallVector<int64_t> SliceOp::getStridesOrOnes() {
  return stridesOrOnes(getStrides(), getOffsets().size());
}
SmallVector<int64_t> InsertOp::getStridesOrOnes() {
  return stridesOrOnes(getStrides(), getOffsets().size());
}
