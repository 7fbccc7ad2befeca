//===- OnchipPlan.cpp - room for on-chip buffers --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/OnchipPlan.h"
#include "core/pass/block/InstructionPipes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

using Lives = SmallVectorImpl<BufferLife>;

int64_t alignTo(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Places the buffers in the given order, each in the gaps between those that
/// live at the same time. `spread`: where the bytes have been unused longest,
/// as long as that stays below `limit`; else lowest. Returns how far they
/// reach.
int64_t pack(Lives &lives, ArrayRef<unsigned> order, int64_t alignment,
             bool spread, int64_t limit) {
  int64_t top = 0;
  SmallVector<unsigned> placed;
  for (unsigned i : order) {
    BufferLife &life = lives[i];
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (unsigned j : placed)
      if (lives[j].first <= life.last && life.first <= lives[j].last)
        taken.push_back({lives[j].offset, lives[j].offset + lives[j].bytes});
    llvm::sort(taken);
    // Candidates: behind each buffer, whether it lives at the same time or
    // not, and at the start.
    SmallVector<int64_t> candidates = {0};
    for (unsigned j : placed)
      candidates.push_back(
          alignTo(lives[j].offset + lives[j].bytes, alignment));
    llvm::sort(candidates);
    int64_t best = -1;
    std::pair<int64_t, int64_t> bestCost;
    for (int64_t offset : candidates) {
      int64_t end = offset + life.bytes;
      if (llvm::any_of(taken, [&](auto &range) {
            return offset < range.second && range.first < end;
          }))
        continue;
      // The latest use, before this one begins, of any of the bytes.
      int64_t used = -1;
      if (spread)
        for (unsigned j : placed)
          if (offset < lives[j].offset + lives[j].bytes &&
              lives[j].offset < end)
            used = std::max(used, int64_t(lives[j].last));
      if (spread && end > limit)
        used = int64_t(1) << 40;
      std::pair<int64_t, int64_t> cost = {used, offset};
      if (best < 0 || cost < bestCost) {
        best = offset;
        bestCost = cost;
      }
    }
    life.offset = best;
    top = std::max(top, best + life.bytes);
    placed.push_back(i);
  }
  return top;
}

void place(LevelPlan &plan, int64_t alignment) {
  Lives &lives = plan.buffers;
  auto byTime = llvm::to_vector(llvm::seq<unsigned>(0, lives.size()));
  llvm::sort(byTime, [&](unsigned a, unsigned b) {
    return std::pair(lives[a].first, lives[a].number) <
           std::pair(lives[b].first, lives[b].number);
  });
  // In a cache sharing is what keeps data near.
  if (plan.mayOverflow) {
    plan.top = pack(lives, byTime, alignment, false, plan.usable);
    return;
  }
  // Room shared in time makes pipes wait for each other, so that in a memory it
  // is shared only where there is not enough, and then what was used last is
  // taken again last.
  plan.top = pack(lives, byTime, alignment, true, plan.usable);
  if (plan.fits())
    return;
  // Tighter: first fit in several orders; the large and the long-lived first
  // leave the least holes.
  auto sorted = [&](auto measure) {
    auto order = byTime;
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::tuple(-measure(lives[a]), lives[a].first, a) <
             std::tuple(-measure(lives[b]), lives[b].first, b);
    });
    return order;
  };
  auto bySize = sorted([](const BufferLife &life) { return life.bytes; });
  auto byLength = sorted([](const BufferLife &life) {
    return int64_t(life.last) - int64_t(life.first);
  });
  SmallVector<BufferLife, 8> best(lives.begin(), lives.end());
  for (const auto &order : {byTime, byLength, bySize}) {
    int64_t top = pack(lives, order, alignment, false, plan.usable);
    if (top < plan.top) {
      plan.top = top;
      best.assign(lives.begin(), lives.end());
    }
  }
  lives.assign(best.begin(), best.end());
}

} // namespace

FailureOr<SmallVector<LevelPlan, 4>> planOnchip(block::KernelOp kernel,
                                                const target::Target &target) {
  llvm::MapVector<StringRef, LevelPlan> byLevel;
  for (BufferLife &life : block::livesIn(kernel, block::positionsIn(kernel))) {
    StringRef name = block::levelOf(cast<MemRefType>(life.alloc.getType()));
    LevelPlan &plan = byLevel[name];
    if (plan.level.empty()) {
      const target::Level *level = target.level(name.str());
      if (!level)
        return life.alloc.emitError() << "lies at " << name << ", a level "
                                      << target.name << " lacks [TW0309]";
      plan.level = name.str();
      plan.usable = target.usableBytes(plan.level);
      plan.mayOverflow = level->kind == "cache";
    }
    plan.buffers.push_back(life);
  }
  SmallVector<LevelPlan, 4> plans;
  for (auto &[name, plan] : byLevel) {
    place(plan, std::max<int64_t>(1, target.level(plan.level)->alignment));
    plans.push_back(std::move(plan));
  }
  return plans;
}

} // namespace tilewright::pass
