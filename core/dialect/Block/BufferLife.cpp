//===- BufferLife.cpp - when on-chip buffers are alive --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Block/BufferLife.h"

using namespace mlir;

namespace tilewright::block {

ProgramPositions positionsIn(KernelOp kernel) {
  ProgramPositions positions;
  unsigned next = 0;
  std::function<void(Operation *)> number = [&](Operation *op) {
    unsigned begin = next++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    positions[op] = {begin, op->getNumRegions() ? next++ : begin};
  };
  number(kernel);
  return positions;
}

SmallVector<BufferLife> livesIn(KernelOp kernel,
                                const ProgramPositions &positions) {
  SmallVector<BufferLife> lives;
  kernel.walk([&](AllocOp alloc) {
    BufferLife life;
    life.alloc = alloc;
    life.number = lives.size();
    life.bytes = bytesOf(cast<MemRefType>(alloc.getType()));
    life.offset = alloc.getOffset().value_or(0);
    SmallVector<Operation *> uses = usesOfBuffer(alloc.getResult());
    life.first = ~0u;
    for (Operation *use : uses) {
      // A use in a loop that the buffer was not made in lasts for the loop.
      Operation *at = use;
      for (Operation *parent = use->getParentOp();
           parent != alloc->getParentOp() && parent != kernel;
           parent = parent->getParentOp())
        if (isa<LoopLikeOpInterface>(parent))
          at = parent;
      auto [first, last] = positions.lookup(at);
      life.first = std::min(life.first, first);
      life.last = std::max(life.last, last);
    }
    life.used = !uses.empty();
    if (!life.used)
      life.first = life.last = positions.lookup(alloc).first;
    lives.push_back(life);
  });
  return lives;
}

SmallVector<Operation *> usesOfBuffer(Value buffer) {
  SmallVector<Operation *> uses;
  SmallVector<Value> views = {buffer};
  while (!views.empty()) {
    Value memref = views.pop_back_val();
    for (Operation *user : memref.getUsers())
      if (auto view = dyn_cast<ViewLikeOpInterface>(user);
          view && view.getViewSource() == memref)
        views.push_back(user->getResult(0));
      else
        uses.push_back(user);
  }
  return uses;
}

int64_t bytesOf(MemRefType type) {
  int64_t bits =
      type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 64;
  return type.getNumElements() * ((bits + 7) / 8);
}

} // namespace tilewright::block
