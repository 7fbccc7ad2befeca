//===- ExpEmitter.cpp - the exponential function on vectors ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::execute {

/// x * 2^n with every rounding, overflow and underflow as it should be.
static Value scaleByPower(OpBuilder &b, Location loc, Value x, Value n,
                          int64_t lanes) {
  std::string name =
      "llvm.x86.avx512.mask.scalef.ps." + std::to_string(32 * lanes);
  Value all = b.create<arith::ConstantIntOp>(loc, -1, lanes == 16 ? 16 : 8);
  SmallVector<Value> operands = {x, n, x, all};
  if (lanes == 16) // rounded as everything else
    operands.push_back(b.create<LLVM::ConstantOp>(loc, b.getI32Type(), 4));
  return b
      .create<LLVM::CallIntrinsicOp>(loc, x.getType(), StringRef(name),
                                     operands)
      .getResult(0);
}

Value KernelEmitter::exponential(Value x) {
  int64_t lanes = lanesIn(x);
  if (cpu.vectorBytes != 64 || !elementOf(x).isF32() || lanes > 16)
    return b.create<math::ExpOp>(loc, x);
  if (lanes < 4) {
    // The same as in a vector, so that an element's place changes no bit.
    SmallVector<int64_t> mask;
    for (int64_t i = 0; i < 4; ++i)
      mask.push_back(std::min(i, lanes - 1));
    if (lanes == 1) {
      Value wide = exponential(splat(x, 4));
      return b.create<vector::ExtractOp>(loc, wide, ArrayRef<int64_t>{0});
    }
    Value wide =
        exponential(b.create<vector::ShuffleOp>(loc, x, x, mask).getResult());
    return b.create<vector::ShuffleOp>(loc, wide, wide,
                                       ArrayRef(mask).take_front(lanes));
  }
  auto number = [&](double value) {
    return splat(constant(b.getF32Type(), value), lanes);
  };
  auto fma = [&](Value a, Value c, Value d) -> Value {
    return b.create<vector::FMAOp>(loc, a, c, d);
  };
  auto bound = [&](Value value, arith::CmpFPredicate beyond, double limit) {
    // NaN is beyond no limit, and stays.
    Value out = b.create<arith::CmpFOp>(loc, beyond, value, number(limit));
    return b.create<arith::SelectOp>(loc, out, number(limit), value);
  };
  // Behind these the result is 0 or infinite.
  x = bound(x, arith::CmpFPredicate::OLT, -105);
  x = bound(x, arith::CmpFPredicate::OGT, 89);
  // x = n ln 2 + r, n whole: adding 1.5 * 2^23 rounds to a whole number.
  Value magic = number(0x1.8p23);
  Value n = b.create<arith::SubFOp>(
      loc, fma(x, number(1.44269504088896340736), magic), magic);
  // ln 2 in two parts, the first of few bits: n times it is exact.
  Value r = fma(n, number(-0.693359375), x);
  r = fma(n, number(2.12194440054690583e-4), r);
  // e^r = 1 + r + r^2 p(r) for |r| <= ln 2 / 2; coefficients of Cephes' expf.
  Value p = number(1.9875691500e-4);
  for (double coefficient : {1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                             1.6666665459e-1, 5.0000001201e-1})
    p = fma(p, r, number(coefficient));
  Value square = b.create<arith::MulFOp>(loc, r, r);
  Value y = b.create<arith::AddFOp>(loc, number(1), fma(p, square, r));
  return scaleByPower(b, loc, y, n, lanes);
}

} // namespace tilewright::execute
