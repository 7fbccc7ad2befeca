//===- StreamResults.cpp - large results past the caches ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/StreamResults.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

int64_t bytesOf(MemRefType type) {
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return 0;
  return type.getNumElements() *
         std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

/// What works element by element, each written once.
bool writesElements(Operation *op) {
  if (auto move = dyn_cast<block::MoveOp>(op))
    return !move.getLayout();
  return isa<block::UnaryOp, block::BinaryOp, block::CastOp, block::SelectOp>(
      op);
}

struct StreamResultsPass : TargetPass<StreamResultsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StreamResultsPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "stream-results"; }
  StringRef getDescription() const override {
    return "write large results past the caches";
  }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<block::KernelOp>())
      streamResults(kernel, *machine);
  }
};

} // namespace

void streamResults(block::KernelOp kernel, const target::Target &target) {
  if (target.streamingBytes.value <= 0)
    return;
  // Instructions by the argument they touch.
  llvm::DenseMap<Value, SmallVector<Operation *, 2>> users;
  kernel.getBody().walk([&](Operation *op) {
    if (!block::isInstruction(op))
      return;
    block::Accesses accesses = block::accessesOf(op);
    for (Value memref : llvm::concat<Value>(accesses.reads, accesses.writes)) {
      auto &touching = users[block::underlyingBuffer(memref)];
      if (!llvm::is_contained(touching, op))
        touching.push_back(op);
    }
  });
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    auto touching = users.find(argument);
    if (!type || double(bytesOf(type)) < target.streamingBytes.value ||
        touching == users.end() || touching->second.size() != 1)
      continue;
    Operation *op = touching->second.front();
    block::Accesses accesses = block::accessesOf(op);
    bool reads = llvm::any_of(accesses.reads, [&](Value memref) {
      return block::underlyingBuffer(memref) == argument;
    });
    if (!reads && writesElements(op))
      op->setAttr(block::streamingAttrName, UnitAttr::get(op->getContext()));
  }
}

std::unique_ptr<Pass> createStreamResultsPass(TargetPtr target) {
  return std::make_unique<StreamResultsPass>(std::move(target));
}

} // namespace tilewright::pass
