//===- PatternPass.h - passes that are a set of patterns --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/KeyFuser.h"
#include "core/pass/tensor/BodyConstants.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilewright::pass {

/// Rewrites a module with `Derived::addPatterns(RewritePatternSet &)` until
/// nothing changes; operations take over the keys of those they replace.
template <typename Derived>
class PatternPass
    : public mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>> {
public:
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<tw::TensorDialect>();
  }
  mlir::LogicalResult initialize(mlir::MLIRContext *context) override {
    mlir::RewritePatternSet set(context);
    Derived::addPatterns(set);
    patterns = std::move(set);
    return mlir::success();
  }
  void runOnOperation() override {
    KeyFuser fuser(this->getOperation());
    mlir::GreedyRewriteConfig config;
    config.listener = &fuser;
    config.enableRegionSimplification =
        mlir::GreedySimplifyRegionLevel::Disabled;
    bool changed = false;
    (void)mlir::applyPatternsAndFoldGreedily(this->getOperation(), patterns,
                                             config, &changed);
    fuser.finish(this->getOperation());
    keepConstantsInBodies(this->getOperation());
    if (!changed)
      this->markAllAnalysesPreserved();
  }

private:
  mlir::FrozenRewritePatternSet patterns;
};

} // namespace tilewright::pass
