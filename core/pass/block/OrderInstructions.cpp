//===- OrderInstructions.cpp - instructions on pipes, in order ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/OrderInstructions.h"
#include "core/pass/block/InstructionPipes.h"
#include "core/pass/block/OnchipPlan.h"
#include "core/pass/block/SyncTrace.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <vector>

using namespace mlir;

namespace tilewright::pass {
namespace {

/// An instruction of a block, or a loop as a whole.
struct Step {
  Operation *op;
  SmallVector<unsigned, 4> after;        ///< steps it must come behind
  std::map<std::string, double> seconds; ///< by pipe
  double length = 0;                     ///< from its begin to its end
  double path = 0; ///< from its begin to the end of all that follows from it
  bool load = false;
};

/// List scheduling of one block on the target's pipes.
class Scheduler {
public:
  Scheduler(Block &block, const target::Target &target)
      : block(block), target(target) {}

  /// Instructions and loops in their new order; empty if there is nothing to
  /// gain or something stands in the way.
  SmallVector<Operation *> run() {
    for (Operation &op : block) {
      if (isa<block::SetEventOp, block::WaitEventOp, block::BarrierOp>(op))
        return {};
      add(op);
    }
    if (steps.size() < 2)
      return {};
    for (size_t i = steps.size(); i-- > 0;) {
      steps[i].path += steps[i].length;
      for (unsigned before : steps[i].after)
        steps[before].path = std::max(steps[before].path, steps[i].path);
    }
    return schedule();
  }

private:
  void add(Operation &op) {
    Step step;
    step.op = &op;
    block::Accesses accesses;
    op.walk([&](Operation *inner) {
      if (!block::isInstruction(inner))
        return;
      double times = 1;
      for (Operation *parent = inner; parent != &op;) {
        parent = parent->getParentOp();
        if (auto loop = dyn_cast<scf::ForOp>(parent))
          times *= double(turnsOf(loop).value_or(2));
      }
      step.seconds[block::pipeOf(inner).str()] +=
          times * instructionSeconds(inner, target);
      block::Accesses its = block::accessesOf(inner);
      accesses.reads.append(its.reads);
      accesses.writes.append(its.writes);
    });
    if (accesses.writes.empty())
      return;
    for (auto &[pipe, seconds] : step.seconds)
      step.length = std::max(step.length, seconds);
    if (auto move = dyn_cast<block::MoveOp>(op))
      step.load =
          block::levelOf(cast<MemRefType>(move.getSource().getType())) ==
          block::globalLevel;
    unsigned number = steps.size();
    llvm::SmallSetVector<unsigned, 8> after;
    for (Value value : accesses.reads) {
      Uses &uses = usesOf[block::underlyingBuffer(value)];
      if (uses.written)
        after.insert(*uses.written);
    }
    for (Value value : accesses.writes) {
      Uses &uses = usesOf[block::underlyingBuffer(value)];
      if (uses.written)
        after.insert(*uses.written);
      after.insert(uses.read.begin(), uses.read.end());
    }
    for (Value value : accesses.reads)
      usesOf[block::underlyingBuffer(value)].read.push_back(number);
    for (Value value : accesses.writes) {
      Uses &uses = usesOf[block::underlyingBuffer(value)];
      uses.written = number;
      uses.read.clear();
    }
    after.remove(number);
    step.after.assign(after.begin(), after.end());
    steps.push_back(std::move(step));
  }

  /// Pipes keep the order they are given: what does not gain time stays where
  /// it was, so that what is begun is finished and its room comes free. Of
  /// loads that can begin together, the one most waits for goes first.
  SmallVector<Operation *> schedule() {
    std::map<std::string, double> free;
    SmallVector<double> done(steps.size(), -1);
    SmallVector<Operation *> order;
    SmallVector<unsigned> left =
        llvm::to_vector(llvm::seq<unsigned>(0, steps.size()));
    // Far ahead there is nothing to see: a window keeps this linear.
    constexpr size_t window = 64;
    while (!left.empty()) {
      size_t best = 0;
      std::tuple<double, double, size_t> bestCost;
      bool found = false;
      for (size_t at = 0; at < std::min(left.size(), window); ++at) {
        const Step &step = steps[left[at]];
        double start = 0;
        bool ready = true;
        for (unsigned before : step.after) {
          ready &= done[before] >= 0;
          start = std::max(start, done[before]);
        }
        if (!ready)
          continue;
        for (auto &[pipe, seconds] : step.seconds)
          start = std::max(start, free[pipe]);
        std::tuple<double, double, size_t> cost = {
            start, step.load ? -step.path : 0.0, at};
        if (!found || cost < bestCost) {
          found = true;
          best = at;
          bestCost = cost;
        }
      }
      const Step &step = steps[left[best]];
      double start = std::get<0>(bestCost);
      for (auto &[pipe, seconds] : step.seconds)
        free[pipe] = start + seconds;
      done[left[best]] = start + step.length;
      order.push_back(step.op);
      left.erase(left.begin() + best);
    }
    return order;
  }

  struct Uses {
    std::optional<unsigned> written;
    SmallVector<unsigned, 4> read; ///< since then
  };
  Block &block;
  const target::Target &target;
  std::vector<Step> steps;
  llvm::DenseMap<Value, Uses> usesOf;
};

/// Puts a block's operations in the order of `order`, each behind what its
/// operands come from.
void arrange(Block &block, ArrayRef<Operation *> order) {
  Operation *end = block.getTerminator();
  llvm::DenseSet<Operation *> placed;
  std::function<void(Operation *)> place = [&](Operation *op) {
    if (!placed.insert(op).second)
      return;
    auto behind = [&](Value value) {
      Operation *def = value.getDefiningOp();
      if (def && def->getBlock() == &block)
        place(def);
    };
    for (Value operand : op->getOperands())
      behind(operand);
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        behind(operand);
    });
    op->moveBefore(end);
  };
  SmallVector<Operation *> rest;
  for (Operation &op : block.without_terminator())
    rest.push_back(&op);
  for (Operation *op : order)
    place(op);
  for (Operation *op : rest)
    place(op);
}

bool fits(block::KernelOp kernel, const target::Target &target) {
  auto plans = planOnchip(kernel, target);
  return succeeded(plans) && llvm::all_of(*plans, [](const LevelPlan &plan) {
           return plan.fits();
         });
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
  if (hasOnePipe(kernel, target))
    return success();
  SmallVector<Block *> blocks = {&kernel.getBody().front()};
  kernel.getBody().walk(
      [&](scf::ForOp loop) { blocks.push_back(loop.getBody()); });
  for (Block *block : blocks) {
    SmallVector<Operation *> before;
    for (Operation &op : block->without_terminator())
      before.push_back(&op);
    SmallVector<Operation *> order = Scheduler(*block, target).run();
    if (order.empty())
      continue;
    arrange(*block, order);
    // What is loaded early needs room longer.
    if (!fits(kernel, target))
      for (Operation *op : before)
        op->moveBefore(block->getTerminator());
  }
  return success();
}

std::unique_ptr<Pass> createOrderInstructionsPass(TargetPtr target) {
  return std::make_unique<OrderInstructionsPass>(std::move(target));
}

} // namespace tilewright::pass
