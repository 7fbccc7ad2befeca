//===- BodyConstants.cpp - constants in the bodies that use them ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tensor/BodyConstants.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tilewright::pass {

void keepConstantsInBodies(Operation *root) {
  SmallVector<Operation *> left;
  root->walk([&](linalg::LinalgOp op) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured) {
      Operation *constant = value.getDefiningOp();
      if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
        continue;
      OpBuilder builder = OpBuilder::atBlockBegin(op.getBlock());
      Value inside = builder.clone(*constant)->getResult(0);
      replaceAllUsesInRegionWith(value, inside, op->getRegion(0));
      left.push_back(constant);
    }
  });
  // One that several bodies use is there once for each.
  for (Operation *constant :
       llvm::SetVector<Operation *>(left.begin(), left.end()))
    if (constant->use_empty())
      constant->erase();
}

} // namespace tilewright::pass
