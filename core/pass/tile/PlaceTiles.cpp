//===- PlaceTiles.cpp - bring tiles to where they are used ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/PlaceTiles.h"
#include "core/decision/TileProblem.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/dialect/Weights.h"
#include "core/pass/tile/ScopeSpace.h"
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace tilewright::pass {

static const std::string globalMemory(target::Target::globalMemory);

/// Whether `op` computes on tiles (and does not only cut, move or make them).
static bool computes(Operation *op) {
  switch (roleOf(op)) {
  case OpRole::Matmul:
  case OpRole::Reduction:
  case OpRole::Elementwise:
    return true;
  case OpRole::Other:
    return isa<linalg::LinalgOp>(op) ||
           (op->getDialect() && op->getDialect()->getNamespace() == "tw");
  default:
    return false;
  }
}

/// An operand that is only written over: it need not be anywhere.
static bool isDestination(OpOperand &operand) {
  auto style = dyn_cast<DestinationStyleOpInterface>(operand.getOwner());
  return style && style.isDpsInit(&operand);
}

/// The sums of a matmul stay where the unit keeps them.
static bool isAccumulator(OpOperand &operand) {
  auto matmul = dyn_cast<tw::MatmulOp>(operand.getOwner());
  return matmul && matmul.getAcc() &&
         operand.getOperandNumber() + 1 == matmul->getNumOperands();
}

std::string levelOfTile(Value tile, const target::Target &target) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(tile)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument.getArgNumber() == 0)
        return globalMemory;
      tile = loop.getInitArgs()[argument.getArgNumber() - 1];
      continue;
    }
    Operation *op = tile.getDefiningOp();
    if (auto move = dyn_cast<tile::MoveOp>(op))
      return move.getLevel().str();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      tile = slice.getSource();
      continue;
    }
    if (auto shape = dyn_cast<tensor::ExpandShapeOp>(op)) {
      tile = shape.getSrc();
      continue;
    }
    if (auto shape = dyn_cast<tensor::CollapseShapeOp>(op)) {
      tile = shape.getSrc();
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      tile = loop.getYieldedValues()[cast<OpResult>(tile).getResultNumber()];
      continue;
    }
    if (isa<scf::ForallOp>(op))
      return globalMemory; // made by another grid of the scope
    if (roleOf(op) == OpRole::Fill)
      // Made where it is first needed.
      for (OpOperand &use : tile.getUses()) {
        if (auto loop = dyn_cast<scf::ForOp>(use.getOwner())) {
          OpResult result = loop.getTiedLoopResult(&use);
          return levelOfTile(result, target);
        }
        if (isAccumulator(use))
          return levelOfTile(use.getOwner()->getResult(0), target);
      }
    // A conversion of what the matrix unit holds happens on its way out.
    const target::Placement *placement = target.placement(targetClassOf(op));
    return placement && !placement->result.empty()
               ? placement->result.front().level
               : globalMemory;
  }
}

/// Caches take in what is read by themselves.
static bool readable(const std::string &at, const std::string &wanted,
                     const target::Target &target) {
  auto fillsItself = [&](const std::string &level) {
    return level == globalMemory || target.isCache(level);
  };
  return at == wanted || (target.isCache(wanted) && fillsItself(at));
}

/// Where a tile is cut from, through its cuts.
static Value cutFrom(Value tile) {
  while (auto cut = tile.getDefiningOp<tensor::ExtractSliceOp>())
    tile = cut.getSource();
  return tile;
}

/// Columns of a matmul's tile, at most; none where they are not known.
static std::optional<int64_t> columnsOf(tw::MatmulOp matmul) {
  int64_t columns = matmul.getType().getShape().back();
  if (!ShapedType::isDynamic(columns))
    return columns;
  auto cut = matmul.getRhs().getDefiningOp<tensor::ExtractSliceOp>();
  if (!cut || cut.getType().getRank() != cut.getSourceType().getRank())
    return std::nullopt;
  size_t rank = cut.getMixedSizes().size();
  return upperBound(
      cut.getMixedSizes()[rank - (matmul.getTransposeRhs() ? 2 : 1)]);
}

/// Whether the left operand, a part of a tensor in global memory, is read as it
/// lies there.
static bool leftStays(tw::MatmulOp matmul, const target::Target &target) {
  Value lhs = matmul.getLhs();
  Value whole = cutFrom(lhs);
  if (!target.registerBlock.columns || matmul.getTransposeLhs() ||
      !getElementTypeOrSelf(lhs.getType()).isF32() ||
      !isa<BlockArgument>(whole) ||
      !isa<func::FuncOp>(whole.getParentBlock()->getParentOp()))
    return false;
  int64_t panels = 0;
  for (Operation *user : lhs.getUsers()) {
    auto other = dyn_cast<tw::MatmulOp>(user);
    std::optional<int64_t> columns = other ? columnsOf(other) : std::nullopt;
    if (!columns || other.getLhs() != lhs)
      return false;
    panels += llvm::divideCeil(*columns, target.registerBlock.columns);
  }
  int64_t row = cast<RankedTensorType>(whole.getType()).getShape().back();
  return !ShapedType::isDynamic(row) && decision::leftInPlace(row * 4, panels);
}

/// Whether the panels of both operands stay bf16, in groups of steps.
static bool staysBf16(tw::MatmulOp matmul, const target::Target &target) {
  return target.bf16Block.rows > 0 &&
         getElementTypeOrSelf(matmul.getLhs().getType()).isBF16() &&
         getElementTypeOrSelf(matmul.getRhs().getType()).isBF16();
}

static bool isWeight(BlockArgument argument) {
  auto scope = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return scope && scope.getArgAttr(argument.getArgNumber(), weightAttrName);
}

/// Whether the right operand is read as it lies too. A weight is not: its
/// panels are made once for all runs.
static bool rightStays(tw::MatmulOp matmul, const target::Target &target) {
  Value rhs = matmul.getRhs(), whole = cutFrom(rhs);
  if (matmul.getTransposeRhs() ||
      !getElementTypeOrSelf(rhs.getType()).isF32() ||
      !isa<BlockArgument>(whole) ||
      !isa<func::FuncOp>(whole.getParentBlock()->getParentOp()) ||
      isWeight(cast<BlockArgument>(whole)))
    return false;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(whole.getType()).getShape();
  return shape.size() >= 2 && !ShapedType::isDynamic(shape.back()) &&
         !ShapedType::isDynamic(shape[shape.size() - 2]) &&
         decision::rightInPlace(shape.back() * 4, shape[shape.size() - 2]);
}

static tile::LayoutAttr layoutFor(MLIRContext *context,
                                  const target::Stop &stop, Operation *user,
                                  unsigned operand, RankedTensorType type,
                                  bool bf16, const target::Target &target) {
  if (type.getRank() != 2 || stop.layout == "row_major" || stop.layout.empty())
    return nullptr;
  std::optional<tile::LayoutKind> kind = tile::symbolizeLayoutKind(stop.layout);
  if (!kind)
    return nullptr;
  if (*kind != tile::LayoutKind::Packed)
    return tile::LayoutAttr::get(context, *kind, 0, 0);
  auto matmul = dyn_cast<tw::MatmulOp>(user);
  if (!matmul || !target.registerBlock.rows)
    return nullptr;
  if (decision::readsInPlace(
          matmul.getType().getDimSize(matmul.getType().getRank() - 2),
          matmul.getType().getDimSize(matmul.getType().getRank() - 1), target))
    return nullptr;
  // Panels run along m on the left and along n on the right, wherever that is
  // before transposing.
  bool left = operand == 0;
  int64_t axis = left ? (matmul.getTransposeLhs() ? 1 : 0)
                      : (matmul.getTransposeRhs() ? 0 : 1);
  const target::RegisterBlock &block =
      bf16 ? target.bf16Block : target.registerBlock;
  return tile::LayoutAttr::get(
      context, *kind, axis, left ? block.rows : block.columns,
      left ? block.lhsGroup : block.rhsGroup, block.multiple);
}

namespace {

class Placer {
public:
  Placer(func::FuncOp func, const target::Target &target)
      : func(func), target(target), builder(func.getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> users;
    func.walk([&](Operation *op) {
      if (op->getParentOfType<scf::ForallOp>() && computes(op))
        users.push_back(op);
    });
    // By who reads what, before moves stand between.
    for (Operation *op : users)
      if (auto matmul = dyn_cast<tw::MatmulOp>(op)) {
        if (leftStays(matmul, target)) {
          inPlace.insert(&matmul.getLhsMutable());
          if (rightStays(matmul, target))
            inPlace.insert(&matmul.getRhsMutable());
        }
        if (staysBf16(matmul, target))
          bf16.insert(op);
      }
    for (Operation *op : users) {
      if (isa<tw::CastOp>(op) && storeWithCast(cast<tw::CastOp>(op)))
        continue;
      for (OpOperand &operand : op->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()) &&
            !isDestination(operand) && !isAccumulator(operand))
          place(operand);
    }
    placeCopies();
    repairKeys(func);
    return verifyPlacement(func, target);
  }

private:
  void place(OpOperand &operand) {
    std::vector<target::Stop> path = target.operandPath(
        targetClassOf(operand.getOwner()), operand.getOperandNumber());
    if (path.empty())
      return;
    Value value = operand.get();
    std::string at = levelOfTile(value, target);
    // Where on the path the tile already is.
    size_t stop = 0;
    while (stop < path.size() && path[stop].level != at)
      ++stop;
    if (stop >= path.size())
      return; // made by another unit; verifyPlacement judges
    // The cuts between here and global memory, outermost first: each further
    // one is a chance to make a step of the path with a smaller tile.
    SmallVector<tensor::ExtractSliceOp> cuts;
    for (Value from = value;;) {
      auto cut = from.getDefiningOp<tensor::ExtractSliceOp>();
      if (!cut)
        break;
      cuts.insert(cuts.begin(), cut);
      from = cut.getSource();
    }
    size_t steps = path.size() - 1 - stop;
    // Made where it is read, but not yet as it is read. The left operand is
    // read a row at a time and need not be packed.
    auto matmul = dyn_cast<tw::MatmulOp>(operand.getOwner());
    bool rowsAsTheyAre = matmul && operand.getOperandNumber() == 0 &&
                         !matmul.getTransposeLhs() &&
                         getElementTypeOrSelf(value.getType()).isF32();
    auto earlier = value.getDefiningOp<tile::MoveOp>();
    if (matmul && bf16.contains(matmul) && earlier && !earlier.getLayoutAttr())
      earlier = nullptr; // groups of steps are nowhere as they lie
    if (steps == 0 && path.back().layout == "packed" && !rowsAsTheyAre &&
        !earlier)
      operand.set(move(value, path.back(), operand));
    for (size_t step = 0; step < steps; ++step) {
      // The first steps belong to the outer cuts, the rest to the innermost.
      bool inner = step + 1 >= cuts.size() || step + 1 == steps;
      Value source = cuts.empty() ? operand.get()
                     : inner      ? operand.get()
                                  : cuts[step].getResult();
      Value moved = move(source, path[stop + step + 1], operand);
      if (inner) {
        operand.set(moved);
        continue;
      }
      Operation *next = cuts[step + 1];
      next->setOperand(0, moved);
    }
  }

  /// What only moves from global memory to global memory goes through a level
  /// of the core where the target has no direct way.
  void placeCopies() {
    const target::Placement *placement = target.placement("elementwise");
    if (!placement || placement->result.empty() ||
        target.isCache(placement->result.front().level) ||
        target.move(globalMemory, globalMemory))
      return;
    func.walk([&](tensor::ParallelInsertSliceOp store) {
      Value tile = store.getSource();
      auto cut = tile.getDefiningOp<tensor::ExtractSliceOp>();
      if (!cut || levelOfTile(tile, target) != globalMemory)
        return;
      builder.setInsertionPointAfter(cut);
      Value moved = builder.create<tile::MoveOp>(
          cut.getLoc(), tile.getType(), tile, placement->result.front().level,
          nullptr);
      store.getSourceMutable().assign(moved);
    });
  }

  Value move(Value source, const target::Stop &stop, OpOperand &use) {
    auto type = cast<RankedTensorType>(source.getType());
    bool asItLies = inPlace.contains(&use);
    tile::LayoutAttr layout =
        asItLies ? nullptr
                 : layoutFor(builder.getContext(), stop, use.getOwner(),
                             use.getOperandNumber(), type,
                             bf16.contains(use.getOwner()), target);
    // Other packed panels are for the f32 micro-kernel.
    Type element = layout && layout.isPacked() && layout.getMultiple() == 1
                       ? builder.getF32Type()
                       : type.getElementType();
    auto key =
        std::tuple(source, StringAttr::get(builder.getContext(), stop.level),
                   Attribute(layout), element);
    if (auto move = source.getDefiningOp<tile::MoveOp>();
        move && move.getLevel() == stop.level && move.getLayoutAttr() == layout)
      return source;
    Value &known = moves[key];
    if (known)
      return known;
    builder.setInsertionPointAfterValue(source);
    auto grid = use.getOwner()->getParentOfType<scf::ForallOp>();
    if (!grid.getRegion().isAncestor(source.getParentRegion()))
      // Whole arguments are moved by each task, at the start of its grid point.
      builder.setInsertionPointToStart(grid.getBody());
    known = builder.create<tile::MoveOp>(use.getOwner()->getLoc(),
                                         type.clone(element), source,
                                         stop.level, layout);
    return known;
  }

  /// A conversion right before the store, of what lies where the vector unit
  /// cannot read: the store converts.
  bool storeWithCast(tw::CastOp cast) {
    std::string at = levelOfTile(cast.getInput(), target);
    std::vector<target::Stop> path = target.operandPath("cast", 0);
    if (at == globalMemory || path.empty() ||
        readable(at, path.back().level, target) ||
        !target.move(at, globalMemory))
      return false;
    if (!llvm::all_of(cast->getUsers(), [](Operation *user) {
          return isa<tensor::ParallelInsertSliceOp>(user);
        }))
      return false;
    builder.setInsertionPoint(cast);
    Value stored = builder.create<tile::MoveOp>(
        cast.getLoc(), cast.getType(), cast.getInput(), globalMemory, nullptr);
    cast.replaceAllUsesWith(stored);
    cast.erase();
    return true;
  }

  func::FuncOp func;
  const target::Target &target;
  OpBuilder builder;
  llvm::DenseMap<std::tuple<Value, StringAttr, Attribute, Type>, Value> moves;
  llvm::DenseSet<OpOperand *> inPlace; ///< read by matmuls as they lie
  llvm::DenseSet<Operation *> bf16;    ///< matmuls whose panels stay bf16
};

struct PlaceTilesPass : TargetPass<PlaceTilesPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlaceTilesPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "place-tiles"; }
  StringRef getDescription() const override {
    return "move tiles to the memory level and layout they are read from";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<tile::TileDialect>();
  }
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(tile::scopeAttrName) &&
          failed(placeTiles(func, *machine)))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult placeTiles(func::FuncOp scope, const target::Target &target) {
  return Placer(scope, target).run();
}

LogicalResult verifyPlacement(func::FuncOp scope,
                              const target::Target &target) {
  WalkResult result = scope.walk([&](Operation *op) {
    if (!op->getParentOfType<scf::ForallOp>())
      return WalkResult::advance();
    if (auto move = dyn_cast<tile::MoveOp>(op)) {
      std::string from = levelOfTile(move.getSource(), target);
      if (!target.level(move.getLevel().str())) {
        op->emitError() << "moves to " << move.getLevel() << ", a level "
                        << target.name << " lacks [TW0307]";
        return WalkResult::interrupt();
      }
      if (from != move.getLevel() &&
          !target.move(from, move.getLevel().str())) {
        op->emitError() << "moves from " << from << " to " << move.getLevel()
                        << ", which " << target.name
                        << " has no way for [TW0307]";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    }
    if (!computes(op))
      return WalkResult::advance();
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()) ||
          isDestination(operand) || isAccumulator(operand))
        continue;
      std::vector<target::Stop> path =
          target.operandPath(targetClassOf(op), operand.getOperandNumber());
      if (path.empty())
        continue;
      std::string at = levelOfTile(operand.get(), target);
      if (!readable(at, path.back().level, target)) {
        op->emitError() << "reads operand " << operand.getOperandNumber()
                        << " from " << at << "; the unit of " << target.name
                        << " reads it from " << path.back().level
                        << " [TW0307]";
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

std::unique_ptr<Pass> createPlaceTilesPass(TargetPtr target) {
  return std::make_unique<PlaceTilesPass>(std::move(target));
}

} // namespace tilewright::pass
