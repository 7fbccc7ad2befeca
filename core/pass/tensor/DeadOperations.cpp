//===- DeadOperations.cpp - operations nobody needs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tensor/TensorPasses.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::pass {

namespace {

class DeadOperations
    : public PassWrapper<DeadOperations, OperationPass<ModuleOp>> {
public:
  StringRef getArgument() const override { return "dce"; }
  StringRef getDescription() const override {
    return "Remove operations without effect whose results nobody reads";
  }
  void runOnOperation() override {
    bool changed = false;
    // From users to producers, so that one walk is enough within a block.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [&](Operation *op) {
          if (!isOpTriviallyDead(op))
            return;
          op->erase();
          changed = true;
        });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createDcePass() {
  return std::make_unique<DeadOperations>();
}

} // namespace tilewright::pass
