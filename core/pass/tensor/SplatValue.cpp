//===- SplatValue.cpp - tensors with one value everywhere -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tensor/SplatValue.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::pass {

static double toDouble(APFloat value) {
  bool lost;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

std::optional<double> splatValue(Value value) {
  if (auto full = value.getDefiningOp<tw::FullOp>()) {
    auto type = dyn_cast<FloatType>(full.getType().getElementType());
    if (!type)
      return full.getValue().convertToDouble();
    bool lost;
    APFloat rounded = full.getValue();
    rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &lost);
    return toDouble(rounded);
  }
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return std::nullopt;
  if (isa<FloatType>(splat.getElementType()))
    return toDouble(splat.getSplatValue<APFloat>());
  if (isa<IntegerType>(splat.getElementType()))
    return double(splat.getSplatValue<APInt>().getSExtValue());
  return std::nullopt;
}

} // namespace tilewright::pass
