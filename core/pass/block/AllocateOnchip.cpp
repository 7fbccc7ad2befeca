//===- AllocateOnchip.cpp - offsets of on-chip buffers --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/AllocateOnchip.h"
#include "core/decision/TileProblem.h"
#include "core/dialect/Key.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

struct Life {
  block::AllocOp alloc;
  unsigned number = 0;          ///< in program order
  unsigned first = 0, last = 0; ///< positions, both included
  int64_t bytes = 0;
  int64_t offset = 0;
};

int64_t bytesOf(MemRefType type) {
  int64_t bits =
      type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 64;
  return type.getNumElements() * ((bits + 7) / 8);
}

/// Uses of a buffer and of all its views.
void collectUses(Value memref, SmallVectorImpl<Operation *> &uses) {
  for (Operation *user : memref.getUsers()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user);
        view && view.getViewSource() == memref)
      collectUses(user->getResult(0), uses);
    else
      uses.push_back(user);
  }
}

SmallVector<Life> livesOf(block::KernelOp kernel) {
  // Positions in program order; a loop spans those of its body.
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> span;
  unsigned next = 0;
  std::function<void(Operation *)> number = [&](Operation *op) {
    unsigned begin = next++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    span[op] = {begin, op->getNumRegions() ? next++ : begin};
  };
  number(kernel);

  SmallVector<Life> lives;
  kernel.walk([&](block::AllocOp alloc) {
    Life life;
    life.alloc = alloc;
    life.number = lives.size();
    life.bytes = bytesOf(cast<MemRefType>(alloc.getType()));
    SmallVector<Operation *> uses;
    collectUses(alloc.getResult(), uses);
    life.first = ~0u;
    for (Operation *use : uses) {
      // A use in a loop that the buffer was not made in lasts for the loop.
      Operation *at = use;
      for (Operation *parent = use->getParentOp();
           parent != alloc->getParentOp() && parent != kernel;
           parent = parent->getParentOp())
        if (isa<LoopLikeOpInterface>(parent))
          at = parent;
      life.first = std::min(life.first, span[at].first);
      life.last = std::max(life.last, span[at].second);
    }
    if (uses.empty())
      life.first = life.last = span[alloc].first;
    lives.push_back(life);
  });
  return lives;
}

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
  llvm::MapVector<StringRef, SmallVector<Life>> byLevel;
  for (Life &life : livesOf(kernel))
    byLevel[block::levelOf(cast<MemRefType>(life.alloc.getType()))].push_back(
        life);
  for (auto &[name, lives] : byLevel) {
    const target::Level *level = target.level(name.str());
    if (!level)
      return lives.front().alloc.emitError()
             << "lies at " << name << ", a level " << target.name
             << " lacks [TW0309]";
    int64_t alignment = std::max<int64_t>(1, level->alignment);
    auto align = [&](int64_t bytes) {
      return (bytes + alignment - 1) / alignment * alignment;
    };
    llvm::sort(lives, [](const Life &a, const Life &b) {
      return std::pair(a.first, a.number) < std::pair(b.first, b.number);
    });
    // Room shared in time makes pipes wait for each other, so that in a memory
    // it is shared only where there is not enough; in a cache sharing is what
    // keeps data near.
    int64_t usable = target.usableBytes(name.str());
    int64_t apart = 0;
    for (Life &life : lives) {
      life.offset = align(apart);
      apart = life.offset + life.bytes;
    }
    bool share = level->kind == "cache" || apart > usable;
    int64_t top = share ? 0 : apart;
    for (size_t i = 0; share && i < lives.size(); ++i) {
      // Gaps between those that live at the same time, lowest first.
      SmallVector<std::pair<int64_t, int64_t>> taken;
      for (size_t j = 0; j < i; ++j)
        if (lives[j].first <= lives[i].last && lives[i].first <= lives[j].last)
          taken.push_back({lives[j].offset, lives[j].offset + lives[j].bytes});
      llvm::sort(taken);
      int64_t offset = 0;
      for (auto [begin, end] : taken) {
        if (offset + lives[i].bytes <= begin)
          break;
        offset = std::max(offset, align(end));
      }
      lives[i].offset = offset;
      top = std::max(top, offset + lives[i].bytes);
    }
    // A cache that is too small is slow; a memory that is too small is none.
    if (top > usable && level->kind != "cache") {
      InFlightDiagnostic error = kernel.emitError();
      error << name.str() << " needs " << decision::formatBytes(top) << " of "
            << decision::formatBytes(usable) << " usable:";
      bool first = true;
      for (const Life &life : lives) {
        StringRef key = primaryKey(life.alloc);
        error << (first ? " " : ", ") << key.substr(key.rfind('/') + 1) << " "
              << decision::formatBytes(life.bytes);
        first = false;
      }
      error << "; smaller tiles would fit [" << onchipFullCode << "]";
      return failure();
    }
    for (Life &life : lives)
      life.alloc.setOffset(life.offset);
  }
  return success();
}

std::unique_ptr<Pass> createAllocateOnchipPass(TargetPtr target) {
  return std::make_unique<AllocateOnchipPass>(std::move(target));
}

} // namespace tilewright::pass
