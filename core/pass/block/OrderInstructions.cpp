//===- OrderInstructions.cpp - instructions on pipes, in order ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/OrderInstructions.h"
#include "core/pass/block/InstructionPipes.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

/// Whether `later` must stay behind `earlier`.
bool depends(Operation *later, Operation *earlier) {
  for (Value operand : later->getOperands())
    if (operand.getDefiningOp() == earlier)
      return true;
  if (later->getNumRegions() || earlier->getNumRegions() ||
      isa<block::SetEventOp, block::WaitEventOp, block::BarrierOp>(later) ||
      isa<block::SetEventOp, block::WaitEventOp, block::BarrierOp>(earlier))
    return true;
  block::Accesses a = block::accessesOf(earlier), b = block::accessesOf(later);
  auto overlap = [](ArrayRef<Value> xs, ArrayRef<Value> ys) {
    return llvm::any_of(xs, [&](Value x) {
      return llvm::any_of(ys, [&](Value y) {
        return block::underlyingBuffer(x) == block::underlyingBuffer(y);
      });
    });
  };
  return overlap(a.writes, b.reads) || overlap(a.reads, b.writes) ||
         overlap(a.writes, b.writes);
}

/// Lets loads from global memory pass what they do not depend on.
void hoistLoads(Block &block) {
  SmallVector<Operation *> loads;
  for (Operation &op : block)
    if (auto move = dyn_cast<block::MoveOp>(op))
      if (block::levelOf(cast<MemRefType>(move.getSource().getType())) ==
          block::globalLevel)
        loads.push_back(&op);
  for (Operation *load : loads) {
    Operation *before = load;
    // Not past other loads: their order says which is needed first.
    for (Operation *op = load->getPrevNode(); op; op = op->getPrevNode()) {
      if (depends(load, op) || block::pipeOf(op) == block::pipeOf(load))
        break;
      if (block::isInstruction(op))
        before = op;
    }
    if (before != load)
      load->moveBefore(before);
  }
}

struct OrderInstructionsPass : TargetPass<OrderInstructionsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderInstructionsPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "order-instructions"; }
  StringRef getDescription() const override {
    return "put instructions on pipes and in their final order";
  }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<block::KernelOp>())
      if (failed(orderInstructions(kernel, *machine)))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult orderInstructions(block::KernelOp kernel,
                                const target::Target &target) {
  if (failed(assignPipes(kernel, target)))
    return failure();
  hoistLoads(kernel.getBody().front());
  kernel.getBody().walk([&](scf::ForOp loop) { hoistLoads(*loop.getBody()); });
  return success();
}

std::unique_ptr<Pass> createOrderInstructionsPass(TargetPtr target) {
  return std::make_unique<OrderInstructionsPass>(std::move(target));
}

} // namespace tilewright::pass
