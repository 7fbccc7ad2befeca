//===- FlopCount.cpp - arithmetic of a Tensor graph -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/estimate/FlopCount.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace tilewright::estimate {

static double elementsOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasStaticShape() ? double(shaped.getNumElements())
                                           : 0;
}

static double flopOf(Operation *op) {
  if (auto matmul = dyn_cast<tw::MatmulOp>(op)) {
    auto lhs = cast<ShapedType>(matmul.getLhs().getType());
    if (!lhs.hasStaticShape() || lhs.getRank() < 2)
      return 0;
    int64_t k =
        lhs.getDimSize(lhs.getRank() - (matmul.getTransposeLhs() ? 2 : 1));
    return 2 * elementsOf(op->getResult(0).getType()) * double(k);
  }
  if (isa<tw::ReduceOp>(op))
    return elementsOf(op->getOperand(0).getType());
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    double points = 1;
    for (int64_t size : linalgOp.getStaticLoopRanges())
      points *= ShapedType::isDynamic(size) ? 0 : double(size);
    double work = 0;
    for (Operation &inner : linalgOp.getBlock()->without_terminator())
      work += isa<FloatType>(inner.getResult(0).getType());
    return points * work;
  }
  // Operators that only move elements do no arithmetic.
  if (isa<tw::TensorDialect>(op->getDialect()) && op->getNumResults() == 1 &&
      !isa<tw::TransposeOp, tw::ReshapeOp, tw::SliceOp, tw::InsertOp,
           tw::ConcatOp, tw::FullOp, tw::CastOp>(op))
    return elementsOf(op->getResult(0).getType());
  return 0;
}

double countFlop(func::FuncOp function) {
  double flop = 0;
  function.walk([&](Operation *op) {
    if (op->getDialect() && !op->getParentOfType<linalg::LinalgOp>())
      flop += flopOf(op);
  });
  return flop;
}

} // namespace tilewright::estimate
