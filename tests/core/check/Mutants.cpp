//===- Mutants.cpp - kernels with one thing wrong -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/core/check/Mutants.h"
#include "core/check/CheckBlock.h"
#include "core/execute/BlockDecoder.h"
#include "core/execute/BlockInterpreter.h"
#include "mlir/IR/Verifier.h"
#include "tests/core/check/Interleavings.h"
#include <set>

using namespace mlir;

namespace tilewright::test {
namespace {

using Visit = std::function<bool(const std::string &, ModuleOp)>;

class Mutator {
public:
  Mutator(ModuleOp module, StringRef kernel, const Visit &visit)
      : module(module), kernel(kernel), visit(visit) {
    block::KernelOp op = find(module);
    op.getBody().walk([&](Operation *inner) { ops.push_back(inner); });
  }

  void run() {
    for (size_t i = 0; i < ops.size(); ++i) {
      Operation *op = ops[i];
      if (auto set = dyn_cast<block::SetEventOp>(op))
        mutateEvent(i, set, "set");
      else if (auto wait = dyn_cast<block::WaitEventOp>(op))
        mutateEvent(i, wait, "wait");
      else if (isa<block::BarrierOp>(op))
        change("drop barrier", i, [](Operation *own) { own->erase(); });
      else if (auto alloc = dyn_cast<block::AllocOp>(op))
        mutateBuffer(i, alloc);
      else if (block::isInstruction(op))
        mutateInstruction(i, op);
      else if (auto view = dyn_cast<memref::SubViewOp>(op))
        shiftView(i, view);
      if (isEntry(op))
        swapWithNext(i);
    }
    dropEvents();
  }

private:
  ModuleOp module;
  StringRef kernel;
  const Visit &visit;
  std::vector<Operation *> ops;
  bool ended = false;

  block::KernelOp find(ModuleOp in) {
    return in.lookupSymbol<block::KernelOp>(kernel);
  }

  static bool isEntry(Operation *op) {
    return block::isInstruction(op) ||
           isa<block::SetEventOp, block::WaitEventOp, block::BarrierOp>(op);
  }

  /// Applies `edit` to operation number `i` of a copy.
  void change(const std::string &what, size_t i,
              const std::function<void(Operation *)> &edit) {
    changeAll(what, [&](const std::vector<Operation *> &own) { edit(own[i]); });
  }

  void
  changeAll(const std::string &what,
            const std::function<void(const std::vector<Operation *> &)> &edit) {
    if (ended)
      return;
    OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone()));
    std::vector<Operation *> own;
    find(*copy).getBody().walk([&](Operation *op) { own.push_back(op); });
    edit(own);
    ScopedDiagnosticHandler quiet(module.getContext(),
                                  [](Diagnostic &) { return success(); });
    if (failed(mlir::verify(*copy)))
      return;
    ended = !visit(what, *copy);
  }

  std::string number(size_t i) { return " #" + std::to_string(i); }

  template <typename EventOp>
  void mutateEvent(size_t i, EventOp op, const std::string &kind) {
    std::string name = kind + number(i);
    change("drop " + name, i, [](Operation *own) { own->erase(); });
    change("double " + name, i,
           [](Operation *own) { OpBuilder(own).clone(*own); });
    std::set<int64_t> ids = {int64_t(op.getId()) + 1};
    std::set<std::string> pipes;
    for (Operation *other : ops) {
      if (auto set = dyn_cast<block::SetEventOp>(other))
        ids.insert(int64_t(set.getId()));
      if (block::isInstruction(other))
        pipes.insert(block::pipeOf(other).str());
    }
    ids.erase(int64_t(op.getId()));
    for (int64_t id : ids)
      if (id < 8)
        change("id " + std::to_string(id) + " in " + name, i,
               [&](Operation *own) { cast<EventOp>(own).setId(id); });
    for (const std::string &pipe : pipes) {
      if (pipe != op.getFrom())
        change("from " + pipe + " in " + name, i,
               [&](Operation *own) { cast<EventOp>(own).setFrom(pipe); });
      if (pipe != op.getTo())
        change("to " + pipe + " in " + name, i,
               [&](Operation *own) { cast<EventOp>(own).setTo(pipe); });
    }
    // Out of its loop or branch, before or behind it.
    if (!isa<block::KernelOp>(op->getParentOp())) {
      change("before the loop: " + name, i,
             [](Operation *own) { own->moveBefore(own->getParentOp()); });
      change("behind the loop: " + name, i,
             [](Operation *own) { own->moveAfter(own->getParentOp()); });
    }
  }

  void mutateBuffer(size_t i, block::AllocOp op) {
    auto type = cast<MemRefType>(op.getType());
    int64_t offset = int64_t(*op.getOffset());
    int64_t bytes =
        type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
    // Wherever else a buffer could be put by mistake, aligned as its level
    // wants it.
    int64_t align = 1024;
    std::set<int64_t> places = {
        offset + align, offset + bytes / 2 / align * align, offset - align, 0};
    for (Operation *other : ops)
      if (auto alloc = dyn_cast<block::AllocOp>(other);
          alloc && block::levelOf(cast<MemRefType>(alloc.getType())) ==
                       block::levelOf(type))
        places.insert(int64_t(*alloc.getOffset()));
    if (block::levelOf(type) == "UB") {
      places.insert(offset + 32);
      places.insert(offset - 32);
    }
    for (int64_t place : places)
      if (place >= 0 && place != offset)
        change("offset " + std::to_string(place) + number(i), i,
               [&](Operation *own) {
                 cast<block::AllocOp>(own).setOffset(place);
               });
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (type.getDimSize(d) < 2)
        continue;
      SmallVector<int64_t> shape(type.getShape());
      shape[size_t(d)] /= 2;
      change("half dimension " + std::to_string(d) + number(i), i,
             [&](Operation *own) {
               own->getResult(0).setType(
                   MemRefType::Builder(type).setShape(shape));
             });
    }
  }

  void mutateInstruction(size_t i, Operation *op) {
    change("drop instruction" + number(i), i,
           [](Operation *own) { own->erase(); });
    std::set<std::string> pipes;
    for (Operation *other : ops)
      if (block::isInstruction(other))
        pipes.insert(block::pipeOf(other).str());
    for (const std::string &pipe : pipes)
      if (pipe != block::pipeOf(op))
        change("on " + pipe + number(i), i, [&](Operation *own) {
          own->setAttr("pipe", StringAttr::get(own->getContext(), pipe));
        });
    if (isa<block::MatmulOp, block::ReduceOp>(op))
      change("toggle accumulate" + number(i), i, [](Operation *own) {
        if (own->hasAttr("accumulate"))
          own->removeAttr("accumulate");
        else
          own->setAttr("accumulate", UnitAttr::get(own->getContext()));
      });
    // Another buffer of the same type, as where a double buffer's turn is
    // mistaken.
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      unsigned position = operand.getOperandNumber();
      for (size_t j = 0; j < ops.size(); ++j)
        if (ops[j]->getNumResults() == 1 && isa<block::AllocOp>(ops[j]) &&
            ops[j]->getResult(0) != operand.get() &&
            ops[j]->getResult(0).getType() == operand.get().getType())
          changeAll("operand " + std::to_string(position) + " is buffer #" +
                        std::to_string(j) + number(i),
                    [&](const std::vector<Operation *> &own) {
                      own[i]->setOperand(position, own[j]->getResult(0));
                    });
    }
  }

  /// One further in each dimension, of a buffer on the chip: elsewhere it is
  /// another operator, and right.
  void shiftView(size_t i, memref::SubViewOp op) {
    if (block::levelOf(op.getSourceType()) == block::globalLevel)
      return;
    for (size_t d = 0; d < op.getMixedOffsets().size(); ++d)
      change("shift dimension " + std::to_string(d) + " of view" + number(i), i,
             [&](Operation *own) {
               auto view = cast<memref::SubViewOp>(own);
               OpBuilder builder(own);
               SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
               if (auto attr = dyn_cast<Attribute>(offsets[d])) {
                 offsets[d] =
                     builder.getIndexAttr(cast<IntegerAttr>(attr).getInt() + 1);
               } else {
                 Value one =
                     builder.create<arith::ConstantIndexOp>(own->getLoc(), 1);
                 offsets[d] =
                     builder
                         .create<arith::AddIOp>(own->getLoc(),
                                                cast<Value>(offsets[d]), one)
                         .getResult();
               }
               auto shifted = builder.create<memref::SubViewOp>(
                   own->getLoc(), view.getSource(), offsets,
                   view.getMixedSizes(), view.getMixedStrides());
               own->getResult(0).replaceAllUsesWith(shifted);
               own->erase();
             });
  }

  void swapWithNext(size_t i) {
    Operation *next = ops[i]->getNextNode();
    while (next && !isEntry(next) && !next->getNumRegions())
      next = next->getNextNode();
    if (!next || next->hasTrait<OpTrait::IsTerminator>())
      return;
    // What lies between (views, indices) is pure; move the first behind.
    auto at = llvm::find(ops, next);
    if (at == ops.end())
      return;
    size_t j = size_t(at - ops.begin());
    changeAll("swap" + number(i) + " and" + number(j),
              [&](const std::vector<Operation *> &own) {
                own[i]->moveAfter(own[j]);
              });
  }

  void dropEvents() {
    std::set<std::tuple<std::string, std::string, int64_t>> events;
    auto nameOf = [](Operation *op)
        -> std::optional<std::tuple<std::string, std::string, int64_t>> {
      if (auto set = dyn_cast<block::SetEventOp>(op))
        return std::tuple(set.getFrom().str(), set.getTo().str(),
                          int64_t(set.getId()));
      if (auto wait = dyn_cast<block::WaitEventOp>(op))
        return std::tuple(wait.getFrom().str(), wait.getTo().str(),
                          int64_t(wait.getId()));
      return std::nullopt;
    };
    for (Operation *op : ops)
      if (auto event = nameOf(op))
        events.insert(*event);
    for (const auto &event : events)
      changeAll("drop event " + std::get<0>(event) + " to " +
                    std::get<1>(event) + " id " +
                    std::to_string(std::get<2>(event)),
                [&](const std::vector<Operation *> &own) {
                  for (Operation *op : own)
                    if (auto name = nameOf(op); name && *name == event)
                      op->erase();
                });
    // One set and the wait behind it.
    for (size_t i = 0; i < ops.size(); ++i) {
      auto event = nameOf(ops[i]);
      if (!event || !isa<block::SetEventOp>(ops[i]))
        continue;
      for (size_t j = i + 1; j < ops.size(); ++j)
        if (nameOf(ops[j]) == event) {
          if (isa<block::WaitEventOp>(ops[j]))
            changeAll("drop pair" + number(i) + number(j),
                      [&](const std::vector<Operation *> &own) {
                        own[i]->erase();
                        own[j]->erase();
                      });
          break;
        }
    }
  }
};

void forEachPoint(const std::vector<int64_t> &grid,
                  const std::function<void(std::vector<int64_t>)> &visit) {
  int64_t tasks = 1;
  for (int64_t size : grid)
    tasks *= size;
  for (int64_t task = 0; task < tasks; ++task) {
    std::vector<int64_t> point(grid.size());
    int64_t rest = task;
    for (size_t d = grid.size(); d-- > 0;) {
      point[d] = rest % grid[d];
      rest /= grid[d];
    }
    visit(std::move(point));
  }
}

} // namespace

std::vector<std::string> mutantSources() {
  return {
      R"(func.func @softmax(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %p = tw.softmax %x {axis = -1} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %p : tensor<4x16xf32>
})",
      R"(func.func @sum(%a: tensor<4x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %s = tw.add %a, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %e = tw.exp %s : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %e : tensor<4x16xf32>
})",
      R"(func.func @norm(%x: tensor<4x16xf32>, %w: tensor<16xf32>) -> tensor<4x16xf32> {
  %n = tw.rms_norm %x, %w {epsilon = 1.0e-05} : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  return %n : tensor<4x16xf32>
})",
      R"(func.func @product(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c = tw.matmul %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
})",
      R"(func.func @deep(%a: tensor<16x96xf32>, %b: tensor<96x16xf32>) -> tensor<16x16xf32> {
  %c = tw.matmul %a, %b : (tensor<16x96xf32>, tensor<96x16xf32>) -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
})"};
}

void keepOnly(ModuleOp module, StringRef kernel) {
  SmallVector<Operation *> others;
  for (auto program : module.getOps<block::ProgramOp>()) {
    bool uses = false;
    for (auto dispatch : program.getOps<block::DispatchOp>())
      if (dispatch.getKernel() != kernel || uses) {
        others.push_back(dispatch);
      } else {
        uses = true;
        SmallVector<int64_t> grid(dispatch.getStaticGrid());
        for (int64_t &size : grid)
          size = std::min<int64_t>(size, 2);
        dispatch.setStaticGrid(grid);
        dispatch.removeDependenciesAttr();
      }
    if (!uses) {
      llvm::erase_if(
          others, [&](Operation *op) { return op->getParentOp() == program; });
      others.push_back(program);
    }
  }
  for (auto other : module.getOps<block::KernelOp>())
    if (other.getSymName() != kernel)
      others.push_back(other);
  for (Operation *op : others)
    op->erase();
}

void forEachMutant(ModuleOp module, StringRef kernel, const Visit &visit) {
  Mutator(module, kernel, visit).run();
}

Verdicts judge(ModuleOp module, const target::Target &target, int schedules,
               size_t maxStates) {
  Verdicts out;
  std::map<std::string, int64_t> levels;
  for (const target::Level &level : target.levels)
    levels[level.name] = int64_t(level.capacity.value);
  auto decoded = execute::decodeKernels(module, levels);
  if (auto *error = std::get_if<model::Diagnostic>(&decoded)) {
    out.truth = out.interpreter = error->code + " " + error->message;
  } else {
    auto &[code, programs] = std::get<execute::KernelCodes>(decoded);
    for (const execute::RoutineCode &program : programs)
      for (const execute::StepCode &step : program.bodies[0]) {
        if (step.step != execute::Step::Dispatch)
          continue;
        const execute::RoutineCode &kernel =
            code.kernels[size_t(step.dispatch->kernel)];
        std::vector<int64_t> grid;
        for (const execute::IndexOperand &size : step.dispatch->grid)
          grid.push_back(size.number);
        forEachPoint(grid, [&](std::vector<int64_t> point) {
          if (!out.truth.empty())
            return;
          check::TraceOptions options;
          options.point = std::move(point);
          options.shapes = kernel.shapes;
          check::KernelTrace trace = check::traceKernel(code, kernel, options);
          size_t instructions = 0;
          for (const check::TraceEntry &entry : trace.entries)
            instructions += entry.kind == check::TraceEntry::Instruction;
          out.instructions = std::max(out.instructions, instructions);
          Enumeration all = enumerate(trace, maxStates);
          out.truth = all.wrong;
          out.known &= all.complete;
        });
      }
    if (!out.truth.empty())
      out.known = true;
  }

  check::CheckOptions checkOptions;
  checkOptions.superfluous = false;
  for (const model::Diagnostic &finding :
       check::checkBlock(module, target, checkOptions))
    if (finding.severity == model::Severity::Error && out.checker.empty())
      out.checker = finding.code + " " + finding.message;

  execute::BlockInterpreter::Options options;
  options.levelBytes = levels;
  options.threads = 1;
  options.interleaved = true;
  options.seed = 7;
  auto created = execute::BlockInterpreter::create(module, "", options);
  if (auto *error = std::get_if<model::Diagnostic>(&created)) {
    out.interpreter = error->code + " " + error->message;
    return out;
  }
  auto &interpreter = std::get<execute::BlockInterpreter>(created);
  std::vector<std::vector<std::byte>> inputs, results;
  for (const execute::ArgumentType &type : interpreter.inputs())
    inputs.emplace_back(size_t(type.bytes), std::byte(0x3c));
  for (const execute::ArgumentType &type : interpreter.results())
    results.emplace_back(size_t(type.bytes));
  std::vector<std::span<const std::byte>> in(inputs.begin(), inputs.end());
  std::vector<std::span<std::byte>> to(results.begin(), results.end());
  for (int schedule = 0; schedule < schedules && out.interpreter.empty();
       ++schedule) {
    interpreter.startAtSchedule(uint64_t(schedule));
    if (auto error = interpreter.run(in, to))
      out.interpreter = error->code + " " + error->message;
  }
  return out;
}

} // namespace tilewright::test
