//===- MergeBlocks.cpp - neighbouring blocks in one task ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/MergeBlocks.h"
#include "core/pass/block/KernelAccess.h"
#include "core/pass/block/OnchipPlan.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

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

  LogicalResult run() {
    auto wanted = kernel->getAttrOfType<DenseI64ArrayAttr>(mergeAttrName);
    kernel->removeAttr(mergeAttrName);
    if (!wanted || wanted.size() != 2 || dispatches.empty())
      return success();
    Choice choice{unsigned(wanted[0]), wanted[1]};
    llvm::append_range(grid, dispatches.front().getStaticGrid());
    if (choice.dim >= grid.size() || choice.blocks < 1 ||
        grid[choice.dim] % choice.blocks != 0 ||
        llvm::any_of(
            dispatches,
            [&](block::DispatchOp dispatch) {
              return dispatch.getStaticGrid() != ArrayRef(grid);
            })) {
      kernel.emitWarning() << "does one block a task: " << choice.blocks
                           << " divide no dimension of its grid [TW0223]";
      return success();
    }
    if (choice.blocks > 1)
      rewrite(choice);
    return success();
  }

private:
  /// Blocks of a task, and the dimension of the grid along which they lie.
  struct Choice {
    unsigned dim = 0;
    int64_t blocks = 1;
  };

  Value coordinate(unsigned dim) {
    return kernel.getBody().front().getArgument(kernel.getNumBuffers() + dim);
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
};

struct MergeBlocksPass : TargetPass<MergeBlocksPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeBlocksPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "merge-blocks"; }
  StringRef getDescription() const override {
    return "let one task do several neighbouring blocks";
  }
  void runOnOperation() override {
    if (failed(mergeBlocks(getOperation(), *machine)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult mergeBlocks(ModuleOp module, const target::Target &target) {
  llvm::MapVector<StringRef, SmallVector<block::DispatchOp>> dispatches;
  module.walk([&](block::DispatchOp dispatch) {
    dispatches[dispatch.getKernel()].push_back(dispatch);
  });
  for (auto kernel : module.getOps<block::KernelOp>())
    if (failed(Merger(kernel, dispatches[kernel.getSymName()], target).run()))
      return failure();
  return success();
}

std::unique_ptr<Pass> createMergeBlocksPass(TargetPtr target) {
  return std::make_unique<MergeBlocksPass>(std::move(target));
}

} // namespace tilewright::pass
