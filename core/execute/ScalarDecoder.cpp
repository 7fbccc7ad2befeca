//===- ScalarDecoder.cpp - arith and math operations as scalar code -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/ScalarDecoder.h"
#include "core/execute/ElementsBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::execute {

/// Wide enough for every scalar type: an APFloat in double.
static double toDouble(APFloat value) {
  bool lost;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

static std::optional<ScalarOp> scalarOp(Operation *op) {
  using R = std::optional<ScalarOp>;
  return llvm::TypeSwitch<Operation *, R>(op)
      .Case([](arith::AddFOp) { return ScalarOp::AddF; })
      .Case([](arith::SubFOp) { return ScalarOp::SubF; })
      .Case([](arith::MulFOp) { return ScalarOp::MulF; })
      .Case([](arith::DivFOp) { return ScalarOp::DivF; })
      .Case([](arith::RemFOp) { return ScalarOp::RemF; })
      .Case([](arith::MaximumFOp) { return ScalarOp::MaximumF; })
      .Case([](arith::MinimumFOp) { return ScalarOp::MinimumF; })
      .Case([](arith::MaxNumFOp) { return ScalarOp::MaxNumF; })
      .Case([](arith::MinNumFOp) { return ScalarOp::MinNumF; })
      .Case([](arith::NegFOp) { return ScalarOp::NegF; })
      .Case([](arith::AddIOp) { return ScalarOp::AddI; })
      .Case([](arith::SubIOp) { return ScalarOp::SubI; })
      .Case([](arith::MulIOp) { return ScalarOp::MulI; })
      .Case([](arith::DivSIOp) { return ScalarOp::DivSI; })
      .Case([](arith::DivUIOp) { return ScalarOp::DivUI; })
      .Case([](arith::CeilDivSIOp) { return ScalarOp::CeilDivSI; })
      .Case([](arith::FloorDivSIOp) { return ScalarOp::FloorDivSI; })
      .Case([](arith::RemSIOp) { return ScalarOp::RemSI; })
      .Case([](arith::RemUIOp) { return ScalarOp::RemUI; })
      .Case([](arith::AndIOp) { return ScalarOp::AndI; })
      .Case([](arith::OrIOp) { return ScalarOp::OrI; })
      .Case([](arith::XOrIOp) { return ScalarOp::XorI; })
      .Case([](arith::ShLIOp) { return ScalarOp::ShlI; })
      .Case([](arith::ShRSIOp) { return ScalarOp::ShrSI; })
      .Case([](arith::ShRUIOp) { return ScalarOp::ShrUI; })
      .Case([](arith::MaxSIOp) { return ScalarOp::MaxSI; })
      .Case([](arith::MinSIOp) { return ScalarOp::MinSI; })
      .Case([](arith::MaxUIOp) { return ScalarOp::MaxUI; })
      .Case([](arith::MinUIOp) { return ScalarOp::MinUI; })
      .Case([](arith::CmpIOp) { return ScalarOp::CmpI; })
      .Case([](arith::CmpFOp) { return ScalarOp::CmpF; })
      .Case([](arith::SelectOp) { return ScalarOp::Select; })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [](auto) { return ScalarOp::IntToInt; })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>(
          [](auto) { return ScalarOp::UIntToInt; })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [](auto) { return ScalarOp::FloatToFloat; })
      .Case([](arith::SIToFPOp) { return ScalarOp::SIntToFloat; })
      .Case([](arith::UIToFPOp) { return ScalarOp::UIntToFloat; })
      .Case([](arith::FPToSIOp) { return ScalarOp::FloatToSInt; })
      .Case([](arith::FPToUIOp) { return ScalarOp::FloatToUInt; })
      .Case([](math::AbsFOp) { return ScalarOp::AbsF; })
      .Case([](math::AbsIOp) { return ScalarOp::AbsI; })
      .Case([](math::ExpOp) { return ScalarOp::Exp; })
      .Case([](math::Exp2Op) { return ScalarOp::Exp2; })
      .Case([](math::ExpM1Op) { return ScalarOp::Expm1; })
      .Case([](math::LogOp) { return ScalarOp::Log; })
      .Case([](math::Log2Op) { return ScalarOp::Log2; })
      .Case([](math::Log1pOp) { return ScalarOp::Log1p; })
      .Case([](math::Log10Op) { return ScalarOp::Log10; })
      .Case([](math::SqrtOp) { return ScalarOp::Sqrt; })
      .Case([](math::RsqrtOp) { return ScalarOp::Rsqrt; })
      .Case([](math::TanhOp) { return ScalarOp::Tanh; })
      .Case([](math::ErfOp) { return ScalarOp::Erf; })
      .Case([](math::SinOp) { return ScalarOp::Sin; })
      .Case([](math::CosOp) { return ScalarOp::Cos; })
      .Case([](math::AtanOp) { return ScalarOp::Atan; })
      .Case([](math::Atan2Op) { return ScalarOp::Atan2; })
      .Case([](math::FloorOp) { return ScalarOp::Floor; })
      .Case([](math::CeilOp) { return ScalarOp::Ceil; })
      .Case([](math::RoundOp) { return ScalarOp::Round; })
      .Case([](math::RoundEvenOp) { return ScalarOp::RoundEven; })
      .Case([](math::TruncOp) { return ScalarOp::Trunc; })
      .Case([](math::PowFOp) { return ScalarOp::PowF; })
      .Case([](math::FmaOp) { return ScalarOp::FmaF; })
      .Default([](Operation *) { return R(); });
}

std::optional<ScalarInstruction> decodeScalar(Operation *op) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  std::optional<Element> type = elementOf(op->getResult(0).getType());
  if (!type)
    return std::nullopt;
  ScalarInstruction code;
  code.type = code.from = *type;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    code.op = ScalarOp::Constant;
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      code.constant.i = *type == Element::I1
                            ? int64_t(integer.getValue().getZExtValue())
                            : integer.getValue().getSExtValue();
    else if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
      code.constant.f = toDouble(real.getValue());
    else
      return std::nullopt;
    return code;
  }
  std::optional<ScalarOp> found = scalarOp(op);
  if (!found || op->getNumOperands() > 3 || op->getNumOperands() == 0)
    return std::nullopt;
  code.op = *found;
  Value last = op->getOperand(op->getNumOperands() - 1);
  std::optional<Element> from = elementOf(last.getType());
  if (!from)
    return std::nullopt;
  code.from = *from;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    code.predicate = uint8_t(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    code.predicate = uint8_t(compare.getPredicate());
  return code;
}

} // namespace tilewright::execute
