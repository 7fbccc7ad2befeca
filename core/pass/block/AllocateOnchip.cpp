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

/// The buffers that are alive together where most bytes are, in program order.
SmallVector<const BufferLife *> atPeak(const LevelPlan &plan) {
  auto aliveAt = [&](unsigned step) {
    SmallVector<const BufferLife *> alive;
    for (const BufferLife &life : plan.buffers)
      if (life.first <= step && step <= life.last)
        alive.push_back(&life);
    return alive;
  };
  // The most are alive where one of them begins.
  SmallVector<const BufferLife *> peak;
  int64_t most = -1;
  for (const BufferLife &life : plan.buffers) {
    SmallVector<const BufferLife *> alive = aliveAt(life.first);
    int64_t bytes = 0;
    for (const BufferLife *each : alive)
      bytes += each->bytes;
    if (bytes > most) {
      most = bytes;
      peak = std::move(alive);
    }
  }
  return peak;
}

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
      SmallVector<const BufferLife *> peak = atPeak(plan);
      int64_t together = 0;
      for (const BufferLife *life : peak) {
        BufferLife buffer = *life; // for its name
        StringRef key = primaryKey(buffer.alloc);
        error << (together ? ", " : " ") << key.substr(key.rfind('/') + 1)
              << " " << decision::formatBytes(life->bytes);
        together += life->bytes;
      }
      if (together < plan.top)
        error << "; " << decision::formatBytes(together)
              << " at once, the rest between them";
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
