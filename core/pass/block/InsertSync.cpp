//===- InsertSync.cpp - events between pipes ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins with an event for every dependency, takes away each without which
// every run is still right (SyncTrace.h tells), and numbers the rest. What
// stays is irreducible by construction: a transitive reduction across pipes,
// program order and the turns of loops.
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/InsertSync.h"
#include "core/pass/block/SyncTrace.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <set>

using namespace mlir;

namespace tilewright::pass {
namespace {

using Site = SyncTrace::Site;
using Point = SyncEvent::Point;

class Synchronizer {
public:
  Synchronizer(block::KernelOp kernel, int64_t eventIds)
      : kernel(kernel), builder(kernel.getContext()), eventIds(eventIds) {
    SmallVector<Operation *> old;
    kernel.getBody().walk([&](Operation *op) {
      if (isa<block::SetEventOp, block::WaitEventOp, block::BarrierOp>(op))
        old.push_back(op);
    });
    for (Operation *op : old)
      op->erase();
    trace.emplace(kernel.getBody());
  }

  LogicalResult run() {
    if (trace->pipes().size() < 2)
      return success();
    propose();
    if (!trace->ordered(events))
      return kernel.emitError()
             << "has dependencies between pipes that no events order [TW0422]";
    joinTurns();
    reduce();
    freeEnds();
    if (failed(numberEvents()))
      return kernel.emitError() << "needs more than " << eventIds
                                << " events between two pipes, and no barrier "
                                   "can take their place [TW0422]";
    insert();
    return success();
  }

private:
  /// Where the paths of two sites part: the operations in the block that holds
  /// both, and the loop around them.
  struct Fork {
    Operation *x, *y, *around;
  };
  static Fork forkOf(const Site &x, const Site &y) {
    size_t i = 0;
    while (x.path[i] == y.path[i])
      ++i;
    return {x.path[i], y.path[i], i ? x.path[i - 1] : nullptr};
  }

  /// For each instruction and other pipe, the latest it depends on: in the same
  /// turn, and in the turn before of each loop. Earlier ones of that pipe
  /// follow.
  void propose() {
    std::set<std::tuple<Operation *, Operation *, unsigned, unsigned>> known;
    for (const Site &y : trace->sites()) {
      llvm::MapVector<std::pair<Operation *, unsigned>, Fork> forward, turns;
      for (const Site &x : trace->sites()) {
        if (x.pipe == y.pipe || !SyncTrace::conflict(x, y))
          continue;
        Fork fork = forkOf(x, y);
        bool earlier = trace->numberOf(fork.x) < trace->numberOf(fork.y);
        if (!earlier && !fork.around)
          continue;
        auto [it, isNew] =
            (earlier ? forward : turns).insert({{fork.around, x.pipe}, fork});
        if (!isNew && trace->numberOf(it->second.x) < trace->numberOf(fork.x))
          it->second = fork;
      }
      auto add = [&](const Fork &fork, unsigned from, bool turn) {
        if (!known.insert({fork.x, fork.y, from, y.pipe}).second)
          return;
        SyncEvent event;
        event.from = from;
        event.to = y.pipe;
        event.sets = {{fork.x, true}};
        event.waits = {{fork.y, false}};
        if (turn) {
          // Set once before all loops and waited for once behind them: from
          // one run of an inner loop to the next the event stays set.
          event.loop = fork.around;
          event.sets.push_back({y.path.front(), false});
          event.waits.push_back({y.path.front(), true});
        }
        events.push_back(std::move(event));
      };
      for (auto &[key, fork] : forward)
        add(fork, key.second, false);
      for (auto &[key, fork] : turns)
        add(fork, key.second, true);
    }
  }

  /// Loops that follow each other and use the same buffers hand the event on,
  /// so that the second need not wait for all of the first.
  void joinTurns() {
    for (size_t b = 0; b < events.size(); ++b) {
      if (!events[b].loop || !events[b].active)
        continue;
      for (size_t a = 0; a < b; ++a) {
        SyncEvent &first = events[a], &second = events[b];
        if (!first.loop || !first.active || first.loop == second.loop ||
            first.from != second.from || first.to != second.to ||
            !related(first, second))
          continue;
        SyncEvent joined = first;
        // The first set and the last wait stay, at the outermost loops.
        Point begin = std::min(first.sets.back(), second.sets.back(),
                               [&](auto &p, auto &q) { return before(p, q); });
        Point end = std::max(first.waits.back(), second.waits.back(),
                             [&](auto &p, auto &q) { return before(p, q); });
        joined.sets.pop_back();
        joined.waits.pop_back();
        joined.sets.append(second.sets.begin(), std::prev(second.sets.end()));
        joined.waits.append(second.waits.begin(),
                            std::prev(second.waits.end()));
        joined.sets.push_back(begin);
        joined.waits.push_back(end);
        SyncEvent kept = first;
        first = joined;
        second.active = false;
        if (trace->ordered(events))
          break;
        first = kept;
        second.active = true;
      }
    }
    drop();
  }

  bool before(const Point &p, const Point &q) const {
    return trace->numberOf(p.op) < trace->numberOf(q.op);
  }

  /// Whether what one lets go is what the other waits for.
  bool related(const SyncEvent &first, const SyncEvent &second) const {
    for (const Site &x : trace->sites())
      if (x.pipe == first.from && inside(x, first.sets.front().op))
        for (const Site &y : trace->sites())
          if (y.pipe == second.to && inside(y, second.waits.front().op) &&
              SyncTrace::conflict(x, y))
            return true;
    return false;
  }
  static bool inside(const Site &site, Operation *op) {
    return llvm::is_contained(site.path, op);
  }

  /// Takes away what is not needed: waits for whole loops first, then what
  /// reaches far, so that the nearest cause of each wait stays.
  void reduce() {
    auto rank = [&](const SyncEvent &event) {
      bool loops = event.sets.front().op->getNumRegions() ||
                   event.waits.front().op->getNumRegions();
      int64_t span = int64_t(trace->numberOf(event.waits.front().op)) -
                     int64_t(trace->numberOf(event.sets.front().op));
      return std::tuple(event.loop ? 1 : 0, loops ? 0 : 1, -std::abs(span));
    };
    SmallVector<SyncEvent *> order;
    for (SyncEvent &event : events)
      order.push_back(&event);
    llvm::sort(order, [&](SyncEvent *a, SyncEvent *b) {
      return std::pair(rank(*a), a) < std::pair(rank(*b), b);
    });
    for (SyncEvent *event : order) {
      event->active = false;
      if (!trace->ordered(events))
        event->active = true;
    }
    drop();
  }

  void drop() {
    llvm::erase_if(events,
                   [](const SyncEvent &event) { return !event.active; });
  }

  /// The first set of an event between turns also waits for whatever its pipe
  /// did before, the last wait holds up whatever its pipe does behind: as early
  /// and as late as they may stand, that is least.
  void freeEnds() {
    SmallVector<Operation *> tops;
    for (const Site &site : trace->sites())
      if (tops.empty() || tops.back() != site.path.front())
        tops.push_back(site.path.front());
    for (SyncEvent &event : events) {
      if (!event.loop)
        continue;
      Point late = event.sets.back();
      SmallVector<Point> places = {{tops.front(), false}};
      for (Operation *top : tops)
        if (trace->numberOf(top) < trace->numberOf(late.op) &&
            llvm::any_of(trace->sites(), [&](const Site &site) {
              return site.pipe == event.from && site.path.front() == top;
            }))
          places.push_back({top, true});
      for (const Point &place : places) {
        event.sets.back() = place;
        if (trace->ordered(events))
          break;
        event.sets.back() = late;
      }
      Point early = event.waits.back();
      for (Operation *top : llvm::reverse(tops)) {
        if (trace->numberOf(top) <= trace->numberOf(early.op))
          break;
        event.waits.back() = {top, true};
        if (trace->ordered(events))
          break;
        event.waits.back() = early;
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // Numbers
  //===--------------------------------------------------------------------===//

  using Pair = std::pair<unsigned, unsigned>;

  LogicalResult numberEvents() {
    std::map<Pair, int64_t> wanted;
    for (const SyncEvent &event : events)
      ++wanted[{event.from, event.to}];
    std::map<Pair, int64_t> next;
    bool scarce = false;
    for (SyncEvent &event : events) {
      Pair pair = {event.from, event.to};
      if (eventIds == 0 || wanted[pair] <= eventIds)
        event.id = next[pair]++;
      else
        scarce = true;
    }
    for (size_t tries = 0; scarce; ++tries) {
      size_t e = 0;
      while (e < events.size() && (events[e].barrier || events[e].id))
        ++e;
      if (e == events.size()) {
        // What took the place of events may have made others superfluous.
        for (SyncEvent &event : events)
          if (!event.barrier) {
            event.active = false;
            event.active = !trace->ordered(events);
          }
        drop();
        return success();
      }
      if (reuseId(events[e]) || merge(events[e].from, events[e].to) ||
          freeId(e))
        continue;
      if (tries > 4 * trace->sites().size() || !useBarrier(e))
        return failure();
    }
    return success();
  }

  /// An id that is free whenever this event needs one.
  bool reuseId(SyncEvent &event) {
    for (int64_t id = 0; id < eventIds; ++id) {
      event.id = id;
      if (trace->ordered(events))
        return true;
    }
    event.id = std::nullopt;
    return false;
  }

  /// One event for two of the same place: set at the later, waited for at the
  /// earlier; the two whose places are nearest. Less overlap, but no pipe
  /// stands still that need not.
  bool merge(unsigned from, unsigned to) {
    SmallVector<std::tuple<unsigned, size_t, size_t>> pairs;
    auto apart = [&](const Point &p, const Point &q) {
      unsigned a = trace->numberOf(p.op), b = trace->numberOf(q.op);
      return a < b ? b - a : a - b;
    };
    for (size_t b = 0; b < events.size(); ++b)
      for (size_t a = 0; a < b; ++a)
        if (mergeable(events[a], events[b]) && events[a].from == from &&
            events[a].to == to)
          pairs.push_back(
              {apart(events[a].sets.front(), events[b].sets.front()) +
                   apart(events[a].waits.front(), events[b].waits.front()),
               a, b});
    llvm::sort(pairs);
    for (auto [distance, a, b] : pairs) {
      SyncEvent &event = events[a], &other = events[b];
      SyncEvent kept = event;
      if (before(event.sets.front(), other.sets.front()))
        event.sets.front() = other.sets.front();
      if (before(other.waits.front(), event.waits.front()))
        event.waits.front() = other.waits.front();
      if (event.loop) {
        if (before(event.sets.back(), other.sets.back()))
          event.sets.back() = other.sets.back();
        if (before(event.waits.back(), other.waits.back()))
          event.waits.back() = other.waits.back();
      }
      event.id = std::nullopt;
      other.active = false;
      if (trace->ordered(events)) {
        drop();
        return true;
      }
      event = kept;
      other.active = true;
    }
    return false;
  }

  static bool mergeable(const SyncEvent &a, const SyncEvent &b) {
    return !a.barrier && !b.barrier && a.from == b.from && a.to == b.to &&
           a.loop == b.loop && a.sets.size() == b.sets.size() &&
           a.waits.size() == b.waits.size() &&
           a.sets.size() == (a.loop ? 2u : 1u) &&
           a.sets.front().op->getBlock() == b.sets.front().op->getBlock() &&
           a.waits.front().op->getBlock() == b.waits.front().op->getBlock();
  }

  /// Makes an id free for the event: the pipe that waited for it before tells
  /// the one that sets it again.
  bool freeId(size_t e) {
    for (size_t o = 0; o < events.size(); ++o) {
      const SyncEvent event = events[e], other = events[o];
      if (o == e || other.barrier || !other.id || other.from != event.from ||
          other.to != event.to || event.loop || other.loop ||
          other.waits.front().op->getBlock() !=
              event.sets.front().op->getBlock() ||
          !before(other.waits.front(), event.sets.front()))
        continue;
      events[e].id = other.id;
      SyncEvent back;
      back.from = event.to;
      back.to = event.from;
      back.sets = {{other.waits.front().op, true}};
      back.waits = {{event.sets.front().op, false}};
      events.push_back(back);
      for (int64_t id = 0; id < eventIds; ++id) {
        events.back().id = id;
        if (trace->ordered(events))
          return true;
      }
      events.pop_back();
      events[e].id = std::nullopt;
    }
    return false;
  }

  bool useBarrier(size_t e) {
    SyncEvent kept = events[e];
    SyncEvent &event = events[e];
    event = SyncEvent();
    event.barrier = true;
    event.waits = {kept.waits.front()};
    if (trace->ordered(events))
      return true;
    event = kept;
    return false;
  }

  //===--------------------------------------------------------------------===//
  // Insertion
  //===--------------------------------------------------------------------===//

  void insert() {
    // In the order in which SyncTrace takes them at one point.
    for (bool sets : {true, false})
      for (const SyncEvent &event : events)
        for (const Point &point : sets ? event.sets : event.waits)
          insertAt(point, event, sets);
  }

  void insertAt(const Point &point, const SyncEvent &event, bool isSet) {
    if (point.after) {
      Operation *&last =
          lastAfter.try_emplace(point.op, point.op).first->second;
      builder.setInsertionPointAfter(last);
      last = make(point.op->getLoc(), event, isSet);
    } else {
      builder.setInsertionPoint(point.op);
      make(point.op->getLoc(), event, isSet);
    }
  }

  Operation *make(Location loc, const SyncEvent &event, bool isSet) {
    if (event.barrier)
      return builder.create<block::BarrierOp>(loc);
    StringRef from = trace->pipes()[event.from], to = trace->pipes()[event.to];
    if (isSet)
      return builder.create<block::SetEventOp>(loc, from, to, *event.id);
    return builder.create<block::WaitEventOp>(loc, from, to, *event.id);
  }

  block::KernelOp kernel;
  OpBuilder builder;
  int64_t eventIds; ///< that a pair of pipes has; 0: no limit
  std::optional<SyncTrace> trace;
  std::vector<SyncEvent> events;
  llvm::DenseMap<Operation *, Operation *> lastAfter;
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
  return Synchronizer(kernel, int64_t(target.scheduling.eventIds.value)).run();
}

std::unique_ptr<Pass> createInsertSyncPass(TargetPtr target) {
  return std::make_unique<InsertSyncPass>(std::move(target));
}

} // namespace tilewright::pass
