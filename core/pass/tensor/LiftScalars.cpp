//===- LiftScalars.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tensor/LiftScalars.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::pass {

static bool isNumber(Type type) {
  return isa<FloatType>(type) || type.isSignlessInteger();
}

static Value constantTensor(OpBuilder &builder, Location loc,
                            RankedTensorType type, Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return builder.create<tw::FullOp>(loc, type, number.getValueAsDouble());
  return builder.create<arith::ConstantOp>(
      loc, cast<TypedAttr>(DenseElementsAttr::get(type, value)));
}

Value LiftScalars::lift(Value scalar) {
  auto known = lifted.find(scalar);
  if (known != lifted.end())
    return known->second;
  Operation *op = scalar.getDefiningOp();
  if (!op || op->getNumResults() != 1 || !isNumber(scalar.getType()))
    return {};
  auto type = RankedTensorType::get({}, scalar.getType());
  Location loc = op->getLoc();
  OpBuilder::InsertionGuard guard(builder);
  Value tensor;
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant))) {
    builder.setInsertionPointAfter(op);
    tensor = constantTensor(builder, loc, type, constant);
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<int64_t> offsets;
    for (Value index : extract.getIndices()) {
      APInt at;
      if (!matchPattern(index, m_ConstantInt(&at)))
        return {};
      offsets.push_back(at.getSExtValue());
    }
    tensor = extract.getTensor();
    auto from = cast<RankedTensorType>(tensor.getType());
    if (!from.hasStaticShape())
      return {};
    builder.setInsertionPointAfter(op);
    if (from.getRank() > 0) {
      SmallVector<int64_t> ones(from.getRank(), 1);
      tensor = builder.create<tw::SliceOp>(
          keyPart(loc, "slice"), from.clone(ones), tensor,
          builder.getDenseI64ArrayAttr(offsets),
          builder.getDenseI64ArrayAttr(ones), DenseI64ArrayAttr());
      tensor = builder.create<tw::ReshapeOp>(loc, type, tensor);
    }
  } else if (OpTrait::hasElementwiseMappableTraits(op)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(lift(operand));
      if (!operands.back())
        return {};
    }
    builder.setInsertionPointAfter(op);
    OperationState state(loc, op->getName(), operands, TypeRange(type),
                         op->getAttrs());
    Operation *whole = builder.create(state);
    made.push_back(whole);
    tensor = whole->getResult(0);
  }
  if (tensor)
    lifted[scalar] = tensor;
  return tensor;
}

Value LiftScalars::splat(Value scalar, RankedTensorType type, Location loc) {
  if (!type.hasStaticShape() || scalar.getType() != type.getElementType() ||
      !isNumber(scalar.getType()))
    return {};
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return constantTensor(builder, loc, type, constant);
  Value tensor = lift(scalar);
  if (!tensor)
    return {};
  // There is no operator that only stretches; a choice between equals does.
  Value everywhere = builder.create<tw::FullOp>(
      keyPart(loc, "everywhere"),
      RankedTensorType::get(type.getShape(), builder.getI1Type()), 1.0);
  return builder.create<tw::SelectOp>(loc, type, everywhere, tensor, tensor);
}

} // namespace tilewright::pass
