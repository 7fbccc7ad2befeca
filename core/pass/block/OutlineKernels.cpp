//===- OutlineKernels.cpp - grids become kernels and dispatches -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/OutlineKernels.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/block/Bufferize.h"
#include "core/pass/block/JoinProgram.h"
#include "core/pass/block/KernelAccess.h"
#include "core/pass/block/MergeBlocks.h"
#include "core/pass/block/PipelineBuffers.h"
#include "core/pass/tile/ChooseTiles.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

class KernelOutliner {
public:
  KernelOutliner(ModuleOp module, const target::Target &target)
      : module(module), target(target), symbols(module),
        builder(module.getContext()) {
    for (auto kernel : module.getOps<block::KernelOp>())
      bodies.try_emplace(textOf(kernel), kernel);
  }

  LogicalResult outline(func::FuncOp scope) {
    int64_t results =
        scope->getAttrOfType<IntegerAttr>(resultCountAttrName).getInt();
    builder.setInsertionPoint(scope);
    auto program = builder.create<block::ProgramOp>(
        scope.getLoc(), scope.getSymName(), scope.getFunctionType(), results);
    program->setDiscardableAttrs(scope->getDiscardableAttrDictionary());
    program->removeAttr(resultCountAttrName);
    program->removeAttr(pinsAttrName);
    program.setSymVisibility("private");
    for (unsigned i = 0; i < scope.getNumArguments(); ++i)
      if (DictionaryAttr attributes = scope.getArgAttrDict(i))
        program.setArgAttrs(i, attributes);
    IRMapping arguments;
    arguments.map(scope.getArguments(), program.getBody().getArguments());
    unsigned grids = llvm::range_size(scope.getOps<scf::ForallOp>());
    unsigned number = 0;
    for (Operation &op : scope.front().without_terminator()) {
      auto loop = dyn_cast<scf::ForallOp>(op);
      if (!loop) {
        if (isa<block::BufferOp>(op)) {
          // What one grid of the scope makes for another.
          builder.setInsertionPointToEnd(&program.getBody().front());
          builder.clone(op, arguments);
          continue;
        }
        if (isPure(&op))
          continue; // constants; cloned into the kernels that use them
        program.erase();
        return op.emitError() << "stands outside of the grids of its scope "
                                 "[TW0409]";
      }
      std::string name = scope.getSymName().str() + ".kernel" +
                         (grids > 1 ? std::to_string(number) : "");
      ++number;
      if (failed(outlineGrid(scope, loop, name, program, arguments))) {
        program.erase();
        return failure();
      }
    }
    builder.setInsertionPointToEnd(&program.getBody().front());
    builder.create<block::ReturnOp>(scope.front().getTerminator()->getLoc());
    symbols.remove(scope);
    scope.erase();
    symbols.insert(program);
    return success();
  }

private:
  LogicalResult outlineGrid(func::FuncOp scope, scf::ForallOp loop,
                            StringRef name, block::ProgramOp program,
                            IRMapping &arguments) {
    Location loc = loop.getLoc();
    SmallVector<int64_t> grid, lowers, steps;
    for (auto [lower, upper, step] :
         llvm::zip(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                   loop.getMixedStep())) {
      std::optional<int64_t> from = getConstantIntValue(lower);
      std::optional<int64_t> to = getConstantIntValue(upper);
      std::optional<int64_t> by = getConstantIntValue(step);
      if (!from || !to || !by || *by < 1)
        return loop.emitError() << "is a grid of a size only known at run time "
                                   "[TW0404]";
      lowers.push_back(*from);
      steps.push_back(*by);
      grid.push_back(std::max<int64_t>(0, (*to - *from + *by - 1) / *by));
    }

    // What the body uses from outside: arguments, and constants to be cloned.
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(loop.getRegion(), used);
    SmallVector<Value> buffers;
    SetVector<Operation *> clones;
    for (Value value : used)
      if (failed(collect(loop, value, buffers, clones)))
        return failure();
    // Arguments by number, then what other grids made, as it stands.
    llvm::sort(buffers, [](Value a, Value b) {
      auto x = dyn_cast<BlockArgument>(a), y = dyn_cast<BlockArgument>(b);
      if (x && y)
        return x.getArgNumber() < y.getArgNumber();
      if (x || y)
        return bool(x);
      return a != b && a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
    });

    SmallVector<Type> types;
    for (Value buffer : buffers)
      types.push_back(buffer.getType());
    types.append(grid.size(), builder.getIndexType());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    auto kernel = builder.create<block::KernelOp>(
        loc, name, builder.getFunctionType(types, {}), coreOf(loop),
        grid.size());
    if (auto pins = scope->getAttrOfType<DictionaryAttr>(pinsAttrName)) {
      if (Attribute copies = pins.get("buffers"))
        kernel->setAttr(buffersAttrName, copies);
      if (Attribute blocks = pins.get("merge"); blocks && oneGrid(scope))
        kernel->setAttr(mergeAttrName, blocks);
    }
    Block &body = kernel.getBody().front();
    builder.setInsertionPointToStart(&body);
    IRMapping mapping;
    for (auto [buffer, argument] : llvm::zip(buffers, body.getArguments()))
      mapping.map(buffer, argument);
    for (Operation *op : clones)
      builder.clone(*op, mapping);
    for (auto [i, iv] : llvm::enumerate(loop.getInductionVars())) {
      Value coordinate = body.getArgument(buffers.size() + i);
      if (lowers[i] == 0 && steps[i] == 1) {
        mapping.map(iv, coordinate);
        continue;
      }
      if (iv.use_empty())
        continue;
      AffineExpr d0;
      bindDims(builder.getContext(), d0);
      mapping.map(iv, builder.create<affine::AffineApplyOp>(
                          loc, AffineMap::get(1, 0, d0 * steps[i] + lowers[i]),
                          ValueRange(coordinate)));
    }
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    builder.create<block::ReturnOp>(loc);
    repairKeys(kernel);

    kernel = shared(kernel);
    builder.setInsertionPointToEnd(&program.getBody().front());
    SmallVector<Value> operands;
    for (Value buffer : buffers)
      operands.push_back(arguments.lookup(buffer));
    SmallVector<Location> locs;
    loop.walk([&](Operation *op) { locs.push_back(op->getLoc()); });
    auto dispatch = builder.create<block::DispatchOp>(
        fuseKeys(builder.getContext(), locs), kernel.getSymName(), ValueRange(),
        grid, operands, accessOf(kernel), ArrayAttr());
    if (auto pins = scope->getAttrOfType<DictionaryAttr>(pinsAttrName))
      if (Attribute strip = pins.get("order"); strip && oneGrid(scope))
        dispatch->setAttr(block::orderAttrName, strip);
    return success();
  }

  /// How blocks become tasks is decided of a scope's only grid.
  static bool oneGrid(func::FuncOp scope) {
    return llvm::hasSingleElement(scope.getOps<scf::ForallOp>());
  }

  LogicalResult collect(scf::ForallOp loop, Value value,
                        SmallVector<Value> &buffers,
                        SetVector<Operation *> &clones) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (!isa<MemRefType>(argument.getType()))
        return loop.emitError() << "uses argument " << argument.getArgNumber()
                                << ", which is no buffer [TW0409]";
      if (!llvm::is_contained(buffers, value))
        buffers.push_back(value);
      return success();
    }
    Operation *op = value.getDefiningOp();
    if (isa<block::BufferOp>(op)) {
      if (!llvm::is_contained(buffers, value))
        buffers.push_back(value);
      return success();
    }
    if (!isPure(op) || op->getNumRegions())
      return loop.emitError()
             << "uses a value from outside that is no argument "
                "and no constant [TW0409]";
    for (Value operand : op->getOperands())
      if (failed(collect(loop, operand, buffers, clones)))
        return failure();
    clones.insert(op);
    return success();
  }

  /// The kind of core all instructions of a grid run on.
  std::string coreOf(scf::ForallOp loop) {
    std::string core;
    bool mixed = false;
    loop.walk([&](Operation *op) {
      if (!block::isInstruction(op) || isa<block::MoveOp, block::FillOp>(op))
        return;
      const target::Placement *placement = target.placement(targetClassOf(op));
      if (!placement)
        return;
      mixed |= !core.empty() && core != placement->core;
      core = placement->core;
    });
    if (core.empty()) {
      // Only moves: whoever computes elementwise.
      const target::Placement *placement = target.placement("elementwise");
      core = placement ? placement->core : "any";
    }
    return mixed ? "any" : core;
  }

  static std::string textOf(block::KernelOp kernel) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    OpPrintingFlags flags;
    flags.enableDebugInfo(true, false).useLocalScope();
    StringAttr name = kernel.getSymNameAttr();
    kernel.setSymName("kernel");
    kernel->print(stream, flags);
    kernel.setSymNameAttr(name);
    return text;
  }

  /// The kernel `kernel` is equal to; else itself, with a name of its own.
  block::KernelOp shared(block::KernelOp kernel) {
    auto [entry, isNew] = bodies.try_emplace(textOf(kernel), kernel);
    if (isNew) {
      symbols.insert(kernel);
      return kernel;
    }
    kernel.erase();
    return entry->second;
  }

  ModuleOp module;
  const target::Target &target;
  SymbolTable symbols;
  OpBuilder builder;
  llvm::StringMap<block::KernelOp> bodies;
};

struct OutlineKernelsPass : TargetPass<OutlineKernelsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineKernelsPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "outline-kernels"; }
  StringRef getDescription() const override {
    return "turn grids into kernels and dispatches";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<block::BlockDialect>();
  }
  void runOnOperation() override {
    if (failed(outlineKernels(getOperation(), *machine)) ||
        failed(joinProgram(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult outlineKernels(ModuleOp module, const target::Target &target) {
  KernelOutliner outliner(module, target);
  for (auto func : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (func->hasAttr(tile::scopeAttrName) &&
        func->hasAttr(resultCountAttrName) && failed(outliner.outline(func)))
      return failure();
  return success();
}

std::unique_ptr<Pass> createOutlineKernelsPass(TargetPtr target) {
  return std::make_unique<OutlineKernelsPass>(std::move(target));
}

} // namespace tilewright::pass
