//===- ExpandTiles.cpp - scopes become grids of tiles ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/ExpandTiles.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/tile/AttentionScope.h"
#include "core/pass/tile/ExpandAttention.h"
#include "core/pass/tile/FoldViews.h"
#include "core/pass/tile/ScopeProblem.h"
#include "core/pass/tile/TileExpander.h"
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace tilewright::pass {

LogicalResult TileExpander::run() {
  if (!func.getOps<scf::ForallOp>().empty())
    return success();
  if (func->hasAttr(attentionAttrName))
    return expandAttention(func, target);
  FailureOr<ScopeBody> analysed = analyseScope(func);
  if (failed(analysed))
    return func.emitError() << "holds nothing to compute [TW0304]";
  body = std::move(*analysed);
  ret = cast<func::ReturnOp>(func.front().getTerminator());
  builder.setInsertionPoint(ret);
  if (failed(body.space.kind == OpRole::Other ? expandOther() : expandFused()))
    return failure();
  // The originals are dead now, users before what they use.
  for (ArrayRef<Operation *> made :
       {ArrayRef(body.ops), ArrayRef(body.prologues)})
    for (Operation *op : llvm::reverse(made))
      if (op->use_empty())
        op->erase();
  foldViews(func);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  IRRewriter rewriter(func.getContext());
  DominanceInfo dominance(func);
  eliminateCommonSubExpressions(rewriter, dominance, func);
  for (auto loop : func.getOps<scf::ForallOp>())
    loop.getBody()->walk([](Operation *op) {
      op->removeAttr(tile::sizesAttrName);
      op->removeAttr(sumNumber);
    });
  repairKeys(func);
  return success();
}

TileExpander::Grid TileExpander::makeGrid(Location loc,
                                          ArrayRef<OpFoldResult> extents,
                                          const llvm::SmallBitVector &free,
                                          ArrayRef<int64_t> tiles,
                                          ValueRange outputs) {
  Grid grid;
  Sizes lower, upper, step;
  for (unsigned d = 0; d < extents.size(); ++d) {
    if (!free[d])
      continue;
    lower.push_back(builder.getIndexAttr(0));
    upper.push_back(extents[d]);
    step.push_back(builder.getIndexAttr(tiles[d]));
  }
  if (lower.empty()) {
    // One task, which still has a place in a grid.
    lower.push_back(builder.getIndexAttr(0));
    upper.push_back(builder.getIndexAttr(1));
    step.push_back(builder.getIndexAttr(1));
  }
  grid.loop = builder.create<scf::ForallOp>(loc, lower, upper, step, outputs,
                                            std::nullopt);
  // The decision in force stays in sight.
  if (Attribute sizes = body.space.root->getAttr(tile::sizesAttrName))
    grid.loop->setAttr(tile::sizesAttrName, sizes);
  builder.setInsertionPoint(grid.loop.getTerminator());
  SmallVector<Value> ivs = grid.loop.getInductionVars();
  unsigned next = 0;
  for (unsigned d = 0; d < extents.size(); ++d) {
    if (!free[d]) {
      grid.offsets.push_back(builder.getIndexAttr(0));
      grid.sizes.push_back(extents[d]);
      continue;
    }
    Value iv = ivs[next++];
    std::optional<int64_t> whole = getConstantIntValue(extents[d]);
    if (whole && *whole <= tiles[d])
      grid.offsets.push_back(builder.getIndexAttr(0));
    else
      grid.offsets.push_back(iv);
    grid.sizes.push_back(
        tileSize(builder, loc, extents[d], grid.offsets.back(), tiles[d]));
  }
  return grid;
}

Value TileExpander::emptyFor(Location loc, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  Sizes sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    sizes.push_back(sizeOf(builder, loc, like, d));
  return builder.create<tensor::EmptyOp>(loc, sizes, type.getElementType());
}

void TileExpander::insert(Grid &grid, Location loc, Value tile, unsigned output,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(grid.loop.getTerminator().getBody());
  Sizes strides(offsets.size(), builder.getIndexAttr(1));
  builder.create<tensor::ParallelInsertSliceOp>(
      loc, tile, grid.loop.getRegionIterArgs()[output], offsets, sizes,
      strides);
}

SmallVector<int64_t>
TileExpander::tilesFor(const decision::ResolvedTiles &tiles) {
  SmallVector<int64_t> outer;
  for (unsigned d = 0; d < body.space.shape.size(); ++d)
    outer.push_back(std::max<int64_t>(1, tiles.outer[d]));
  return outer;
}

void TileExpander::resolveTilesOf(Operation *op) {
  tiles = decision::resolveTiles(problemOf(body, primaryKey(op).str()),
                                 sizesFrom(op->getAttr(tile::sizesAttrName)),
                                 target);
}

TileExpander::Sizes TileExpander::sizesOf(Location loc, Value value) {
  Sizes sizes;
  for (int64_t d = 0; d < cast<RankedTensorType>(value.getType()).getRank();
       ++d)
    sizes.push_back(sizeOf(builder, loc, value, d));
  return sizes;
}

LogicalResult TileExpander::expandFused() {
  Operation *root = body.space.root;
  Location loc = root->getLoc();
  decision::TileProblem problem = problemOf(body, primaryKey(root).str());
  model::TileSizes chosen = sizesFrom(root->getAttr(tile::sizesAttrName));
  tiles = decision::resolveTiles(problem, chosen, target);
  if (isa<tw::MatmulOp>(root)) {
    for (size_t operand : {0, 1})
      if (tiles.stays[operand] && depths.empty())
        depths.push_back({tiles.stays[operand], {operand == 0, operand == 1}});
    bool stays = !depths.empty();
    std::array<bool, 2> passes = {!stays || tiles.stays[0] == 0,
                                  !stays || tiles.stays[0] > 0};
    bool steps = tiles.inner.back() != tiles.outer.back();
    if (steps || !stays)
      depths.push_back({tiles.outer.back(), passes});
    if (steps || stays)
      depths.push_back({tiles.inner.back(), {true, true}});
    // A batch is computed matrix by matrix.
    for (unsigned d = 0; d + 2 < body.space.shape.size(); ++d)
      tiles.outer[d] = 1;
  }

  SmallVector<Value> outputs;
  for (Value result : ret.getOperands())
    outputs.push_back(emptyFor(loc, result));
  FailureOr<Sizes> extents = spaceSizes(loc);
  if (failed(extents))
    return failure();
  if (auto parts = root->getAttrOfType<IntegerAttr>(tile::splitAttrName))
    if (std::optional<decision::Split> split =
            decision::splitInto(problem, parts.getInt()))
      return expandSplit(loc, *split, *extents, outputs);
  Grid grid =
      makeGrid(loc, *extents, body.space.free, tilesFor(tiles), outputs);

  bool cutsRows = false;
  for (unsigned d = 0; d < body.space.shape.size(); ++d)
    cutsRows |= !body.space.free[d] && tiles.outer[d] < body.space.shape[d];
  if (cutsRows && body.space.kind == OpRole::Reduction) {
    if (failed(tileRowPieces(grid)))
      return failure();
  } else {
    for (Operation *op : body.ops)
      if (failed(tileOperation(op, grid)))
        return failure();
  }

  storeResults(grid);
  return success();
}

void TileExpander::storeResults(Grid &grid) {
  for (auto [i, result] : llvm::enumerate(ret.getOperands())) {
    Tile &tile = made[result];
    insert(grid, result.getDefiningOp()->getLoc(), tile.value, i, tile.offsets,
           tile.sizes);
  }
  for (auto [i, result] : llvm::enumerate(grid.loop.getResults()))
    ret.setOperand(i, result);
}

TileExpander::Tile TileExpander::placeOf(Operation *op, const Grid &grid) {
  Tile tile;
  for (int d : resultDims(op, body.space)) {
    tile.offsets.push_back(d < 0 ? builder.getIndexAttr(0) : grid.offsets[d]);
    tile.sizes.push_back(d < 0 ? OpFoldResult(builder.getIndexAttr(1))
                               : grid.sizes[d]);
  }
  return tile;
}

LogicalResult TileExpander::tileOperation(Operation *op, const Grid &grid) {
  Tile tile = placeOf(op, grid);
  if (isa<tw::MatmulOp>(op)) {
    // Those that share an operand step over k together, with the first.
    if (sums.empty() && failed(tileMatmuls(grid)))
      return failure();
    tile.value = sums.lookup(op);
  } else {
    auto tileable = dyn_cast<TilingInterface>(op);
    if (!tileable)
      return op->emitError() << "cannot be cut into tiles: it does not "
                                "implement TilingInterface [TW0305]";
    FailureOr<TilingResult> tiled =
        tileable.generateResultTileValue(builder, 0, tile.offsets, tile.sizes);
    if (failed(tiled) || tiled->tiledValues.empty())
      return op->emitError() << "gives no tile of its result [TW0305]";
    for (Operation *made : tiled->tiledOps)
      if (failed(connect(made, op)))
        return failure();
    tile.value = tiled->tiledValues.front();
  }
  made[op->getResult(0)] = tile;
  return success();
}

LogicalResult TileExpander::tileAll(ArrayRef<Operation *> ops,
                                    const Grid &grid) {
  for (Operation *op : ops)
    if (failed(tileOperation(op, grid)))
      return failure();
  return success();
}

FailureOr<TileExpander::Sizes> TileExpander::spaceSizes(Location loc) {
  Sizes extents;
  unsigned rank = body.space.shape.size();
  for (unsigned d = 0; d < rank; ++d) {
    if (!ShapedType::isDynamic(body.space.shape[d])) {
      extents.push_back(builder.getIndexAttr(body.space.shape[d]));
      continue;
    }
    OpFoldResult size;
    auto look = [&](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      int64_t at = type ? int64_t(d) - rank + type.getRank() : -1;
      if (!size && at >= 0 && type.isDynamicDim(at))
        size = sizeOf(builder, loc, value, at);
    };
    for (Operation *op : body.ops) {
      if (auto reduce = dyn_cast<tw::ReduceOp>(op))
        look(reduce.getInput());
      else
        look(op->getResult(0));
    }
    if (!size)
      return func.emitError() << "has dimension " << body.space.dimName(d)
                              << " of unknown size that no value has [TW0304]";
    extents.push_back(size);
  }
  return extents;
}

LogicalResult TileExpander::connect(Operation *tiled, Operation *original) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(tiled);
  for (OpOperand &operand : tiled->getOpOperands()) {
    auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
    Value source = slice ? slice.getSource() : operand.get();
    Operation *def = source.getDefiningOp();
    if (!def || def->getParentOp() != func)
      continue;
    Sizes sizes;
    if (slice)
      sizes.append(slice.getMixedSizes());
    if (!slice)
      for (int64_t size : cast<RankedTensorType>(source.getType()).getShape())
        sizes.push_back(builder.getIndexAttr(size));
    if (roleOf(def) == OpRole::Fill) {
      FailureOr<Value> value = fillTile(def, sizes, operand.get().getType());
      if (failed(value))
        return failure();
      operand.set(*value);
    } else if (llvm::is_contained(body.prologues, def)) {
      Sizes offsets(sizes.size(), builder.getIndexAttr(0));
      FailureOr<Value> value =
          prologueTile(def, slice ? slice.getMixedOffsets() : offsets, sizes);
      if (failed(value))
        return failure();
      operand.set(*value);
    } else if (auto it = made.find(source); it != made.end()) {
      const Tile &tile = it->second;
      auto same = [](ArrayRef<OpFoldResult> a, ArrayRef<OpFoldResult> b) {
        return a.size() == b.size() &&
               llvm::all_of(llvm::zip(a, b), [](auto pair) {
                 return isEqualConstantIntOrValue(std::get<0>(pair),
                                                  std::get<1>(pair));
               });
      };
      if (slice && (!same(slice.getMixedOffsets(), tile.offsets) ||
                    !same(sizes, tile.sizes)))
        return original->emitError()
               << "reads another tile than the one " << def->getName()
               << " makes; they cannot be one scope [TW0304]";
      operand.set(tile.value);
    }
    if (slice && slice.use_empty())
      slice.erase();
  }
  return success();
}

FailureOr<Value> TileExpander::prologueTile(Operation *op,
                                            ArrayRef<OpFoldResult> offsets,
                                            ArrayRef<OpFoldResult> sizes) {
  auto tileable = dyn_cast<TilingInterface>(op);
  if (!tileable)
    return op->emitError() << "cannot be cut into tiles: it does not "
                              "implement TilingInterface [TW0305]";
  FailureOr<TilingResult> tiled =
      tileable.generateResultTileValue(builder, 0, offsets, sizes);
  if (failed(tiled) || tiled->tiledValues.empty())
    return op->emitError() << "gives no tile of its result [TW0305]";
  for (Operation *made : tiled->tiledOps)
    if (failed(connect(made, op)))
      return failure();
  return tiled->tiledValues.front();
}

FailureOr<Value> TileExpander::fillTile(Operation *fill,
                                        ArrayRef<OpFoldResult> sizes,
                                        Type wanted) {
  auto type = cast<RankedTensorType>(wanted);
  Location loc = fill->getLoc();
  SmallVector<Value> dynamic;
  for (auto [size, extent] : llvm::zip(sizes, type.getShape()))
    if (ShapedType::isDynamic(extent))
      dynamic.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  if (isa<tensor::EmptyOp>(fill))
    return builder.create<tensor::EmptyOp>(loc, type, dynamic).getResult();
  if (auto filled = dyn_cast<linalg::FillOp>(fill)) {
    Value scalar = filled.getInputs().front();
    Operation *constant = builder.clone(*scalar.getDefiningOp());
    Value empty = builder.create<tensor::EmptyOp>(loc, type, dynamic);
    return builder
        .create<linalg::FillOp>(loc, ValueRange(constant->getResult(0)),
                                ValueRange(empty))
        .getResult(0);
  }
  double value = 0;
  if (auto full = dyn_cast<tw::FullOp>(fill)) {
    value = full.getValue().convertToDouble();
  } else {
    DenseElementsAttr elements;
    if (!matchPattern(fill, m_Constant(&elements)))
      return fill->emitError() << "is no constant [TW0304]";
    if (isa<FloatType>(type.getElementType()))
      value = elements.getSplatValue<APFloat>().convertToDouble();
    else
      value = elements.getSplatValue<APInt>().isOne() &&
                      type.getElementType().isInteger(1)
                  ? 1.0
                  : double(elements.getSplatValue<APInt>().getSExtValue());
  }
  return builder
      .create<tw::FullOp>(loc, type, dynamic, builder.getF64FloatAttr(value))
      .getResult();
}

namespace {

struct ExpandTilesPass : TargetPass<ExpandTilesPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandTilesPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "expand-tiles"; }
  StringRef getDescription() const override {
    return "turn scopes into grids of tiles";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect, scf::SCFDialect,
                    tensor::TensorDialect, tw::TensorDialect>();
  }
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(tile::scopeAttrName) &&
          failed(expandTiles(func, *machine)))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult expandTiles(func::FuncOp scope, const target::Target &target) {
  return TileExpander(scope, target).run();
}

std::unique_ptr<Pass> createExpandTilesPass(TargetPtr target) {
  return std::make_unique<ExpandTilesPass>(std::move(target));
}

} // namespace tilewright::pass
