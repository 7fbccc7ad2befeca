//===- SyncTest.cpp - events order all that shares memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel's control flow, gives each pipe its queue, and lets the pipes
// go as far ahead as events allow. Vector clocks tell what happens before what.
// Any two instructions of different pipes that touch the same bytes, one of
// them writing, must be ordered; no event may be set while it is set; nothing
// may wait for ever.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Block/BlockDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>
#include <deque>
#include <map>

using namespace mlir;
using namespace tilewright;

namespace {

using Clock = std::map<std::string, int64_t>;

void join(Clock &into, const Clock &from) {
  for (auto &[pipe, time] : from)
    into[pipe] = std::max(into[pipe], time);
}

struct Entry {
  Operation *op;
  enum { Instruction, Set, Wait, Barrier } kind;
};

class PipeModel {
public:
  explicit PipeModel(block::KernelOp kernel) {
    unroll(kernel.getBody().front());
  }

  /// What is wrong, or empty.
  std::string run() {
    std::map<std::string, Clock> clocks;
    struct Event {
      std::deque<Clock> set;     ///< signals not yet waited for
      std::optional<Clock> seen; ///< clock of the last wait's pipe
    };
    std::map<std::tuple<std::string, std::string, int64_t>, Event> events;
    struct Touch {
      std::string pipe;
      int64_t time;
      Operation *op;
      bool write;
    };
    std::map<std::string, std::vector<Touch>> memory;

    bool progress = true;
    size_t left = 0;
    for (auto &[pipe, queue] : queues)
      left += queue.size();
    while (progress && left) {
      progress = false;
      for (auto &[pipe, queue] : queues) {
        while (!queue.empty()) {
          Entry entry = queue.front();
          Clock &clock = clocks[pipe];
          if (entry.kind == Entry::Wait) {
            auto wait = cast<block::WaitEventOp>(entry.op);
            Event &event = events[{wait.getFrom().str(), wait.getTo().str(),
                                   int64_t(wait.getId())}];
            if (event.set.empty())
              break;
            join(clock, event.set.front());
            event.set.pop_front();
            ++clock[pipe];
            event.seen = clock;
          } else if (entry.kind == Entry::Set) {
            auto set = cast<block::SetEventOp>(entry.op);
            Event &event = events[{set.getFrom().str(), set.getTo().str(),
                                   int64_t(set.getId())}];
            if (!event.set.empty())
              return "an event is set twice";
            // Whoever waited for it before must be known to have done so.
            if (event.seen)
              for (auto &[other, time] : *event.seen)
                if (other == set.getTo() && clock[other] < time)
                  return "an event may be set before it was waited for";
            ++clock[pipe];
            event.set.push_back(clock);
          } else if (entry.kind == Entry::Instruction) {
            ++clock[pipe];
            block::Accesses accesses = block::accessesOf(entry.op);
            for (bool write : {false, true})
              for (Value value : write ? ArrayRef<Value>(accesses.writes)
                                       : ArrayRef<Value>(accesses.reads))
                for (const std::string &cell : cellsOf(value)) {
                  for (const Touch &touch : memory[cell])
                    if (touch.pipe != pipe && (touch.write || write) &&
                        clock[touch.pipe] < touch.time)
                      return "unordered: " + describe(touch.op) + " and " +
                             describe(entry.op);
                  // Older ones of the same pipe and kind follow from this one.
                  auto &list = memory[cell];
                  std::erase_if(list, [&, pipe = pipe](const Touch &t) {
                    return t.pipe == pipe && t.write == write;
                  });
                  list.push_back({pipe, clock[pipe], entry.op, write});
                }
          } else {
            // A barrier is in every queue; it passes when all have come to it.
            bool all = llvm::all_of(queues, [&](auto &other) {
              return !other.second.empty() &&
                     other.second.front().op == entry.op;
            });
            if (!all)
              break;
            Clock everyone;
            for (auto &[name, other] : queues) {
              ++clocks[name][name];
              join(everyone, clocks[name]);
            }
            for (auto &[name, other] : queues) {
              clocks[name] = everyone;
              other.pop_front();
              --left;
            }
            progress = true;
            continue;
          }
          queue.pop_front();
          --left;
          progress = true;
        }
      }
    }
    if (left)
      return "pipes wait for each other for ever";
    for (auto &[name, event] : events)
      if (!event.set.empty())
        return "an event is left set";
    return {};
  }

  size_t instructions = 0;

private:
  static std::string describe(Operation *op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream, OpPrintingFlags().skipRegions());
    return text;
  }

  /// Memory in pieces of 32 bytes; global buffers are one piece each.
  static std::vector<std::string> cellsOf(Value value) {
    Value root = block::underlyingBuffer(value);
    auto type = cast<MemRefType>(root.getType());
    std::string level = block::levelOf(type).str();
    auto alloc = root.getDefiningOp<block::AllocOp>();
    if (!alloc)
      return {level + std::to_string(cast<BlockArgument>(root).getArgNumber())};
    int64_t begin = *alloc.getOffset();
    int64_t elementBytes = (type.getElementTypeBitWidth() + 7) / 8;
    int64_t end = begin + type.getNumElements() * elementBytes;
    std::vector<std::string> cells;
    for (int64_t at = begin / 32; at * 32 < end; ++at)
      cells.push_back(level + "@" + std::to_string(at));
    return cells;
  }

  void unroll(Block &block) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        int64_t lower = getConstantIntValue(loop.getLowerBound()).value_or(0);
        int64_t step = getConstantIntValue(loop.getStep()).value_or(1);
        int64_t upper = getConstantIntValue(loop.getUpperBound())
                            .value_or(lower + 2 * step);
        for (int64_t i = lower; i < upper; i += step)
          unroll(*loop.getBody());
      } else if (block::isInstruction(&op)) {
        queues[block::pipeOf(&op).str()].push_back({&op, Entry::Instruction});
        ++instructions;
      } else if (auto set = dyn_cast<block::SetEventOp>(op)) {
        queues[set.getFrom().str()].push_back({&op, Entry::Set});
      } else if (auto wait = dyn_cast<block::WaitEventOp>(op)) {
        queues[wait.getTo().str()].push_back({&op, Entry::Wait});
      } else if (isa<block::BarrierOp>(op)) {
        for (const char *pipe : {"MTE1", "MTE2", "MTE3", "CUBE", "FIXP", "VEC"})
          queues[pipe].push_back({&op, Entry::Barrier});
      }
    }
  }

  std::map<std::string, std::deque<Entry>> queues;
};

} // namespace

TEST_CASE("kernels for ascend-a3 are ordered by their events") {
  size_t kernels = 0, events = 0;
  for (const std::string &source : test::sampleSources()) {
    auto context = test::makeContext();
    OwningOpRef<ModuleOp> module = test::parse(*context, source);
    REQUIRE(test::runPasses(*module, test::targetNamed("ascend-a3"),
                            [](llvm::StringRef) {}) == "");
    for (auto kernel : module->getOps<block::KernelOp>()) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      kernel->print(stream);
      INFO(text);
      CHECK(PipeModel(kernel).run() == "");
      ++kernels;
      kernel.walk([&](block::SetEventOp) { ++events; });
    }
  }
  CHECK(kernels > 10);
  CHECK(events > 20);
}

TEST_CASE("no event is superfluous") {
  // Takes each event away in turn: something must then be wrong.
  size_t taken = 0;
  for (const std::string &source : test::sampleSources()) {
    auto context = test::makeContext();
    OwningOpRef<ModuleOp> module = test::parse(*context, source);
    REQUIRE(test::runPasses(*module, test::targetNamed("ascend-a3"),
                            [](llvm::StringRef) {}) == "");
    for (auto kernel : module->getOps<block::KernelOp>()) {
      SmallVector<Operation *> syncs;
      kernel.walk([&](Operation *op) {
        if (isa<block::SetEventOp, block::WaitEventOp>(op))
          syncs.push_back(op);
      });
      std::map<std::tuple<std::string, std::string, int64_t>,
               std::vector<Operation *>>
          byEvent;
      for (Operation *op : syncs) {
        auto name = [&](auto sync) {
          byEvent[{sync.getFrom().str(), sync.getTo().str(),
                   int64_t(sync.getId())}]
              .push_back(op);
        };
        if (auto set = dyn_cast<block::SetEventOp>(op))
          name(set);
        else
          name(cast<block::WaitEventOp>(op));
      }
      for (auto &[event, ops] : byEvent) {
        auto copy = cast<block::KernelOp>(kernel->clone());
        copy.walk([&](Operation *op) {
          auto same = [&](auto sync) {
            return std::tuple(sync.getFrom().str(), sync.getTo().str(),
                              int64_t(sync.getId())) == event;
          };
          auto set = dyn_cast<block::SetEventOp>(op);
          auto wait = dyn_cast<block::WaitEventOp>(op);
          if ((set && same(set)) || (wait && same(wait)))
            op->erase();
        });
        INFO(std::get<0>(event)
             << " to " << std::get<1>(event) << " id " << std::get<2>(event));
        CHECK(PipeModel(copy).run() != "");
        ++taken;
        copy->erase();
      }
    }
  }
  CHECK(taken > 20);
}
