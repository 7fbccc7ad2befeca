//===- CommonSubexpressions.cpp - equal operations made one ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/KeyFuser.h"
#include "core/pass/tensor/BodyConstants.h"
#include "core/pass/tensor/TensorPasses.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace tilewright::pass {

namespace {

class CommonSubexpressions
    : public PassWrapper<CommonSubexpressions, OperationPass<ModuleOp>> {
public:
  StringRef getArgument() const override { return "cse"; }
  StringRef getDescription() const override {
    return "Make equal pure operations one that carries the keys of all";
  }
  void runOnOperation() override {
    KeyFuser fuser(getOperation());
    IRRewriter rewriter(&getContext(), &fuser);
    bool changed = false;
    eliminateCommonSubExpressions(rewriter, getAnalysis<DominanceInfo>(),
                                  getOperation(), &changed);
    fuser.finish(getOperation());
    keepConstantsInBodies(getOperation());
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createCsePass() {
  return std::make_unique<CommonSubexpressions>();
}

} // namespace tilewright::pass
