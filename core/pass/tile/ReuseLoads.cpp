//===- ReuseLoads.cpp - load once what is the same ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/ReuseLoads.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/ScopedHashTable.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

/// What leads to a load: the move, its slice, and their indices.
bool leadsToLoad(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op) &&
         (isa<tile::MoveOp, tensor::ExtractSliceOp, affine::AffineApplyOp,
              affine::AffineMinOp, affine::AffineMaxOp>(op) ||
          op->hasTrait<OpTrait::ConstantLike>() ||
          (isa<arith::ArithDialect>(op->getDialect()) &&
           llvm::all_of(op->getResultTypes(),
                        [](Type type) { return type.isIndex(); })));
}

/// Most bytes of a tile; a size only known at run time counts as its bound, or
/// makes the whole unknown.
std::optional<int64_t> bytesOf(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!type.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t bytes = (type.getElementTypeBitWidth() + 7) / 8;
  auto move = tile.getDefiningOp<tile::MoveOp>();
  auto slice = move ? move.getSource().getDefiningOp<tensor::ExtractSliceOp>()
                    : tensor::ExtractSliceOp();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t size = type.getDimSize(d);
    if (!ShapedType::isDynamic(size)) {
      bytes *= size;
      continue;
    }
    if (!slice || slice.getType().getRank() != slice.getSourceType().getRank())
      return std::nullopt;
    std::optional<int64_t> most = upperBound(slice.getMixedSizes()[d]);
    if (!most)
      return std::nullopt;
    bytes *= *most;
  }
  return bytes;
}

class LoadReuser {
public:
  LoadReuser(func::FuncOp func, const target::Target &target)
      : func(func), target(target) {}

  void run() {
    func.walk([&](scf::ForallOp grid) {
      shareIn(*grid.getBody());
      hoistIn(grid);
      // Moves that met before a loop may be equal now.
      shareIn(*grid.getBody());
    });
    repairKeys(func);
  }

private:
  struct ByContent : llvm::DenseMapInfo<Operation *> {
    static unsigned getHashValue(const Operation *op) {
      return OperationEquivalence::computeHash(
          const_cast<Operation *>(op), OperationEquivalence::directHashValue,
          OperationEquivalence::ignoreHashValue,
          OperationEquivalence::IgnoreLocations);
    }
    static bool isEqual(const Operation *a, const Operation *b) {
      if (a == b)
        return true;
      if (a == getTombstoneKey() || a == getEmptyKey() ||
          b == getTombstoneKey() || b == getEmptyKey())
        return false;
      return OperationEquivalence::isEquivalentTo(
          const_cast<Operation *>(a), const_cast<Operation *>(b),
          OperationEquivalence::IgnoreLocations);
    }
  };
  using Known = llvm::ScopedHashTable<Operation *, Operation *, ByContent>;

  void shareIn(Block &block) {
    Known known;
    share(block, known);
  }

  void share(Block &block, Known &known) {
    Known::ScopeTy scope(known);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          share(inner, known);
      if (!leadsToLoad(&op))
        continue;
      Operation *first = known.lookup(&op);
      if (!first) {
        known.insert(&op, &op);
        continue;
      }
      first->setLoc(fuseKeys(op.getContext(), {first->getLoc(), op.getLoc()}));
      op.replaceAllUsesWith(first);
      op.erase();
    }
  }

  /// From the innermost loop outwards.
  void hoistIn(scf::ForallOp grid) {
    grid.walk([&](scf::ForOp loop) {
      for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
        if (!leadsToLoad(&op) ||
            !llvm::all_of(op.getOperands(), [&](Value value) {
              return loop.isDefinedOutsideOfLoop(value);
            }))
          continue;
        if (auto move = dyn_cast<tile::MoveOp>(op);
            move && !hasRoom(grid, move, loop))
          continue;
        op.moveBefore(loop);
      }
    });
  }

  /// In a cache a tile needs room whether it is loaded early or late. In a
  /// memory all tiles that may live at the same time must fit, two of those
  /// that come anew in each turn.
  bool hasRoom(scf::ForallOp grid, tile::MoveOp move, scf::ForOp loop) {
    std::string level = move.getLevel().str();
    if (target.isCache(level))
      return true;
    int64_t total = 0;
    bool known = true;
    grid.walk([&](tile::MoveOp other) {
      if (other.getLevel() != move.getLevel())
        return;
      std::optional<int64_t> bytes = bytesOf(other.getResult());
      known &= bytes.has_value();
      bool turns = other != move && other->getParentOfType<scf::ForOp>();
      total += bytes.value_or(0) * (turns ? 2 : 1);
    });
    return known && total <= target.usableBytes(level);
  }

  func::FuncOp func;
  const target::Target &target;
};

struct ReuseLoadsPass : TargetPass<ReuseLoadsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReuseLoadsPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "reuse-loads"; }
  StringRef getDescription() const override {
    return "load once what tiles read again";
  }
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(tile::scopeAttrName) &&
          failed(reuseLoads(func, *machine)))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult reuseLoads(func::FuncOp scope, const target::Target &target) {
  LoadReuser(scope, target).run();
  return success();
}

std::unique_ptr<Pass> createReuseLoadsPass(TargetPtr target) {
  return std::make_unique<ReuseLoadsPass>(std::move(target));
}

} // namespace tilewright::pass
