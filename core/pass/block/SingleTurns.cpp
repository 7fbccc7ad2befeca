//===- SingleTurns.cpp - loops that run once ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/SingleTurns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewright::pass {

/// The constant that an affine operation on constants computes.
static IntegerAttr constantOf(Operation *op) {
  if (!isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    Attribute value;
    if (!matchPattern(operand, m_Constant(&value)))
      return {};
    operands.push_back(value);
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return {};
  return dyn_cast_or_null<IntegerAttr>(dyn_cast<Attribute>(results.front()));
}

void writeOutSingleTurns(block::KernelOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  // What one loop leaves may be known of those inside it.
  for (bool changed = true; changed;) {
    changed = false;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (IntegerAttr value = constantOf(op)) {
        rewriter.setInsertionPoint(op);
        rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, value.getInt());
        changed = true;
        return WalkResult::skip();
      }
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop || failed(loop.promoteIfSingleIteration(rewriter)))
        return WalkResult::advance();
      changed = true;
      return WalkResult::skip();
    });
  }
}

} // namespace tilewright::pass
