//===- PipelineBuffers.cpp - several buffers in turn ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns are written out, not chosen by a counter: so every buffer keeps its
// bytes and every event its number, known before the kernel runs, and whoever
// reads or checks the kernel needs no arithmetic for either.
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/PipelineBuffers.h"
#include "core/decision/TileProblem.h"
#include "core/dialect/Key.h"
#include "core/pass/block/InstructionPipes.h"
#include "core/pass/block/OnchipPlan.h"
#include "core/pass/block/SingleTurns.h"
#include "core/pass/block/SyncTrace.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <numeric>
#include <set>

using namespace mlir;

namespace tilewright::pass {
namespace {

/// More turns than this are not written out beside each other.
constexpr int64_t mostCopies = 4;
/// Nor are loops that would grow beyond this many instructions.
constexpr int64_t mostInstructions = 400;

/// Number of the buffer that an alloc of a trial is a copy of.
constexpr llvm::StringLiteral copyAttrName = "block.copy_of";

/// A buffer that pipes hand on from turn to turn.
struct Rotating {
  block::AllocOp alloc;
  scf::ForOp loop;
  std::string level;
  std::string operand; ///< "0" or "1" of a matmul, or ""
  llvm::SetVector<StringRef> pipes;
  int64_t wanted = 1; ///< by the pipes
  int64_t copies = 1;
  int64_t asked = 0; ///< pinned; no more than the loop has turns are made
  bool pinned = false;
};

/// The operand of a matmul that a buffer's tile becomes, over moves.
std::string operandOf(Value memref, unsigned depth = 4) {
  SmallVector<Operation *> uses = usesOfBuffer(memref);
  for (Operation *use : uses) {
    if (auto matmul = dyn_cast<block::MatmulOp>(use)) {
      if (block::underlyingBuffer(matmul.getLhs()) == memref)
        return "0";
      if (block::underlyingBuffer(matmul.getRhs()) == memref)
        return "1";
    }
    if (auto move = dyn_cast<block::MoveOp>(use); move && depth) {
      Value dest = block::underlyingBuffer(move.getDest());
      if (dest != memref && dest.getDefiningOp<block::AllocOp>())
        if (std::string operand = operandOf(dest, depth - 1); !operand.empty())
          return operand;
    }
  }
  return "";
}

int64_t instructionsIn(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *inner) { count += block::isInstruction(inner); });
  return count;
}

class Pipeliner {
public:
  Pipeliner(block::KernelOp kernel, const target::Target &target)
      : kernel(kernel), target(target) {}

  LogicalResult run(std::vector<model::Decision> *decisions) {
    bool pinned = kernel->hasAttr(buffersAttrName);
    if (hasOnePipe(kernel, target)) {
      if (pinned)
        kernel.emitRemark() << "buffers pin of " << primaryKey(kernel)
                            << " is not applicable: a core of " << target.name
                            << " does one thing after the other [TW0205]";
      kernel->removeAttr(buffersAttrName);
      return success();
    }
    if (failed(assignPipes(kernel, target)))
      return failure();
    find();
    if (pinned)
      reportIdlePins();
    if (failed(chooseCopies()))
      return failure();
    if (decisions)
      report(*decisions);
    kernel->removeAttr(buffersAttrName);
    SmallVector<int64_t> copies;
    for (const Rotating &buffer : buffers)
      copies.push_back(buffer.copies);
    writeOut(kernel, copies);
    return success();
  }

private:
  /// Says of each pin that there is no buffer for it.
  void reportIdlePins() {
    for (NamedAttribute pin :
         kernel->getAttrOfType<DictionaryAttr>(buffersAttrName)) {
      StringRef operand = pin.getName();
      bool all = operand == "all";
      if (llvm::any_of(buffers, [&](const Rotating &buffer) {
            return all || buffer.operand == operand;
          }))
        continue;
      kernel.emitWarning()
          << "buffers pin of " << primaryKey(kernel) << (all ? "" : "#")
          << (all ? "" : operand) << " has no effect: no pipe hands "
          << (all ? "a buffer to another" : "it to another through a buffer")
          << " in a loop; more blocks a task (merge) make one [TW0222]";
    }
  }

  void find() {
    kernel.walk([&](block::AllocOp alloc) {
      auto loop = dyn_cast<scf::ForOp>(alloc->getParentOp());
      std::optional<int64_t> turns = loop ? turnsOf(loop) : std::nullopt;
      if (!turns || *turns < 2 || loop->getNumResults())
        return;
      Rotating buffer;
      buffer.alloc = alloc;
      buffer.loop = loop;
      SmallVector<Operation *> uses = usesOfBuffer(alloc.getResult());
      // In the order of the program, so that the reason reads as it runs.
      for (Operation &op : *loop.getBody())
        op.walk([&](Operation *inner) {
          if (llvm::is_contained(uses, inner))
            buffer.pipes.insert(block::pipeOf(inner));
        });
      if (buffer.pipes.size() < 2)
        return;
      buffer.level = block::levelOf(cast<MemRefType>(alloc.getType())).str();
      buffer.operand = operandOf(alloc.getResult());
      buffer.wanted =
          std::min<int64_t>({int64_t(buffer.pipes.size()), *turns, mostCopies});
      buffer.copies = buffer.wanted;
      buffers.push_back(std::move(buffer));
    });
    // Copies of one loop go round together.
    llvm::DenseMap<Operation *, int64_t> most;
    for (Rotating &buffer : buffers)
      most[buffer.loop] = std::max(most[buffer.loop], buffer.copies);
    for (Rotating &buffer : buffers)
      buffer.copies = most[buffer.loop];
  }

  bool fits() {
    SmallVector<int64_t> copies;
    for (const Rotating &buffer : buffers)
      copies.push_back(buffer.copies);
    auto trial = cast<block::KernelOp>(kernel->clone());
    writeOut(trial, copies, /*mark=*/true);
    FailureOr<SmallVector<LevelPlan, 4>> plans = planOnchip(trial, target);
    bool ok = succeeded(plans);
    tight.clear();
    if (ok)
      for (const LevelPlan &plan : *plans) {
        tops[plan.level] = plan.top;
        if (!plan.fits() || copiesShare(plan)) {
          tight.push_back(plan.level);
          ok = false;
        }
      }
    trial->erase();
    return ok;
  }

  /// Whether copies of one buffer got the same bytes, so that they are none:
  /// behind each other without a loop they need not live at the same time.
  bool copiesShare(const LevelPlan &plan) {
    for (const BufferLife &a : plan.buffers)
      for (const BufferLife &b : plan.buffers) {
        Attribute copyOf = a.alloc->getAttr(copyAttrName);
        if (copyOf && a.number < b.number &&
            copyOf == b.alloc->getAttr(copyAttrName) &&
            a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes) {
          int64_t together = 0;
          for (const BufferLife &each : plan.buffers)
            together += each.bytes;
          tops[plan.level] = std::max(plan.top, together);
          return true;
        }
      }
    return false;
  }

  LogicalResult chooseCopies() {
    limitGrowth();
    // Fewer copies in the loop that turns least of those around the buffers of
    // levels that are full: written out, it multiplies all that is inside.
    auto isTight = [&](const Rotating &buffer) {
      return llvm::is_contained(tight, buffer.level);
    };
    auto shrink = [&] {
      Rotating *least = nullptr;
      for (Rotating &buffer : buffers)
        if (buffer.copies > 1 && !buffer.pinned &&
            llvm::any_of(buffers,
                         [&](const Rotating &inner) {
                           return isTight(inner) &&
                                  buffer.loop->isAncestor(inner.loop);
                         }) &&
            (!least || instances(buffer.loop) < instances(least->loop)))
          least = &buffer;
      if (!least)
        return false;
      scf::ForOp loop = least->loop;
      int64_t copies = least->copies - 1;
      bool own = llvm::any_of(buffers, [&](const Rotating &buffer) {
        return buffer.loop == loop && !buffer.pinned && buffer.copies > 1 &&
               isTight(buffer);
      });
      for (Rotating &buffer : buffers)
        if (buffer.loop == loop && !buffer.pinned && buffer.copies > copies &&
            (copies > 1 || !own || isTight(buffer)))
          buffer.copies = copies;
      return true;
    };
    for (int tries = 0; !fits() && tries < 16; ++tries)
      if (!shrink())
        break;
    if (auto pins = kernel->getAttrOfType<DictionaryAttr>(buffersAttrName))
      obey(pins);
    return success();
  }

  /// How often a loop's body runs in one task.
  int64_t instances(scf::ForOp loop) {
    int64_t count = 1;
    for (Operation *op = loop; op != kernel; op = op->getParentOp())
      if (auto outer = dyn_cast<scf::ForOp>(op))
        count *= turnsOf(outer).value_or(2);
    return count;
  }

  void limitGrowth() {
    for (Rotating &buffer : buffers)
      while (buffer.copies > 1 &&
             instructionsIn(buffer.loop) * buffer.copies > mostInstructions)
        --buffer.copies;
  }

  void obey(DictionaryAttr pins) {
    std::vector<std::pair<int64_t, bool>> before;
    for (const Rotating &buffer : buffers)
      before.push_back({buffer.copies, buffer.pinned});
    int64_t asked = 0;
    for (Rotating &buffer : buffers) {
      auto pin = pins.getAs<IntegerAttr>(buffer.operand);
      if (!pin)
        pin = pins.getAs<IntegerAttr>("all");
      if (!pin)
        continue;
      asked = std::max(asked, pin.getInt());
      buffer.asked = pin.getInt();
      buffer.copies = std::min(pin.getInt(), *turnsOf(buffer.loop));
      buffer.pinned = true;
    }
    if (fits())
      return;
    InFlightDiagnostic warning = kernel.emitWarning();
    warning << "buffers pin of " << primaryKey(kernel)
            << " is not obeyed, the default is used: " << asked
            << (asked == 1 ? " copy" : " copies");
    for (const std::string &level : tight)
      warning << " need " << decision::formatBytes(tops[level]) << " of "
              << decision::formatBytes(target.usableBytes(level))
              << " usable at " << level;
    for (auto [buffer, old] : llvm::zip(buffers, before))
      std::tie(buffer.copies, buffer.pinned) = old;
    refused = asked;
    fits(); // for the figures
    warning << "; smaller tiles or " << mostThatFit(pins, asked)
            << " would fit [TW0220]";
  }

  /// "2 copies" or "fewer copies": what of the pins fits.
  std::string mostThatFit(DictionaryAttr pins, int64_t asked) {
    std::vector<int64_t> before;
    for (const Rotating &buffer : buffers)
      before.push_back(buffer.copies);
    int64_t found = 0;
    for (int64_t fewer = std::min<int64_t>(asked - 1, 16); fewer && !found;
         --fewer) {
      for (auto [buffer, old] : llvm::zip(buffers, before)) {
        auto pin = pins.getAs<IntegerAttr>(buffer.operand);
        if (!pin)
          pin = pins.getAs<IntegerAttr>("all");
        buffer.copies =
            pin ? std::min({pin.getInt(), fewer, *turnsOf(buffer.loop)}) : old;
      }
      if (fits())
        found = fewer;
    }
    for (auto [buffer, old] : llvm::zip(buffers, before))
      buffer.copies = old;
    fits();
    return found == 0   ? "fewer copies"
           : found == 1 ? "1 copy"
                        : std::to_string(found) + " copies";
  }

  //===--------------------------------------------------------------------===//
  // What is said of it
  //===--------------------------------------------------------------------===//

  /// Busy seconds of each pipe in one turn of a loop.
  std::map<std::string, double> turnSeconds(scf::ForOp loop) {
    std::map<std::string, double> seconds;
    for (Operation &top : *loop.getBody())
      top.walk([&](Operation *op) {
        if (!block::isInstruction(op))
          return;
        double times = 1;
        for (Operation *parent = op->getParentOp(); parent != loop;
             parent = parent->getParentOp())
          if (auto inner = dyn_cast<scf::ForOp>(parent))
            times *= double(turnsOf(inner).value_or(1));
        seconds[block::pipeOf(op).str()] +=
            times * instructionSeconds(op, target);
      });
    return seconds;
  }

  static std::string microseconds(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
    return text;
  }

  void report(std::vector<model::Decision> &decisions) {
    llvm::MapVector<StringRef, SmallVector<const Rotating *>> byOperand;
    for (const Rotating &buffer : buffers)
      byOperand[buffer.operand].push_back(&buffer);
    StringRef key = primaryKey(kernel);
    for (auto &[operand, group] : byOperand) {
      model::Decision decision;
      decision.key = key.str() + (operand.empty() ? "" : "#") + operand.str();
      decision.target = target.name;
      decision.kind = "buffers";
      // The loop that turns most says most.
      const Rotating *main =
          *std::max_element(group.begin(), group.end(), [&](auto *a, auto *b) {
            return instances(a->loop) < instances(b->loop);
          });
      decision.value = main->copies;
      std::map<std::string, double> pipes = turnSeconds(main->loop);
      double sum = 0, longest = 0;
      std::string slowest;
      for (auto &[pipe, seconds] : pipes) {
        sum += seconds;
        if (seconds > longest) {
          longest = seconds;
          slowest = pipe;
        }
      }
      std::set<std::string> levels;
      for (const Rotating *buffer : group)
        levels.insert(buffer->level);
      std::string room;
      for (const std::string &level : levels)
        room += (room.empty() ? "" : ", ") + level + " " +
                decision::formatBytes(tops[level]) + " of " +
                decision::formatBytes(target.usableBytes(level));
      std::string hands;
      for (StringRef pipe : main->pipes)
        hands += (hands.empty() ? "" : " to ") + pipe.str();
      if (main->pinned)
        decision.origin = model::DecisionOrigin::Pinned;
      std::string text = main->pinned ? "pinned: " : "";
      if (main->asked > main->copies && main->pinned)
        text = "pinned to " + std::to_string(main->asked) + ", the loop has " +
               std::to_string(main->copies) + " turns: ";
      if (main->copies > 1)
        decision.reason = text + std::to_string(main->copies) +
                          " copies handed from " + hands + " (" + room +
                          "): a turn takes " + microseconds(longest) + " on " +
                          slowest + " instead of " + microseconds(sum) +
                          " on all pipes one after the other";
      else
        decision.reason = text + "1 copy, handed from " + hands + " (" + room +
                          "): " + std::to_string(main->wanted) +
                          " would not fit; a turn takes " + microseconds(sum);
      for (int64_t other : {int64_t(1), main->wanted}) {
        if (other == main->copies)
          continue;
        model::Alternative alternative;
        alternative.value = other;
        alternative.legal = other == 1 || main->pinned;
        alternative.reason =
            other == 1
                ? microseconds(sum) + " a turn, pipes one after the other"
                : std::to_string(other) + " do not fit with the others";
        decision.weighed.push_back(std::move(alternative));
        break;
      }
      if (refused) {
        model::Alternative alternative;
        alternative.value = *refused;
        alternative.legal = false;
        alternative.reason = "pinned, but does not fit";
        decision.weighed.insert(decision.weighed.begin(), alternative);
      }
      decision.metrics = {{"turn", main->copies > 1 ? longest : sum, "s",
                           model::Origin::Estimated}};
      for (const std::string &level : levels)
        decision.metrics.push_back(
            {level, double(tops[level]), "bytes", model::Origin::Estimated});
      decisions.push_back(std::move(decision));
    }
  }

  //===--------------------------------------------------------------------===//
  // The rewrite
  //===--------------------------------------------------------------------===//

  /// `copies` in the order of `buffers`, which is that of the program.
  void writeOut(block::KernelOp into, ArrayRef<int64_t> copies,
                bool mark = false) {
    llvm::DenseMap<Operation *, int64_t> copiesOf;
    llvm::DenseMap<Operation *, bool> pinnedOf;
    llvm::DenseSet<Operation *> ours;
    for (const Rotating &buffer : buffers)
      ours.insert(buffer.alloc);
    SmallVector<Operation *> from, to;
    kernel.walk([&](block::AllocOp alloc) { from.push_back(alloc); });
    into.walk([&](block::AllocOp alloc) { to.push_back(alloc); });
    size_t next = 0;
    for (auto [mine, its] : llvm::zip(from, to))
      if (ours.contains(mine)) {
        copiesOf[its] = copies[next];
        if (mark)
          its->setAttr(copyAttrName,
                       IntegerAttr::get(IntegerType::get(into.getContext(), 64),
                                        int64_t(next)));
        pinnedOf[its] = buffers[next].pinned;
        ++next;
      }
    SmallVector<scf::ForOp> loops;
    into.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) { // innermost first
      int64_t turns = 1;
      SmallVector<block::AllocOp> rotating;
      for (auto alloc : loop.getBody()->getOps<block::AllocOp>())
        if (auto it = copiesOf.find(alloc); it != copiesOf.end()) {
          turns = std::lcm(turns, it->second);
          if (it->second > 1 || pinnedOf[alloc])
            rotating.push_back(alloc);
        }
      if (turns > 1)
        writeOutLoop(loop, std::min(turns, *turnsOf(loop)), rotating, copiesOf);
    }
  }

  static void
  writeOutLoop(scf::ForOp loop, int64_t turns,
               ArrayRef<block::AllocOp> rotating,
               const llvm::DenseMap<Operation *, int64_t> &copiesOf) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    int64_t lower = *getConstantIntValue(loop.getLowerBound());
    int64_t step = *getConstantIntValue(loop.getStep());
    int64_t all = *turnsOf(loop);
    // Copies live as long as the loops they go round in.
    Operation *outermost = loop;
    while (isa<scf::ForOp>(outermost->getParentOp()))
      outermost = outermost->getParentOp();
    builder.setInsertionPoint(outermost);
    llvm::DenseMap<Operation *, SmallVector<Value>> slots;
    for (block::AllocOp alloc : rotating)
      for (int64_t i = 0; i < copiesOf.lookup(alloc); ++i)
        slots[alloc].push_back(builder.clone(*alloc)->getResult(0));

    auto writeTurn = [&](Value index, int64_t turn) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), index);
      for (Operation &op : loop.getBody()->without_terminator()) {
        auto it = slots.find(&op);
        if (it != slots.end())
          mapping.map(op.getResult(0), it->second[turn % it->second.size()]);
        else
          builder.clone(op, mapping);
      }
    };
    builder.setInsertionPoint(loop);
    auto constant = [&](int64_t value) -> Value {
      return builder.create<arith::ConstantIndexOp>(loc, value);
    };
    int64_t whole = all / turns;
    if (whole == 1) {
      for (int64_t turn = 0; turn < turns; ++turn)
        writeTurn(constant(lower + turn * step), turn);
    } else {
      auto made = builder.create<scf::ForOp>(
          loc, constant(lower), constant(lower + whole * turns * step),
          constant(turns * step));
      made.getBody()->getTerminator()->setLoc(loc);
      builder.setInsertionPoint(made.getBody()->getTerminator());
      AffineExpr d0 = builder.getAffineDimExpr(0);
      for (int64_t turn = 0; turn < turns; ++turn)
        writeTurn(turn ? builder
                             .create<affine::AffineApplyOp>(
                                 loc, AffineMap::get(1, 0, d0 + turn * step),
                                 ValueRange(made.getInductionVar()))
                             .getResult()
                       : made.getInductionVar(),
                  turn);
      builder.setInsertionPoint(loop);
    }
    for (int64_t turn = whole * turns; turn < all; ++turn)
      writeTurn(constant(lower + turn * step), turn);
    loop.erase();
  }

  block::KernelOp kernel;
  const target::Target &target;
  std::vector<Rotating> buffers;
  SmallVector<std::string> tight; ///< levels that are too full
  std::map<std::string, int64_t> tops;
  std::optional<int64_t> refused;
};

struct PipelineBuffersPass : TargetPass<PipelineBuffersPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PipelineBuffersPass)
  PipelineBuffersPass(TargetPtr target, std::vector<model::Decision> *decisions)
      : TargetPass(std::move(target)), decisions(decisions) {}
  PipelineBuffersPass(const PipelineBuffersPass &other)
      : TargetPass(other), decisions(other.decisions) {}
  StringRef getArgument() const override { return "pipeline-buffers"; }
  StringRef getDescription() const override {
    return "let pipes work on several buffers in turn";
  }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<block::KernelOp>())
      if (failed(pipelineBuffers(kernel, *machine, decisions)))
        return signalPassFailure();
  }

  std::vector<model::Decision> *decisions;
};

} // namespace

LogicalResult pipelineBuffers(block::KernelOp kernel,
                              const target::Target &target,
                              std::vector<model::Decision> *decisions) {
  if (failed(Pipeliner(kernel, target).run(decisions)))
    return failure();
  // What is left behind turns that were written out may be a single one.
  const target::CoreKind *core = target.core(kernel.getCore());
  if (!core || core->pipes.size() > 1)
    writeOutSingleTurns(kernel);
  return success();
}

std::unique_ptr<Pass>
createPipelineBuffersPass(TargetPtr target,
                          std::vector<model::Decision> *decisions) {
  return std::make_unique<PipelineBuffersPass>(std::move(target), decisions);
}

} // namespace tilewright::pass
