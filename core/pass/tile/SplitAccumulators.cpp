//===- SplitAccumulators.cpp - add to sums where they can be read ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/SplitAccumulators.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewright::pass {

/// Whether sums can begin with what lies in global memory.
static bool loadsSums(const target::Target &target) {
  const target::Placement *placement = target.placement("matmul");
  if (!placement || placement->result.empty())
    return true; // another pass says that there is no matmul here
  const std::string &level = placement->result.front().level;
  return target.isCache(level) ||
         target.move(target::Target::globalMemory, level);
}

void splitAccumulators(ModuleOp module, const target::Target &target) {
  if (loadsSums(target))
    return;
  SmallVector<tw::MatmulOp> matmuls;
  // What is in a scope has been cut up already; loops over k are there.
  for (auto func : module.getOps<func::FuncOp>())
    if (!func->hasAttr(tile::scopeAttrName))
      func.walk([&](tw::MatmulOp op) {
        if (op.getAcc())
          matmuls.push_back(op);
      });
  for (tw::MatmulOp op : matmuls) {
    OpBuilder builder(op);
    RankedTensorType type = op.getType();
    auto wide = cast<RankedTensorType>(type.clone(builder.getF32Type()));
    auto at = [&](StringRef part) { return keyPart(op.getLoc(), part); };
    Value product = builder.create<tw::MatmulOp>(
        at("product"), wide, op.getLhs(), op.getRhs(), /*acc=*/Value(),
        op.getTransposeLhsAttr(), op.getTransposeRhsAttr());
    Value start = op.getAcc();
    Value sum;
    if (type == wide) {
      sum = builder.create<tw::AddOp>(op.getLoc(), type, product, start);
    } else {
      start = builder.create<tw::CastOp>(at("wide_acc"), start,
                                         builder.getF32Type());
      sum = builder.create<tw::AddOp>(at("wide_result"), wide, product, start);
      sum = builder.create<tw::CastOp>(op.getLoc(), type, sum);
    }
    op.getResult().replaceAllUsesWith(sum);
    op.erase();
  }
}

namespace {
struct SplitAccumulatorsPass : TargetPass<SplitAccumulatorsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitAccumulatorsPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "split-accumulators"; }
  StringRef getDescription() const override {
    return "add after the product where sums cannot begin with a tensor";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<tw::TensorDialect>();
  }
  void runOnOperation() override {
    splitAccumulators(getOperation(), *machine);
  }
};
} // namespace

std::unique_ptr<Pass> createSplitAccumulatorsPass(TargetPtr target) {
  return std::make_unique<SplitAccumulatorsPass>(std::move(target));
}

} // namespace tilewright::pass
