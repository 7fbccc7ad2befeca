//===- InsertSync.cpp - events between pipes ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block by block. A loop inside a block counts as one step that does, on each
// pipe, all that its body does; so waits for what is outside a loop stand
// before it, and waits for what is inside stand behind it. Each pipe carries
// along up to which step it knows the other pipes to be done (a vector clock),
// from which follows which dependencies need no event of their own.
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/InsertSync.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

/// A range of memory: bytes of an on-chip level, or a buffer of which no more
/// is known.
struct Place {
  Value root;
  StringRef level;
  int64_t begin = -1, end = -1;

  bool overlaps(const Place &other) const {
    if (root == other.root)
      return true;
    if (level != other.level || begin < 0 || other.begin < 0)
      return false;
    return begin < other.end && other.begin < end;
  }
};

struct Touched {
  SmallVector<Place, 4> reads, writes;

  void add(const Touched &other) {
    reads.append(other.reads);
    writes.append(other.writes);
  }
  bool conflicts(const Touched &other) const {
    auto overlap = [](ArrayRef<Place> xs, ArrayRef<Place> ys) {
      return llvm::any_of(xs, [&](const Place &x) {
        return llvm::any_of(ys, [&](const Place &y) { return x.overlaps(y); });
      });
    };
    return overlap(writes, other.reads) || overlap(reads, other.writes) ||
           overlap(writes, other.writes);
  }
};

using ByPipe = llvm::MapVector<unsigned, Touched>;

/// One step of a block: an instruction on its pipe, or a loop on several.
struct Step {
  Operation *op = nullptr;
  ByPipe pipes;
  /// For each pair (pipe of this step, other pipe): the step up to which the
  /// other was known to be done when this step began; -1: nothing.
  llvm::DenseMap<std::pair<unsigned, unsigned>, int> known;
};

class Synchronizer {
public:
  explicit Synchronizer(block::KernelOp kernel)
      : kernel(kernel), builder(kernel.getContext()) {}

  void run() {
    SmallVector<Operation *> old;
    kernel.getBody().walk([&](Operation *op) {
      if (isa<block::SetEventOp, block::WaitEventOp, block::BarrierOp>(op))
        old.push_back(op);
    });
    for (Operation *op : old)
      op->erase();
    syncBlock(kernel.getBody().front(), nullptr);
  }

private:
  unsigned pipe(StringRef name) {
    auto [it, isNew] = pipeNumbers.try_emplace(name, pipeNames.size());
    if (isNew)
      pipeNames.push_back(name.str());
    return it->second;
  }

  static Place placeOf(Value memref) {
    Place place;
    place.root = block::underlyingBuffer(memref);
    auto type = cast<MemRefType>(place.root.getType());
    place.level = block::levelOf(type);
    if (auto alloc = place.root.getDefiningOp<block::AllocOp>();
        alloc && alloc.getOffset()) {
      int64_t bits = type.getElementType().isIntOrFloat()
                         ? type.getElementTypeBitWidth()
                         : 64;
      place.begin = *alloc.getOffset();
      place.end = place.begin + type.getNumElements() * ((bits + 7) / 8);
    }
    return place;
  }

  /// What an instruction or a whole loop does, by pipe.
  ByPipe touchedBy(Operation *op) {
    ByPipe result;
    op->walk([&](Operation *inner) {
      if (!block::isInstruction(inner) || block::pipeOf(inner).empty())
        return;
      Touched &touched = result[pipe(block::pipeOf(inner))];
      block::Accesses accesses = block::accessesOf(inner);
      for (Value value : accesses.reads)
        touched.reads.push_back(placeOf(value));
      for (Value value : accesses.writes)
        touched.writes.push_back(placeOf(value));
    });
    return result;
  }

  std::optional<int64_t> takeEvent(unsigned from, unsigned to) {
    unsigned &next = nextEvent[{from, to}];
    if (next >= eventsPerPair)
      return std::nullopt;
    return next++;
  }

  void set(Operation *after, unsigned from, unsigned to, int64_t id) {
    builder.setInsertionPointAfter(after);
    builder.create<block::SetEventOp>(after->getLoc(), pipeNames[from],
                                      pipeNames[to], id);
  }
  void wait(Operation *before, unsigned from, unsigned to, int64_t id) {
    builder.setInsertionPoint(before);
    builder.create<block::WaitEventOp>(before->getLoc(), pipeNames[from],
                                       pipeNames[to], id);
  }

  void syncBlock(Block &block, scf::ForOp loop) {
    SmallVector<Step> steps;
    for (Operation &op : block) {
      ByPipe pipes = touchedBy(&op);
      if (pipes.empty())
        continue;
      steps.emplace_back();
      steps.back().op = &op;
      steps.back().pipes = std::move(pipes);
    }
    // Inner loops first, so that their events are there when ids get scarce:
    // they are what runs most often.
    for (Step &step : steps)
      if (auto inner = dyn_cast<scf::ForOp>(step.op))
        syncBlock(*inner.getBody(), inner);
    if (loop)
      syncTurns(steps, loop);
    syncInOrder(steps);
  }

  /// Dependencies of steps on later steps of the turn before. On earlier ones
  /// and on themselves they follow: the event within a turn tells that the
  /// earlier step is done this time, and so, pipes being in order, last time.
  void syncTurns(ArrayRef<Step> steps, scf::ForOp loop) {
    struct Carried {
      int first = -1; ///< the earliest step that waits
      int last = -1;  ///< the latest step that is waited for
    };
    llvm::MapVector<std::pair<unsigned, unsigned>, Carried> carried;
    for (int x = 0; x < int(steps.size()); ++x)
      for (int y = x + 1; y < int(steps.size()); ++y)
        for (auto &[to, later] : steps[x].pipes)
          for (auto &[from, earlier] : steps[y].pipes)
            if (from != to && earlier.conflicts(later)) {
              Carried &entry = carried[{from, to}];
              entry.first = entry.first < 0 ? x : std::min(entry.first, x);
              entry.last = std::max(entry.last, y);
            }
    // Set once before all loops around this one: from one run of an inner loop
    // to the next the event stays set, as it does from turn to turn. Setting it
    // anew each time could meet one that is still to be waited for.
    Operation *outermost = loop;
    while (isa<scf::ForOp>(outermost->getParentOp()))
      outermost = outermost->getParentOp();
    bool barrier = false;
    for (auto &[pair, entry] : carried) {
      auto [from, to] = pair;
      std::optional<int64_t> id = takeEvent(from, to);
      if (!id) {
        barrier = true;
        continue;
      }
      builder.setInsertionPoint(outermost);
      builder.create<block::SetEventOp>(loop.getLoc(), pipeNames[from],
                                        pipeNames[to], *id);
      wait(steps[entry.first].op, from, to, *id);
      set(steps[entry.last].op, from, to, *id);
      builder.setInsertionPointAfter(outermost);
      builder.create<block::WaitEventOp>(loop.getLoc(), pipeNames[from],
                                         pipeNames[to], *id);
    }
    if (barrier) {
      builder.setInsertionPointToStart(loop.getBody());
      builder.create<block::BarrierOp>(loop.getLoc());
    }
  }

  void syncInOrder(SmallVector<Step> &steps) {
    llvm::DenseMap<std::pair<unsigned, unsigned>, int> known;
    auto knows = [&](auto &map, unsigned who, unsigned of) {
      auto it = map.find({who, of});
      return it == map.end() ? -1 : it->second;
    };
    auto learn = [&](unsigned who, unsigned of, int step) {
      int &have = known.try_emplace({who, of}, -1).first->second;
      have = std::max(have, step);
    };
    for (int x = 0; x < int(steps.size()); ++x) {
      Step &step = steps[x];
      for (auto &[to, later] : step.pipes) {
        // The latest step of each other pipe that this one depends on.
        llvm::MapVector<unsigned, int> needed;
        for (int y = x - 1; y >= 0; --y)
          for (auto &[from, earlier] : steps[y].pipes)
            if (from != to && !needed.count(from) && earlier.conflicts(later))
              needed[from] = y;
        // Latest first: it may make the others follow.
        SmallVector<std::pair<unsigned, int>> order(needed.begin(),
                                                    needed.end());
        llvm::sort(order, [](auto &a, auto &b) {
          return std::pair(-a.second, a.first) < std::pair(-b.second, b.first);
        });
        for (auto [from, y] : order) {
          if (knows(known, to, from) >= y)
            continue;
          if (std::optional<int64_t> id = takeEvent(from, to)) {
            set(steps[y].op, from, to, *id);
            wait(step.op, from, to, *id);
          } else {
            builder.setInsertionPoint(step.op);
            builder.create<block::BarrierOp>(step.op->getLoc());
            for (unsigned who = 0; who < pipeNames.size(); ++who)
              for (unsigned of = 0; of < pipeNames.size(); ++of)
                learn(who, of, x - 1);
            continue;
          }
          learn(to, from, y);
          for (unsigned other = 0; other < pipeNames.size(); ++other)
            if (other != to)
              learn(to, other, knows(steps[y].known, from, other));
        }
      }
      for (auto &[to, later] : step.pipes)
        for (unsigned other = 0; other < pipeNames.size(); ++other)
          step.known[{to, other}] = knows(known, to, other);
    }
  }

  block::KernelOp kernel;
  OpBuilder builder;
  llvm::StringMap<unsigned> pipeNumbers;
  SmallVector<std::string> pipeNames;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> nextEvent;
};

struct InsertSyncPass : TargetPass<InsertSyncPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertSyncPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "insert-sync"; }
  StringRef getDescription() const override {
    return "insert events between pipes";
  }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<block::KernelOp>())
      if (failed(insertSync(kernel, *machine)))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult insertSync(block::KernelOp kernel, const target::Target &target) {
  bool hasPipes = true;
  kernel.getBody().walk([&](Operation *op) {
    if (block::isInstruction(op) && block::pipeOf(op).empty()) {
      if (hasPipes)
        op->emitError() << "is on no pipe; order-instructions first [TW0421]";
      hasPipes = false;
    }
  });
  if (!hasPipes)
    return failure();
  Synchronizer(kernel).run();
  return success();
}

std::unique_ptr<Pass> createInsertSyncPass(TargetPtr target) {
  return std::make_unique<InsertSyncPass>(std::move(target));
}

} // namespace tilewright::pass
