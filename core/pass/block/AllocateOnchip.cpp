//===- AllocateOnchip.cpp - offsets of on-chip buffers --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/AllocateOnchip.h"
#include "core/decision/TileProblem.h"
#include "core/dialect/Key.h"
#include "core/pass/block/OnchipPlan.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

struct AllocateOnchipPass : TargetPass<AllocateOnchipPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateOnchipPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "allocate-onchip"; }
  StringRef getDescription() const override {
    return "give on-chip buffers their offsets";
  }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<block::KernelOp>())
      if (failed(allocateOnchip(kernel, *machine)))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult allocateOnchip(block::KernelOp kernel,
                             const target::Target &target) {
  auto plans = planOnchip(kernel, target);
  if (failed(plans))
    return failure();
  for (LevelPlan &plan : *plans) {
    if (!plan.fits()) {
      InFlightDiagnostic error = kernel.emitError();
      error << plan.level << " needs " << decision::formatBytes(plan.top)
            << " of " << decision::formatBytes(plan.usable) << " usable:";
      bool first = true;
      for (const BufferLife &life : plan.buffers) {
        StringRef key = primaryKey(life.alloc);
        error << (first ? " " : ", ") << key.substr(key.rfind('/') + 1) << " "
              << decision::formatBytes(life.bytes);
        first = false;
      }
      error << "; smaller tiles would fit [" << onchipFullCode << "]";
      return failure();
    }
    for (BufferLife &life : plan.buffers)
      life.alloc.setOffset(life.offset);
  }
  return success();
}

std::unique_ptr<Pass> createAllocateOnchipPass(TargetPtr target) {
  return std::make_unique<AllocateOnchipPass>(std::move(target));
}

} // namespace tilewright::pass
