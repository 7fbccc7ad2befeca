//===- MergeBlocks.cpp - neighbouring blocks in one task ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/MergeBlocks.h"
#include "core/dialect/Key.h"
#include "core/pass/block/InstructionPipes.h"
#include "core/pass/block/KernelAccess.h"
#include "core/pass/block/OnchipPlan.h"
#include "core/pass/block/SyncTrace.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;

namespace tilewright::pass {
namespace {

/// A loop over blocks is worth its code only if it saves this share; more where
/// pipes gain nothing by it.
constexpr double leastGain = 0.05, leastGainAlone = 0.1;
/// Buffers of kernels that would get longer are not worth the text.
constexpr int64_t mostInstructions = 100;

/// Whether `value` depends on `index`.
bool dependsOn(Value value, Value index, llvm::DenseMap<Value, bool> &known) {
  if (value == index)
    return true;
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  bool depends = false;
  if (Operation *op = value.getDefiningOp())
    for (Value operand : op->getOperands())
      depends |= dependsOn(operand, index, known);
  return known[value] = depends;
}

/// Whether `op`, straight in a kernel's body, is a load or a fill that makes
/// the same tile at every value of `index` and nobody else writes where it
/// goes.
bool makesTheSame(Operation *op, Value index,
                  llvm::DenseMap<Value, bool> &known) {
  if (!isa<block::MoveOp, block::FillOp>(op))
    return false;
  block::Accesses accesses = block::accessesOf(op);
  Value buffer = block::underlyingBuffer(accesses.writes.front());
  Value source = accesses.reads.empty()
                     ? Value()
                     : block::underlyingBuffer(accesses.reads.front());
  auto alloc = buffer.getDefiningOp<block::AllocOp>();
  if (!alloc || alloc->getBlock() != op->getBlock() ||
      (source && !isa<BlockArgument>(source)) ||
      llvm::any_of(op->getOperands(), [&](Value operand) {
        return dependsOn(operand, index, known);
      }))
    return false;
  SmallVector<Value> views = {buffer};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
        views.push_back(user->getResult(0));
        continue;
      }
      for (Value written : block::accessesOf(user).writes)
        if (user != op && block::underlyingBuffer(written) == buffer)
          return false;
    }
  // Nor writes what is read.
  bool written = false;
  op->getParentOfType<block::KernelOp>().walk([&](Operation *other) {
    if (source && block::isInstruction(other))
      for (Value dest : block::accessesOf(other).writes)
        written |= block::underlyingBuffer(dest) == source;
  });
  return !written;
}

class Merger {
public:
  Merger(block::KernelOp kernel, ArrayRef<block::DispatchOp> dispatches,
         const target::Target &target)
      : kernel(kernel), dispatches(dispatches.begin(), dispatches.end()),
        target(target) {}

  LogicalResult run(std::vector<model::Decision> *decisions) {
    auto pin = kernel->getAttrOfType<IntegerAttr>(mergeAttrName);
    kernel->removeAttr(mergeAttrName);
    if (dispatches.empty() || !dispatches.front().getDynamicGrid().empty() ||
        kernel.getGridRank() == 0)
      return success();
    llvm::append_range(grid, dispatches.front().getStaticGrid());
    for (block::DispatchOp dispatch : dispatches)
      if (dispatch.getStaticGrid() != ArrayRef(grid))
        return success();
    if (failed(assignPipes(kernel, target)))
      return failure();
    measure();
    Choice one = evaluate(kernel.getGridRank() - 1, 1);
    Choice best = one;
    SmallVector<Choice> all;
    if (instructions <= mostInstructions)
      for (unsigned d = kernel.getGridRank(); d-- > 0;)
        for (int64_t blocks = 2; blocks <= grid[d]; ++blocks)
          if (grid[d] % blocks == 0) {
            Choice choice = evaluate(d, blocks);
            all.push_back(choice);
            if (choice.seconds < best.seconds)
              best = choice;
          }
    double least = hasOnePipe(kernel, target) ? leastGainAlone : leastGain;
    if (best.seconds > one.seconds * (1 - least))
      best = one;
    Choice chosen = best;
    bool pinned = false;
    if (pin) {
      const Choice *wanted = pin.getInt() == 1 ? &one : nullptr;
      for (const Choice &choice : all)
        if (choice.blocks == pin.getInt() &&
            (!wanted || choice.seconds < wanted->seconds))
          wanted = &choice;
      if (wanted) {
        chosen = *wanted;
        pinned = true;
      } else {
        refuse(pin.getInt());
      }
    }
    if (decisions)
      report(*decisions, chosen, best, one, all, pinned, pin);
    if (chosen.blocks > 1)
      rewrite(chosen);
    for (Operation *op : noPipes)
      op->removeAttr("pipe");
    return success();
  }

private:
  struct Choice {
    unsigned dim = 0;
    int64_t blocks = 1;
    int64_t tasks = 1;
    double seconds = 0; ///< of the whole grid
    double saved = 0;   ///< of loads done once, a task
    bool overlaps = false;
  };

  void measure() {
    kernel.getBody().walk([&](Operation *op) {
      if (!block::isInstruction(op))
        return;
      ++instructions;
      noPipes.push_back(op);
      double times = 1;
      for (Operation *parent = op->getParentOp(); parent != kernel;
           parent = parent->getParentOp())
        if (auto loop = dyn_cast<scf::ForOp>(parent))
          times *= double(turnsOf(loop).value_or(2));
      mostTurns = std::max(mostTurns, times);
      double seconds = instructionSeconds(op, target) * times;
      pipes[block::pipeOf(op).str()] += seconds;
    });
    if (hasOnePipe(kernel, target))
      return;
    // Copies there is room for, of everything.
    copies = 3;
    if (auto plans = planOnchip(kernel, target); succeeded(plans))
      for (const LevelPlan &plan : *plans)
        if (!plan.mayOverflow && plan.top > 0)
          copies = std::min(copies, plan.usable / plan.top);
  }

  Choice evaluate(unsigned dim, int64_t blocks) {
    Choice choice;
    choice.dim = dim;
    choice.blocks = blocks;
    double all = 1;
    for (int64_t size : grid)
      all *= double(size);
    choice.tasks = std::max<int64_t>(1, int64_t(all) / blocks);
    double sum = 0, longest = 0, later = 0, laterSum = 0;
    std::map<std::string, double> once =
        blocks > 1 ? sameLoads(dim) : std::map<std::string, double>();
    for (auto &[pipe, seconds] : pipes) {
      double rest = seconds;
      if (auto it = once.find(pipe); it != once.end()) {
        rest -= it->second;
        choice.saved += it->second * double(blocks - 1);
      }
      sum += seconds;
      longest = std::max(longest, seconds);
      laterSum += rest;
      later = std::max(later, rest);
    }
    bool onePipe = hasOnePipe(kernel, target);
    // Loops inside a block overlap but for their first turn.
    double first = onePipe ? sum : longest + (sum - longest) / mostTurns;
    double rest = onePipe      ? laterSum
                  : copies > 1 ? std::max(later, laterSum / double(copies))
                               : std::min(first, laterSum);
    choice.overlaps = !onePipe && copies > 1;
    int64_t cores =
        std::max<int64_t>(1, target.coreCount(kernel.getCore().str()));
    double waves = double((choice.tasks + cores - 1) / cores);
    choice.seconds = waves * (first + double(blocks - 1) * rest +
                              target.scheduling.dispatch.value);
    // Few tasks a core leave nothing to even out when one is late (as in
    // DefaultTiles.cpp).
    choice.seconds *= 1.0 + 0.35 * double(cores) / double(choice.tasks);
    return choice;
  }

  /// Seconds, by pipe, of loads that are the same along dimension `dim`.
  std::map<std::string, double> sameLoads(unsigned dim) {
    std::map<std::string, double> seconds;
    Value index = coordinate(dim);
    llvm::DenseMap<Value, bool> known;
    for (Operation &op : kernel.getBody().front())
      if (makesTheSame(&op, index, known))
        seconds[block::pipeOf(&op).str()] += instructionSeconds(&op, target);
    return seconds;
  }

  Value coordinate(unsigned dim) {
    return kernel.getBody().front().getArgument(kernel.getNumBuffers() + dim);
  }

  std::string gridText() {
    std::string text;
    for (int64_t size : grid)
      text += (text.empty() ? "" : " x ") + std::to_string(size);
    return text;
  }

  void refuse(int64_t blocks) {
    std::string divisors;
    int64_t below = 1, above = 0;
    for (int64_t size : grid)
      for (int64_t d = 1; d <= size; ++d)
        if (size % d == 0) {
          if (d < blocks)
            below = std::max(below, d);
          else if (!above || d < above)
            above = d;
        }
    InFlightDiagnostic warning = kernel.emitWarning();
    warning << "pin of merge is not obeyed, the default is used: no dimension "
               "of the grid "
            << gridText() << " is a multiple of " << blocks << "; " << below;
    if (above)
      warning << " or " << above;
    warning << " would do [TW0223]";
  }

  static std::string microseconds(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
    return text;
  }

  void report(std::vector<model::Decision> &decisions, const Choice &chosen,
              const Choice &best, const Choice &one, ArrayRef<Choice> all,
              bool pinned, IntegerAttr pin) {
    model::Decision decision;
    decision.key = primaryKey(kernel).str();
    decision.target = target.name;
    decision.kind = "merge";
    decision.value = chosen.blocks;
    if (pinned)
      decision.origin = model::DecisionOrigin::Pinned;
    std::string text = pinned ? "pinned: " : "";
    int64_t cores =
        std::max<int64_t>(1, target.coreCount(kernel.getCore().str()));
    if (chosen.blocks > 1) {
      text += std::to_string(chosen.blocks) +
              " blocks a task: " + std::to_string(chosen.tasks) +
              " tasks for " + std::to_string(cores) + " cores, " +
              microseconds(chosen.seconds) + " instead of " +
              microseconds(one.seconds);
      if (chosen.overlaps)
        text += "; pipes overlap from block to block";
      if (chosen.saved > 0)
        text += "; loads that are the same for all are done once";
    } else {
      text += "one block a task: " + std::to_string(one.tasks) + " tasks for " +
              std::to_string(cores) + " cores";
      if (!pinned && !all.empty())
        text +=
            "; no number of blocks gains 5 % of " + microseconds(one.seconds);
    }
    decision.reason = text;
    SmallVector<Choice> others(all.begin(), all.end());
    others.push_back(one);
    llvm::sort(others, [](const Choice &a, const Choice &b) {
      return std::tuple(a.seconds, a.blocks, a.dim) <
             std::tuple(b.seconds, b.blocks, b.dim);
    });
    for (const Choice &other : others) {
      if (other.blocks == chosen.blocks || decision.weighed.size() >= 3)
        continue;
      model::Alternative alternative;
      alternative.value = other.blocks;
      alternative.reason = std::to_string(other.tasks) + " tasks, " +
                           microseconds(other.seconds);
      alternative.metrics = {
          {"seconds", other.seconds, "s", model::Origin::Estimated}};
      decision.weighed.push_back(std::move(alternative));
    }
    if (pin && !pinned) {
      model::Alternative refused;
      refused.value = pin.getInt();
      refused.legal = false;
      refused.reason =
          "pinned, but divides no dimension of the grid " + gridText();
      decision.weighed.insert(decision.weighed.begin(), refused);
    }
    decision.metrics = {
        {"seconds", chosen.seconds, "s", model::Origin::Estimated},
        {"tasks", double(chosen.tasks), "", model::Origin::Estimated}};
    decisions.push_back(std::move(decision));
  }

  void rewrite(const Choice &choice) {
    Block &body = kernel.getBody().front();
    Value index = coordinate(choice.dim);
    Location loc = kernel.getLoc();
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointToStart(&body);
    auto constant = [&](int64_t value) -> Value {
      return builder.create<arith::ConstantIndexOp>(loc, value);
    };
    Value zero = constant(0), count = constant(choice.blocks),
          one = constant(1);
    auto loop = builder.create<scf::ForOp>(loc, zero, count, one);
    loop.getBody()->getTerminator()->setLoc(loc);
    for (Operation *op = loop->getNextNode(); !isa<block::ReturnOp>(op);) {
      Operation *next = op->getNextNode();
      op->moveBefore(loop.getBody()->getTerminator());
      op = next;
    }
    builder.setInsertionPointToStart(loop.getBody());
    AffineExpr d0, d1;
    bindDims(builder.getContext(), d0, d1);
    Value block = builder.create<affine::AffineApplyOp>(
        loc, AffineMap::get(2, 0, d0 * choice.blocks + d1),
        ValueRange{index, loop.getInductionVar()});
    index.replaceAllUsesExcept(block, block.getDefiningOp());
    hoist(loop);
    SmallVector<int64_t> sizes = grid;
    sizes[choice.dim] /= choice.blocks;
    ArrayAttr access = accessOf(kernel);
    for (block::DispatchOp dispatch : dispatches) {
      dispatch.setStaticGrid(sizes);
      dispatch.setAccessAttr(access);
    }
  }

  /// Takes out of the loop what is the same in each turn: index arithmetic and
  /// views, and loads if their buffers then still find room.
  void hoist(scf::ForOp loop) {
    Value index = loop.getInductionVar();
    auto invariant = [&](Operation &op) {
      return isPure(&op) && op.getNumRegions() == 0 &&
             llvm::all_of(op.getOperands(), [&](Value value) {
               return loop.isDefinedOutsideOfLoop(value);
             });
    };
    for (Operation &op : llvm::make_early_inc_range(*loop.getBody()))
      if (!op.hasTrait<OpTrait::IsTerminator>() && invariant(op))
        op.moveBefore(loop);
    SmallVector<Operation *> same;
    llvm::DenseMap<Value, bool> known;
    for (Operation &op : *loop.getBody())
      if (makesTheSame(&op, index, known))
        same.push_back(&op);
    for (Operation *op : same) {
      block::Accesses accesses = block::accessesOf(op);
      block::underlyingBuffer(accesses.writes.front())
          .getDefiningOp()
          ->moveBefore(loop);
      for (Operation &view : llvm::make_early_inc_range(*loop.getBody()))
        if (!view.hasTrait<OpTrait::IsTerminator>() && invariant(view))
          view.moveBefore(loop);
      Operation *after = op->getNextNode();
      op->moveBefore(loop);
      auto plans = planOnchip(kernel, target);
      if (failed(plans) || !llvm::all_of(*plans, [](const LevelPlan &plan) {
            return plan.fits();
          })) {
        op->moveBefore(after);
        break;
      }
    }
  }

  block::KernelOp kernel;
  SmallVector<block::DispatchOp> dispatches;
  const target::Target &target;
  SmallVector<int64_t> grid;
  std::map<std::string, double> pipes; ///< busy seconds of one block
  SmallVector<Operation *> noPipes;
  double mostTurns = 1;
  int64_t instructions = 0;
  int64_t copies = 1;
};

struct MergeBlocksPass : TargetPass<MergeBlocksPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeBlocksPass)
  MergeBlocksPass(TargetPtr target, std::vector<model::Decision> *decisions)
      : TargetPass(std::move(target)), decisions(decisions) {}
  MergeBlocksPass(const MergeBlocksPass &other)
      : TargetPass(other), decisions(other.decisions) {}
  StringRef getArgument() const override { return "merge-blocks"; }
  StringRef getDescription() const override {
    return "let one task do several neighbouring blocks";
  }
  void runOnOperation() override {
    if (failed(mergeBlocks(getOperation(), *machine, decisions)))
      signalPassFailure();
  }

  std::vector<model::Decision> *decisions;
};

} // namespace

LogicalResult mergeBlocks(ModuleOp module, const target::Target &target,
                          std::vector<model::Decision> *decisions) {
  llvm::MapVector<StringRef, SmallVector<block::DispatchOp>> dispatches;
  module.walk([&](block::DispatchOp dispatch) {
    dispatches[dispatch.getKernel()].push_back(dispatch);
  });
  for (auto kernel : module.getOps<block::KernelOp>())
    if (failed(Merger(kernel, dispatches[kernel.getSymName()], target)
                   .run(decisions)))
      return failure();
  return success();
}

std::unique_ptr<Pass>
createMergeBlocksPass(TargetPtr target,
                      std::vector<model::Decision> *decisions) {
  return std::make_unique<MergeBlocksPass>(std::move(target), decisions);
}

} // namespace tilewright::pass
