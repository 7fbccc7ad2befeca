//===- Index.cpp - index arithmetic that folds ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/Index.h"
#include "core/execute/IndexMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::execute {

Value IndexBuilder::value(Index index) {
  if (index.value)
    return index.value;
  return b.create<arith::ConstantIntOp>(loc, index.number, 64);
}

Index IndexBuilder::add(Index x, Index y) {
  if (x.isKnown() && y.isKnown())
    return x.number + y.number;
  if (x.is(0))
    return y;
  if (y.is(0))
    return x;
  return b.create<arith::AddIOp>(loc, value(x), value(y)).getResult();
}

Index IndexBuilder::sub(Index x, Index y) {
  if (x.isKnown() && y.isKnown())
    return x.number - y.number;
  if (y.is(0))
    return x;
  if (x == y)
    return 0;
  return b.create<arith::SubIOp>(loc, value(x), value(y)).getResult();
}

Index IndexBuilder::mul(Index x, Index y) {
  if (x.isKnown() && y.isKnown())
    return x.number * y.number;
  if (x.is(0) || y.is(0))
    return 0;
  if (x.is(1))
    return y;
  if (y.is(1))
    return x;
  return b.create<arith::MulIOp>(loc, value(x), value(y)).getResult();
}

Index IndexBuilder::min(Index x, Index y) {
  if (x.isKnown() && y.isKnown())
    return std::min(x.number, y.number);
  if (x == y)
    return x;
  return b.create<arith::MinSIOp>(loc, value(x), value(y)).getResult();
}

Index IndexBuilder::max(Index x, Index y) {
  if (x.isKnown() && y.isKnown())
    return std::max(x.number, y.number);
  if (x == y)
    return x;
  return b.create<arith::MaxSIOp>(loc, value(x), value(y)).getResult();
}

Index IndexBuilder::floorDiv(Index x, Index y) {
  if (x.isKnown() && y.isKnown())
    return execute::floorDiv(x.number, y.number);
  if (y.is(1))
    return x;
  // An arithmetic shift rounds down.
  if (y.isKnown() && llvm::isPowerOf2_64(uint64_t(y.number)))
    return b
        .create<arith::ShRSIOp>(
            loc, value(x), value(int64_t(llvm::Log2_64(uint64_t(y.number)))))
        .getResult();
  Value quotient = b.create<arith::DivSIOp>(loc, value(x), value(y));
  Value rest = b.create<arith::RemSIOp>(loc, value(x), value(y));
  Value zero = value(0);
  Value inexact =
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, rest, zero);
  Value signs = b.create<arith::XOrIOp>(loc, rest, value(y));
  Value negative =
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, signs, zero);
  Value lower = b.create<arith::AndIOp>(loc, inexact, negative);
  Value step = b.create<arith::ExtSIOp>(loc, b.getI64Type(), lower);
  return b.create<arith::AddIOp>(loc, quotient, step).getResult();
}

Index IndexBuilder::ceilDiv(Index x, Index y) {
  if (x.isKnown() && y.isKnown())
    return execute::ceilDiv(x.number, y.number);
  if (y.is(1))
    return x;
  // ceil(x / y) = -floor(-x / y)
  return sub(0, floorDiv(sub(0, x), y));
}

Index IndexBuilder::mod(Index x, Index y) {
  if (y.is(1))
    return 0;
  return sub(x, mul(floorDiv(x, y), y));
}

Index IndexBuilder::roundDown(Index x, int64_t y) {
  if (x.isKnown())
    return x.number - x.number % y;
  if (llvm::isPowerOf2_64(uint64_t(y)))
    return b.create<arith::AndIOp>(loc, value(x), value(-y)).getResult();
  return mul(b.create<arith::DivSIOp>(loc, value(x), value(y)).getResult(), y);
}

Index IndexBuilder::evaluate(AffineExpr expr, unsigned dims,
                             ArrayRef<Index> operands) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return cast<AffineConstantExpr>(expr).getValue();
  case AffineExprKind::DimId:
    return operands[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return operands[dims + cast<AffineSymbolExpr>(expr).getPosition()];
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Index x = evaluate(binary.getLHS(), dims, operands);
  Index y = evaluate(binary.getRHS(), dims, operands);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(x, y);
  case AffineExprKind::Mul:
    return mul(x, y);
  case AffineExprKind::FloorDiv:
    return floorDiv(x, y);
  case AffineExprKind::CeilDiv:
    return ceilDiv(x, y);
  default:
    return mod(x, y);
  }
}

SmallVector<Index> IndexBuilder::apply(AffineMap map,
                                       ArrayRef<Index> operands) {
  SmallVector<Index> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(evaluate(expr, map.getNumDims(), operands));
  return results;
}

} // namespace tilewright::execute
