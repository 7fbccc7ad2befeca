//===- BlockSnapshot.cpp - any Block snapshot made executable -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/BlockSnapshot.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/execute/RunError.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::execute {

/// Buffers without an offset begin at multiples of this: as far apart as the
/// widest access of any target.
static constexpr int64_t alignment = 512;

namespace {

/// Makes a kernel, and its dispatch, of a grid that still stands in a program.
class GridOutliner {
public:
  GridOutliner(scf::ForallOp grid, StringRef name)
      : grid(grid), name(name), builder(grid.getContext()) {}

  void run() {
    findCaptured();
    makeKernel();
    makeDispatch();
    grid.erase();
  }

private:
  /// Buffers become arguments; numbers are computed once more inside.
  void findCaptured() {
    llvm::SetVector<Value> above;
    getUsedValuesDefinedAbove(grid.getRegion(), above);
    for (const auto &mixed : {grid.getMixedLowerBound(), grid.getMixedStep()})
      for (OpFoldResult number : mixed)
        if (auto value = dyn_cast<Value>(number))
          above.insert(value);
    llvm::SetVector<Operation *> ops;
    for (size_t i = 0; i < above.size(); ++i) {
      Value value = above[i];
      if (isa<MemRefType>(value.getType())) {
        buffers.insert(value);
        continue;
      }
      Operation *op = value.getDefiningOp();
      if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
        throw RunError("TW0561",
                       "a grid takes a number from outside that cannot be "
                       "computed inside it",
                       primaryKey(grid).str());
      ops.insert(op);
      for (Value operand : op->getOperands())
        above.insert(operand);
    }
    numbers = ops.takeVector();
    llvm::sort(numbers, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
  }

  Value materialize(OpFoldResult number, IRMapping &map) {
    if (auto constant = getConstantIntValue(number))
      return builder.create<arith::ConstantIndexOp>(grid.getLoc(), *constant);
    return map.lookupOrDefault(cast<Value>(number));
  }

  void makeKernel() {
    Location loc = grid.getLoc();
    SmallVector<Type> types;
    for (Value buffer : buffers)
      types.push_back(buffer.getType());
    types.append(size_t(grid.getRank()), builder.getIndexType());
    builder.setInsertionPoint(grid->getParentOfType<block::ProgramOp>());
    auto kernel = builder.create<block::KernelOp>(
        loc, name, builder.getFunctionType(types, {}), "any",
        int64_t(grid.getRank()));
    Block &body = kernel.getBody().front();
    IRMapping map;
    for (auto [i, buffer] : llvm::enumerate(buffers))
      map.map(buffer, body.getArgument(unsigned(i)));
    builder.setInsertionPointToEnd(&body);
    for (Operation *op : numbers)
      builder.clone(*op, map);
    for (auto [d, variable] : llvm::enumerate(grid.getInductionVars())) {
      Value point = body.getArgument(unsigned(buffers.size() + d));
      Value scaled = builder.create<arith::MulIOp>(
          loc, point, materialize(grid.getMixedStep()[d], map));
      map.map(variable,
              builder.create<arith::AddIOp>(
                  loc, scaled, materialize(grid.getMixedLowerBound()[d], map)));
    }
    for (Operation &op : grid.getBody()->without_terminator())
      builder.clone(op, map);
    builder.create<block::ReturnOp>(loc);
  }

  void makeDispatch() {
    Location loc = grid.getLoc();
    builder.setInsertionPoint(grid);
    SmallVector<int64_t> fixed;
    SmallVector<Value> counted;
    IRMapping none;
    auto lower = grid.getMixedLowerBound(), upper = grid.getMixedUpperBound(),
         step = grid.getMixedStep();
    for (size_t d = 0; d < step.size(); ++d) {
      auto from = getConstantIntValue(lower[d]),
           to = getConstantIntValue(upper[d]),
           by = getConstantIntValue(step[d]);
      if (from && to && by) {
        fixed.push_back(
            std::max<int64_t>(llvm::divideCeilSigned(*to - *from, *by), 0));
        continue;
      }
      fixed.push_back(ShapedType::kDynamic);
      Value length = builder.create<arith::SubIOp>(
          loc, materialize(upper[d], none), materialize(lower[d], none));
      counted.push_back(builder.create<arith::CeilDivSIOp>(
          loc, length, materialize(step[d], none)));
    }
    builder.create<block::DispatchOp>(
        loc, FlatSymbolRefAttr::get(builder.getStringAttr(name)), counted,
        builder.getDenseI64ArrayAttr(fixed), buffers.getArrayRef(),
        /*access=*/nullptr, /*dependencies=*/nullptr);
  }

  scf::ForallOp grid;
  StringRef name;
  OpBuilder builder;
  llvm::SetVector<Value> buffers;
  SmallVector<Operation *> numbers;
};

} // namespace

static void makeProgram(func::FuncOp scope, unsigned results) {
  OpBuilder builder(scope);
  auto program = builder.create<block::ProgramOp>(
      scope.getLoc(), scope.getName(), scope.getFunctionType(),
      int64_t(results));
  Block &body = program.getBody().front();
  Block &from = scope.front();
  for (auto [to, argument] :
       llvm::zip_equal(body.getArguments(), from.getArguments()))
    argument.replaceAllUsesWith(to);
  from.getTerminator()->erase();
  body.getOperations().splice(body.end(), from.getOperations());
  builder.setInsertionPointToEnd(&body);
  builder.create<block::ReturnOp>(scope.getLoc());
  std::string name = scope.getName().str();
  scope.erase();
  int grids = 0;
  for (auto grid : llvm::to_vector(body.getOps<scf::ForallOp>()))
    GridOutliner(grid, name + ".grid" + std::to_string(grids++)).run();
}

/// Gives the buffers of `routine` that have no place one each.
static void placeBuffers(Operation *routine,
                         const std::map<std::string, int64_t> &capacity,
                         std::map<std::string, int64_t> &reach) {
  std::map<std::string, int64_t> taken;
  routine->walk([&](block::AllocOp alloc) {
    if (alloc.getOffset())
      return;
    MemRefType type = alloc.getMemref().getType();
    std::string level = block::levelOf(type).str();
    auto known = capacity.find(level);
    if (known == capacity.end())
      return; // the decoder says so
    int64_t &end = taken.try_emplace(level, known->second).first->second;
    int64_t offset = int64_t(llvm::alignTo(uint64_t(end), alignment));
    int64_t bits = type.getElementType().isIndex()
                       ? 64
                       : int64_t(type.getElementTypeBitWidth());
    alloc.setOffset(offset);
    end = offset + type.getNumElements() * ((bits + 7) / 8);
  });
  for (const auto &[level, end] : taken)
    reach[level] = std::max(reach[level], end);
}

void makeExecutable(ModuleOp module, unsigned results,
                    std::map<std::string, int64_t> &levelBytes) {
  for (auto scope : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (!scope.isExternal() && scope.getNumResults() == 0)
      makeProgram(scope, results);
  if (module.getOps<block::ProgramOp>().empty())
    throw RunError("TW0561", "the module holds no program on buffers");
  std::map<std::string, int64_t> reach;
  module.walk(
      [&](block::KernelOp kernel) { placeBuffers(kernel, levelBytes, reach); });
  for (const auto &[level, bytes] : reach)
    levelBytes[level] = std::max(levelBytes[level], bytes);
}

} // namespace tilewright::execute
