//===- ExpandTiles.cpp - scopes become grids of tiles ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/ExpandTiles.h"
#include "core/decision/SplitReduction.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/tile/AttentionScope.h"
#include "core/pass/tile/ExpandAttention.h"
#include "core/pass/tile/FoldViews.h"
#include "core/pass/tile/ScopeProblem.h"
#include "core/pass/tile/ScopeSpace.h"
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/CSE.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tilewright::pass {
namespace {

using Sizes = SmallVector<OpFoldResult>;

/// Tells zeros apart while equal operations become one.
constexpr const char *sumNumber = "tile.sum";

Value asValue(OpBuilder &builder, Location loc, OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(builder, loc, size);
}

/// A grid being built: the loop over it and, for each dimension of the space,
/// where this tile begins and how large it is.
struct Grid {
  scf::ForallOp loop;
  Sizes offsets, sizes;
};

class Expander {
public:
  Expander(func::FuncOp func, const target::Target &target)
      : func(func), target(target), builder(func.getContext()) {}

  LogicalResult run() {
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
    if (failed(body.space.kind == OpRole::Other ? expandOther()
                                                : expandFused()))
      return failure();
    // The originals are dead now, users before what they use.
    for (ArrayRef<Operation *> made :
         {ArrayRef(body.ops), ArrayRef(body.prologues)})
      for (Operation *op : llvm::reverse(made))
        if (op->use_empty())
          op->erase();
    foldViews(func);
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(func.front())))
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

private:
  //===--------------------------------------------------------------------===//
  // The grid
  //===--------------------------------------------------------------------===//

  /// A forall over the `free` dimensions of `extents`; the others are whole.
  Grid makeGrid(Location loc, ArrayRef<OpFoldResult> extents,
                const llvm::SmallBitVector &free, ArrayRef<int64_t> tiles,
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

  Value emptyFor(Location loc, Value like) {
    auto type = cast<RankedTensorType>(like.getType());
    Sizes sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      sizes.push_back(sizeOf(builder, loc, like, d));
    return builder.create<tensor::EmptyOp>(loc, sizes, type.getElementType());
  }

  void insert(Grid &grid, Location loc, Value tile, unsigned output,
              ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(grid.loop.getTerminator().getBody());
    Sizes strides(offsets.size(), builder.getIndexAttr(1));
    builder.create<tensor::ParallelInsertSliceOp>(
        loc, tile, grid.loop.getRegionIterArgs()[output], offsets, sizes,
        strides);
  }

  SmallVector<int64_t> tilesFor(const decision::ResolvedTiles &tiles) {
    SmallVector<int64_t> outer;
    for (unsigned d = 0; d < body.space.shape.size(); ++d)
      outer.push_back(std::max<int64_t>(1, tiles.outer[d]));
    return outer;
  }

  //===--------------------------------------------------------------------===//
  // Operations fused over one space
  //===--------------------------------------------------------------------===//

  struct Tile {
    Value value;
    Sizes offsets, sizes;
  };

  LogicalResult expandFused() {
    Operation *root = body.space.root;
    Location loc = root->getLoc();
    decision::TileProblem problem = problemOf(body, primaryKey(root).str());
    model::TileSizes chosen = sizesFrom(root->getAttr(tile::sizesAttrName));
    tiles = decision::resolveTiles(problem, chosen, target);
    if (isa<tw::MatmulOp>(root)) {
      depths = {tiles.outer.back()};
      if (tiles.inner.back() != tiles.outer.back())
        depths.push_back(tiles.inner.back());
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

  /// What is returned, from the tiles of `grid`.
  void storeResults(Grid &grid) {
    for (auto [i, result] : llvm::enumerate(ret.getOperands())) {
      Tile &tile = made[result];
      insert(grid, result.getDefiningOp()->getLoc(), tile.value, i,
             tile.offsets, tile.sizes);
    }
    for (auto [i, result] : llvm::enumerate(grid.loop.getResults()))
      ret.setOperand(i, result);
  }

  /// Tile of the result of `op` at `grid`.
  Tile placeOf(Operation *op, const Grid &grid) {
    Tile tile;
    for (int d : resultDims(op, body.space)) {
      tile.offsets.push_back(d < 0 ? builder.getIndexAttr(0) : grid.offsets[d]);
      tile.sizes.push_back(d < 0 ? OpFoldResult(builder.getIndexAttr(1))
                                 : grid.sizes[d]);
    }
    return tile;
  }

  LogicalResult tileOperation(Operation *op, const Grid &grid) {
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
      FailureOr<TilingResult> tiled = tileable.generateResultTileValue(
          builder, 0, tile.offsets, tile.sizes);
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

  //===--------------------------------------------------------------------===//
  // Rows in pieces
  //===--------------------------------------------------------------------===//

  /// A reduction whose rows are gone through in pieces: each piece is reduced
  /// and added to what is carried of those before it.
  struct Carried {
    tw::ReduceOp op;
    RankedTensorType type; ///< of what is carried
    Value value;
  };

  /// Sums of narrow floats are carried as f32 and rounded once.
  Type carriedType(tw::ReduceOp op) {
    Type element = getElementTypeOrSelf(op.getType());
    return isa<FloatType>(element) ? builder.getF32Type() : element;
  }

  /// What adding to changes nothing.
  static double neutral(tw::ReduceKind kind, Type element) {
    double infinity = std::numeric_limits<double>::infinity();
    unsigned bits = element.getIntOrFloatBitWidth();
    bool isFloat = isa<FloatType>(element);
    switch (kind) {
    case tw::ReduceKind::Max:
      return isFloat ? -infinity : -std::ldexp(1.0, int(bits) - 1);
    case tw::ReduceKind::Min:
      return isFloat ? infinity : std::ldexp(1.0, int(bits) - 1) - 1;
    case tw::ReduceKind::Prod:
      return 1;
    default:
      return 0;
    }
  }

  Value combine(Location loc, tw::ReduceKind kind, Value a, Value b) {
    switch (kind) {
    case tw::ReduceKind::Max:
      return builder.create<tw::MaximumOp>(loc, a.getType(), a, b);
    case tw::ReduceKind::Min:
      return builder.create<tw::MinimumOp>(loc, a.getType(), a, b);
    case tw::ReduceKind::Prod:
      return builder.create<tw::MulOp>(loc, a.getType(), a, b);
    default:
      return builder.create<tw::AddOp>(loc, a.getType(), a, b);
    }
  }

  /// The operations of a scope whose rows are gone through in pieces.
  struct RowOps {
    SmallVector<Operation *> before; ///< beside the rows
    SmallVector<Operation *> along;  ///< on the rows, needed by `reductions`
    SmallVector<tw::ReduceOp> reductions;
    SmallVector<Operation *> after;
  };

  RowOps rowOps() {
    RowOps result;
    llvm::SmallPtrSet<Operation *, 16> reduced;
    for (Operation *op : body.ops) {
      bool reads = llvm::any_of(op->getOperands(), [&](Value operand) {
        return reduced.contains(operand.getDefiningOp());
      });
      if (auto reduce = dyn_cast<tw::ReduceOp>(op))
        result.reductions.push_back(reduce);
      else
        (reads                           ? result.after
         : runsAlongRows(op, body.space) ? result.along
                                         : result.before)
            .push_back(op);
      if (reads || isa<tw::ReduceOp>(op))
        reduced.insert(op);
    }
    return result;
  }

  LogicalResult tileAll(ArrayRef<Operation *> ops, const Grid &grid) {
    for (Operation *op : ops)
      if (failed(tileOperation(op, grid)))
        return failure();
    return success();
  }

  /// What the rows of `grid`, or its parts of them, come to; `limits` are the
  /// most elements it has of them along each dimension.
  FailureOr<SmallVector<Carried>>
  reduceRows(const RowOps &ops, const Grid &grid, ArrayRef<int64_t> limits) {
    SmallVector<Carried> carried;
    for (tw::ReduceOp op : ops.reductions) {
      Tile place = placeOf(op, grid);
      SmallVector<int64_t> shape;
      SmallVector<Value> dynamic;
      for (OpFoldResult size : place.sizes) {
        shape.push_back(
            getConstantIntValue(size).value_or(ShapedType::kDynamic));
        if (ShapedType::isDynamic(shape.back()))
          dynamic.push_back(cast<Value>(size));
      }
      Type element = carriedType(op);
      auto type = RankedTensorType::get(shape, element);
      Value start = builder.create<tw::FullOp>(
          op.getLoc(), type, dynamic,
          builder.getF64FloatAttr(neutral(op.getKind(), element)));
      start.getDefiningOp()->setAttr(sumNumber,
                                     builder.getI64IntegerAttr(carried.size()));
      carried.push_back({op, type, start});
    }
    Grid piece;
    piece.offsets = grid.offsets;
    piece.sizes = grid.sizes;
    if (failed(tilePieces(grid, piece, 0, limits, ops.along, carried)))
      return failure();
    return carried;
  }

  /// Results of the reductions from what all of their rows come to.
  void finishRows(MutableArrayRef<Carried> carried, const Grid &grid) {
    for (Carried &each : carried) {
      Location loc = each.op.getLoc();
      Value value = each.value;
      if (each.op.getKind() == tw::ReduceKind::Mean) {
        double count = 1;
        for (unsigned d = 0; d < body.space.shape.size(); ++d)
          if (!body.space.free[d])
            count *= double(body.space.shape[d]);
        Value elements = builder.create<tw::FullOp>(
            loc, RankedTensorType::get({}, each.type.getElementType()), count);
        value = builder.create<tw::DivOp>(loc, each.type, value, elements);
      }
      Type element = getElementTypeOrSelf(each.op.getType());
      if (element != each.type.getElementType())
        value = builder.create<tw::CastOp>(loc, value, element);
      Tile tile = placeOf(each.op, grid);
      tile.value = value;
      made[each.op.getResult()] = tile;
    }
  }

  LogicalResult tileRowPieces(const Grid &grid) {
    RowOps ops = rowOps();
    if (failed(tileAll(ops.before, grid)))
      return failure();
    FailureOr<SmallVector<Carried>> carried =
        reduceRows(ops, grid, body.space.shape);
    if (failed(carried))
      return failure();
    finishRows(*carried, grid);
    return tileAll(ops.after, grid);
  }

  /// Two grids: one over parts of the rows, which leaves what each part comes
  /// to, and one that joins these, always in the same order.
  LogicalResult expandSplit(Location loc, const decision::Split &split,
                            const Sizes &extents, ValueRange outputs) {
    RowOps ops = rowOps();
    SmallVector<Value> partials;
    for (tw::ReduceOp op : ops.reductions) {
      SmallVector<int64_t> shape = {split.count};
      llvm::append_range(shape, op.getType().getShape());
      partials.push_back(
          builder.create<tensor::EmptyOp>(op.getLoc(), shape, carriedType(op)));
    }
    llvm::SmallBitVector free = body.space.free;
    free.set(split.dim);
    SmallVector<int64_t> outer = tilesFor(tiles), limits = body.space.shape;
    outer[split.dim] = limits[split.dim] = split.part;
    Operation *after = builder.getInsertionBlock()->getTerminator();
    Grid parts = makeGrid(loc, extents, free, outer, partials);
    if (failed(tileAll(ops.before, parts)))
      return failure();
    FailureOr<SmallVector<Carried>> carried = reduceRows(ops, parts, limits);
    if (failed(carried))
      return failure();
    AffineExpr d0;
    bindDims(builder.getContext(), d0);
    OpFoldResult number = affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(1, 0, d0.floorDiv(split.part)),
        {parts.offsets[split.dim]});
    auto inPartials = [&](tw::ReduceOp op, const Grid &grid, OpFoldResult from,
                          OpFoldResult count) {
      Tile place = placeOf(op, grid);
      place.offsets.insert(place.offsets.begin(), from);
      place.sizes.insert(place.sizes.begin(), count);
      return place;
    };
    for (auto [i, each] : llvm::enumerate(*carried)) {
      Tile place = inPartials(each.op, parts, number, builder.getIndexAttr(1));
      insert(parts, each.op.getLoc(), each.value, i, place.offsets,
             place.sizes);
    }

    made.clear();
    builder.setInsertionPoint(after);
    Grid grid =
        makeGrid(loc, extents, body.space.free, tilesFor(tiles), outputs);
    if (failed(tileAll(ops.before, grid)))
      return failure();
    for (auto [i, each] : llvm::enumerate(*carried)) {
      Tile place = inPartials(each.op, grid, builder.getIndexAttr(0),
                              builder.getIndexAttr(split.count));
      Sizes strides(place.offsets.size(), builder.getIndexAttr(1));
      Value all = builder.create<tensor::ExtractSliceOp>(
          each.op.getLoc(), parts.loop.getResult(i), place.offsets, place.sizes,
          strides);
      tw::ReduceKind kind = each.op.getKind() == tw::ReduceKind::Mean
                                ? tw::ReduceKind::Sum
                                : each.op.getKind();
      each.type = RankedTensorType::get(
          cast<RankedTensorType>(all.getType()).getShape().drop_front(),
          each.type.getElementType());
      each.value = builder.create<tw::ReduceOp>(
          each.op.getLoc(), each.type, all, kind, ArrayRef<int64_t>{0}, false);
    }
    finishRows(*carried, grid);
    if (failed(tileAll(ops.after, grid)))
      return failure();
    storeResults(grid);
    return success();
  }

  /// The loops over the pieces, from dimension `d` of the space on.
  LogicalResult tilePieces(const Grid &grid, Grid &piece, unsigned d,
                           ArrayRef<int64_t> limits,
                           ArrayRef<Operation *> along,
                           MutableArrayRef<Carried> carried) {
    Location loc = carried.front().op.getLoc();
    while (d < body.space.shape.size() &&
           (body.space.free[d] || tiles.outer[d] >= limits[d]))
      ++d;
    if (d == body.space.shape.size()) {
      if (failed(tileAll(along, piece)))
        return failure();
      for (Carried &each : carried)
        if (failed(reducePiece(piece, each)))
          return failure();
      return success();
    }
    SmallVector<Value> values;
    for (Carried &each : carried)
      values.push_back(each.value);
    OpFoldResult extent = grid.sizes[d];
    auto loop = builder.create<scf::ForOp>(
        loc, asValue(builder, loc, builder.getIndexAttr(0)),
        asValue(builder, loc, extent),
        asValue(builder, loc, builder.getIndexAttr(tiles.outer[d])), values);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    OpFoldResult at = loop.getInductionVar();
    piece.sizes[d] = tileSize(builder, loc, extent, at, tiles.outer[d]);
    AffineExpr d0, d1;
    bindDims(builder.getContext(), d0, d1);
    piece.offsets[d] = affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(2, 0, d0 + d1), {grid.offsets[d], at});
    for (auto [each, argument] : llvm::zip(carried, loop.getRegionIterArgs()))
      each.value = argument;
    if (failed(tilePieces(grid, piece, d + 1, limits, along, carried)))
      return failure();
    values.clear();
    for (Carried &each : carried)
      values.push_back(each.value);
    builder.create<scf::YieldOp>(loc, values);
    for (auto [each, result] : llvm::zip(carried, loop.getResults()))
      each.value = result;
    return success();
  }

  LogicalResult reducePiece(const Grid &piece, Carried &each) {
    tw::ReduceOp op = each.op;
    Location loc = op.getLoc();
    Value input = op.getInput();
    auto type = cast<RankedTensorType>(input.getType());
    Value part;
    if (auto it = made.find(input); it != made.end()) {
      part = it->second.value;
    } else {
      unsigned rank = body.space.shape.size();
      Sizes offsets, sizes;
      SmallVector<int64_t> shape;
      for (int64_t i = 0; i < type.getRank(); ++i) {
        unsigned d = rank - type.getRank() + i;
        bool stretched = type.getDimSize(i) == 1;
        offsets.push_back(stretched ? OpFoldResult(builder.getIndexAttr(0))
                                    : piece.offsets[d]);
        sizes.push_back(stretched ? OpFoldResult(builder.getIndexAttr(1))
                                  : piece.sizes[d]);
        shape.push_back(
            getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
      }
      auto partType = RankedTensorType::get(shape, type.getElementType());
      Operation *def = input.getDefiningOp();
      if (def && roleOf(def) == OpRole::Fill) {
        FailureOr<Value> filled = fillTile(def, sizes, partType);
        if (failed(filled))
          return failure();
        part = *filled;
      } else {
        Sizes strides(offsets.size(), builder.getIndexAttr(1));
        part = builder.create<tensor::ExtractSliceOp>(loc, partType, input,
                                                      offsets, sizes, strides);
      }
    }
    if (getElementTypeOrSelf(part.getType()) != each.type.getElementType())
      part = builder.create<tw::CastOp>(loc, part, each.type.getElementType());
    // A mean is the sum, divided in the end.
    tw::ReduceKind kind = op.getKind() == tw::ReduceKind::Mean
                              ? tw::ReduceKind::Sum
                              : op.getKind();
    Value sum = builder.create<tw::ReduceOp>(loc, each.type, part, kind,
                                             op.getAxes(), op.getKeepdims());
    each.value = combine(loc, kind, each.value, sum);
    return success();
  }

  /// Sizes of the space, each from a value that has all of it.
  FailureOr<Sizes> spaceSizes(Location loc) {
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
        return func.emitError()
               << "has dimension " << body.space.dimName(d)
               << " of unknown size that no value has [TW0304]";
      extents.push_back(size);
    }
    return extents;
  }

  /// Makes `tiled`, cut from `original`, read tiles made before instead of
  /// slices of whole results.
  LogicalResult connect(Operation *tiled, Operation *original) {
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

  /// A tile of what is computed on the way into a matmul's operand.
  FailureOr<Value> prologueTile(Operation *op, ArrayRef<OpFoldResult> offsets,
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

  /// A tile of a value that is the same everywhere.
  FailureOr<Value> fillTile(Operation *fill, ArrayRef<OpFoldResult> sizes,
                            Type wanted) {
    auto type = cast<RankedTensorType>(wanted);
    Location loc = fill->getLoc();
    SmallVector<Value> dynamic;
    for (auto [size, extent] : llvm::zip(sizes, type.getShape()))
      if (ShapedType::isDynamic(extent))
        dynamic.push_back(asValue(builder, loc, size));
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

  //===--------------------------------------------------------------------===//
  // Matmul
  //===--------------------------------------------------------------------===//

  /// Slices one operand: `along` is the tile's m or n, `depth` its k. Leading
  /// batches are dropped from a tensor that still has them.
  Value sliceOperand(Location loc, Value source, bool depthFirst,
                     ArrayRef<OpFoldResult> batchOffsets,
                     OpFoldResult alongOffset, OpFoldResult alongSize,
                     OpFoldResult depthOffset, OpFoldResult depthSize) {
    auto type = cast<RankedTensorType>(source.getType());
    Sizes offsets, sizes;
    for (int64_t d = 0; d + 2 < type.getRank(); ++d) {
      // Aligned at the last batch; one matrix for all stretches.
      size_t at = batchOffsets.size() - (type.getRank() - 2) + d;
      offsets.push_back(type.getDimSize(d) == 1 ? builder.getIndexAttr(0)
                                                : batchOffsets[at]);
      sizes.push_back(builder.getIndexAttr(1));
    }
    auto pushBoth = [](Sizes &into, OpFoldResult first, OpFoldResult second) {
      into.push_back(first);
      into.push_back(second);
    };
    pushBoth(offsets, depthFirst ? depthOffset : alongOffset,
             depthFirst ? alongOffset : depthOffset);
    pushBoth(sizes, depthFirst ? depthSize : alongSize,
             depthFirst ? alongSize : depthSize);
    Sizes strides(offsets.size(), builder.getIndexAttr(1));
    SmallVector<int64_t> shape;
    for (OpFoldResult size : ArrayRef(sizes).take_back(2))
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto result = RankedTensorType::get(shape, type.getElementType());
    if (Operation *def = source.getDefiningOp();
        def && roleOf(def) == OpRole::Fill) {
      // A part of what is the same everywhere is made, not cut: nothing holds
      // the whole.
      FailureOr<Value> tile =
          fillTile(def, ArrayRef(sizes).take_back(2), result);
      return failed(tile) ? nullptr : *tile;
    }
    if (Operation *def = source.getDefiningOp();
        def && llvm::is_contained(body.prologues, def)) {
      FailureOr<Value> tile = prologueTile(def, offsets, sizes);
      if (failed(tile))
        return nullptr;
      if (tile->getType() == result)
        return *tile;
      source = *tile;
      offsets.assign(offsets.size(), builder.getIndexAttr(0));
    }
    return builder.create<tensor::ExtractSliceOp>(loc, result, source, offsets,
                                                  sizes, strides);
  }

  /// One of the matmuls that step over k together, and its tiles there.
  struct Product {
    tw::MatmulOp op;
    Value lhs, rhs;
    Value sum; ///< null before the first step of those that start from nothing
  };

  /// The loops over k from level `level` of `depths` on, adding to the sums of
  /// `products`; where they are null the first step stands before its loop.
  LogicalResult tileDepth(MutableArrayRef<Product> products, const Grid &grid,
                          unsigned level, OpFoldResult extent) {
    Location loc = products.front().op.getLoc();
    if (level == depths.size()) {
      for (Product &product : products)
        product.sum = builder.create<tw::MatmulOp>(
            product.op.getLoc(), sumType, product.lhs, product.rhs, product.sum,
            product.op.getTransposeLhs(), product.op.getTransposeRhs());
      return success();
    }
    unsigned rank = body.space.shape.size();
    ArrayRef<OpFoldResult> batches = ArrayRef(grid.offsets).drop_back(2);
    OpFoldResult zero = builder.getIndexAttr(0);
    bool outermost = level == 0;
    auto slices = [&](OpFoldResult offset,
                      OpFoldResult size) -> FailureOr<SmallVector<Product>> {
      SmallVector<Product> cut(products.begin(), products.end());
      for (Product &product : cut) {
        tw::MatmulOp op = product.op;
        product.lhs =
            sliceOperand(op.getLoc(), product.lhs, op.getTransposeLhs(),
                         batches, outermost ? grid.offsets[rank - 2] : zero,
                         grid.sizes[rank - 2], offset, size);
        product.rhs =
            sliceOperand(op.getLoc(), product.rhs, !op.getTransposeRhs(),
                         batches, outermost ? grid.offsets[rank - 1] : zero,
                         grid.sizes[rank - 1], offset, size);
        if (!product.lhs || !product.rhs)
          return failure();
      }
      return cut;
    };
    auto keepSums = [&](ArrayRef<Product> cut) {
      for (auto [product, part] : llvm::zip(products, cut))
        product.sum = part.sum;
    };
    int64_t depth = std::max<int64_t>(1, depths[level]);
    std::optional<int64_t> whole = getConstantIntValue(extent);
    if (whole && *whole <= depth) {
      if (!outermost)
        return tileDepth(products, grid, level + 1, extent);
      FailureOr<SmallVector<Product>> cut = slices(zero, extent);
      if (failed(cut) || failed(tileDepth(*cut, grid, level + 1, extent)))
        return failure();
      keepSums(*cut);
      return success();
    }
    OpFoldResult step = builder.getIndexAttr(depth), from = zero;
    if (!products.front().sum) {
      OpFoldResult size = tileSize(builder, loc, extent, zero, depth);
      FailureOr<SmallVector<Product>> cut = slices(zero, size);
      if (failed(cut) || failed(tileDepth(*cut, grid, level + 1, size)))
        return failure();
      keepSums(*cut);
      from = step;
    }
    SmallVector<Value> sums;
    for (Product &product : products)
      sums.push_back(product.sum);
    auto loop = builder.create<scf::ForOp>(loc, asValue(builder, loc, from),
                                           asValue(builder, loc, extent),
                                           asValue(builder, loc, step), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    OpFoldResult offset = loop.getInductionVar();
    OpFoldResult size = tileSize(builder, loc, extent, offset, depth);
    FailureOr<SmallVector<Product>> cut = slices(offset, size);
    if (failed(cut))
      return failure();
    for (auto [part, sum] : llvm::zip(*cut, loop.getRegionIterArgs()))
      part.sum = sum;
    if (failed(tileDepth(*cut, grid, level + 1, size)))
      return failure();
    SmallVector<Value> yielded;
    for (Product &part : *cut)
      yielded.push_back(part.sum);
    builder.create<scf::YieldOp>(loc, yielded);
    for (auto [product, result] : llvm::zip(products, loop.getResults()))
      product.sum = result;
    return success();
  }

  /// Tiles of all matmuls of the scope, into `sums`.
  LogicalResult tileMatmuls(const Grid &grid) {
    unsigned rank = body.space.shape.size();
    Sizes sizes = {grid.sizes[rank - 2], grid.sizes[rank - 1]};
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    for (OpFoldResult size : sizes) {
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
      if (ShapedType::isDynamic(shape.back()))
        dynamic.push_back(cast<Value>(size));
    }
    auto type = RankedTensorType::get(shape, builder.getF32Type());
    sumType = type;
    SmallVector<Product> products;
    for (Operation *op : body.ops)
      if (auto matmul = dyn_cast<tw::MatmulOp>(op))
        products.push_back({matmul, matmul.getLhs(), matmul.getRhs(), nullptr});
    tw::MatmulOp first = products.front().op;
    OpFoldResult extent = sizeOf(builder, first.getLoc(), first.getLhs(),
                                 first.getLhs().getType().getRank() -
                                     (first.getTransposeLhs() ? 2 : 1));
    std::optional<int64_t> whole = getConstantIntValue(extent);
    const target::Placement *placement = target.placement("matmul");
    // Where nothing but the matrix unit writes the sums, or one step is all
    // there is, the first product is the first sum. Else a zero is, which keeps
    // the kernel to one copy of the innermost code.
    bool fromNothing =
        (whole && *whole <= depths.front()) ||
        (placement && !target.isCache(placement->result.front().level));
    for (Product &product : products) {
      tw::MatmulOp op = product.op;
      Location loc = op.getLoc();
      if (op.getAcc()) {
        Type element = op.getAcc().getType().getElementType();
        auto accType = RankedTensorType::get(shape, element);
        if (Operation *def = op.getAcc().getDefiningOp();
            def && roleOf(def) == OpRole::Fill) {
          FailureOr<Value> filled = fillTile(def, sizes, accType);
          if (failed(filled))
            return failure();
          product.sum = *filled;
          product.sum.getDefiningOp()->setAttr(
              sumNumber, builder.getI64IntegerAttr(&product - products.data()));
        } else {
          Sizes offsets(grid.offsets), all(rank - 2, builder.getIndexAttr(1));
          all.append(sizes);
          Sizes strides(rank, builder.getIndexAttr(1));
          product.sum = builder.create<tensor::ExtractSliceOp>(
              loc, accType, op.getAcc(), offsets, all, strides);
        }
        if (!element.isF32())
          product.sum = builder.create<tw::CastOp>(loc, product.sum,
                                                   builder.getF32Type());
      } else if (!fromNothing) {
        product.sum = builder.create<tw::FullOp>(loc, type, dynamic,
                                                 builder.getF64FloatAttr(0));
        // One buffer each: equal zeros would be taken for one.
        product.sum.getDefiningOp()->setAttr(
            sumNumber, builder.getI64IntegerAttr(&product - products.data()));
      }
    }
    if (failed(tileDepth(products, grid, 0, extent)))
      return failure();
    for (Product &product : products)
      sums[product.op] = finishSum(product.op, product.sum, shape, sizes);
    return success();
  }

  /// A sum as what follows takes it: of the result's type and rank.
  Value finishSum(tw::MatmulOp op, Value sum, ArrayRef<int64_t> shape,
                  ArrayRef<OpFoldResult> sizes) {
    Location loc = op.getLoc();
    unsigned rank = body.space.shape.size();
    Type element = op.getType().getElementType();
    if (!element.isF32())
      sum = builder.create<tw::CastOp>(loc, sum, element);
    if (rank == 2 || body.ops.size() == 1)
      return sum;
    // What follows works on tiles of the full rank.
    SmallVector<int64_t> full(rank - 2, 1);
    full.append(shape.begin(), shape.end());
    Sizes fullSizes(rank - 2, builder.getIndexAttr(1));
    fullSizes.append(sizes.begin(), sizes.end());
    SmallVector<ReassociationIndices> groups(2);
    for (unsigned d = 0; d + 1 < rank; ++d)
      groups[0].push_back(d);
    groups[1].push_back(rank - 1);
    return builder.create<tensor::ExpandShapeOp>(
        loc, RankedTensorType::get(full, element), sum, groups, fullSizes);
  }

  //===--------------------------------------------------------------------===//
  // Operations that are scopes of their own
  //===--------------------------------------------------------------------===//

  LogicalResult expandOther() {
    Operation *op = body.space.root;
    if (body.ops.size() != 1)
      return op->emitError() << "shares its scope [TW0304]";
    if (auto slice = dyn_cast<tw::SliceOp>(op))
      return expandSlice(slice);
    if (auto concat = dyn_cast<tw::ConcatOp>(op))
      return expandConcat(concat);
    if (auto insertOp = dyn_cast<tw::InsertOp>(op))
      return expandInsert(insertOp);
    if (auto reshape = dyn_cast<tw::ReshapeOp>(op))
      return expandReshape(reshape);
    if (auto tileable = dyn_cast<TilingInterface>(op))
      return expandTileable(tileable);
    return op->emitError() << "cannot be cut into tiles: it does not implement "
                              "TilingInterface [TW0305]";
  }

  LogicalResult expandTileable(TilingInterface op) {
    Location loc = op->getLoc();
    SmallVector<Value> outputs;
    for (Value result : op->getResults())
      outputs.push_back(emptyFor(loc, result));
    Sizes extents;
    for (Range range : op.getIterationDomain(builder)) {
      if (!isConstantIntValue(range.offset, 0) ||
          !isConstantIntValue(range.stride, 1))
        return op->emitError()
               << "iterates from elsewhere than 0 or not by 1 [TW0305]";
      extents.push_back(range.size);
    }
    decision::TileProblem problem = problemOf(body, primaryKey(op).str());
    tiles = decision::resolveTiles(
        problem, sizesFrom(op->getAttr(tile::sizesAttrName)), target);
    Grid grid =
        makeGrid(loc, extents, body.space.free, tilesFor(tiles), outputs);
    FailureOr<TilingResult> tiled =
        op.getTiledImplementation(builder, grid.offsets, grid.sizes);
    if (failed(tiled) || tiled->tiledValues.size() != op->getNumResults())
      return op->emitError() << "gives no tile of its results [TW0305]";
    for (Operation *madeOp : tiled->tiledOps)
      if (failed(connect(madeOp, op)))
        return failure();
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      Sizes offsets, sizes;
      if (failed(op.getResultTilePosition(builder, i, grid.offsets, grid.sizes,
                                          offsets, sizes)))
        return op->emitError() << "does not say where its tile of result " << i
                               << " lies [TW0305]";
      insert(grid, loc, tiled->tiledValues[i], i, offsets, sizes);
    }
    for (auto [i, value] : llvm::enumerate(ret.getOperands()))
      ret.setOperand(
          i, grid.loop.getResult(cast<OpResult>(value).getResultNumber()));
    return success();
  }

  /// offset + index * stride.
  OpFoldResult placed(Location loc, OpFoldResult index, int64_t offset,
                      int64_t stride) {
    AffineExpr d0;
    bindDims(builder.getContext(), d0);
    return affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(1, 0, d0 * stride + offset), {index});
  }

  /// Copies `source` tile by tile to `into` at offsets and strides of the
  /// destination; where `fromSlice` the offsets and strides are the source's.
  Value copyGrid(Location loc, Value source, Value into,
                 ArrayRef<OpFoldResult> extents, ArrayRef<int64_t> offsets,
                 ArrayRef<int64_t> strides, bool fromSlice) {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<int64_t> cut;
    for (auto [extent, tile] : llvm::zip(extents, tilesFor(tiles)))
      cut.push_back(std::min(
          tile,
          std::max<int64_t>(1, getConstantIntValue(extent).value_or(tile))));
    llvm::SmallBitVector free(extents.size(), true);
    Grid grid = makeGrid(loc, extents, free, cut, ValueRange(into));
    Sizes placedOffsets, placedStrides;
    for (auto [i, offset] : llvm::enumerate(grid.offsets)) {
      placedOffsets.push_back(placed(loc, offset, offsets[i], strides[i]));
      placedStrides.push_back(builder.getIndexAttr(strides[i]));
    }
    Sizes ones(extents.size(), builder.getIndexAttr(1));
    Value tile;
    if (Operation *def = source.getDefiningOp();
        def && roleOf(def) == OpRole::Fill) {
      SmallVector<int64_t> shape;
      for (OpFoldResult size : grid.sizes)
        shape.push_back(
            getConstantIntValue(size).value_or(ShapedType::kDynamic));
      FailureOr<Value> filled = fillTile(
          def, grid.sizes,
          RankedTensorType::get(shape, getElementTypeOrSelf(source.getType())));
      tile = succeeded(filled) ? *filled : Value();
    }
    if (!tile)
      tile = builder.create<tensor::ExtractSliceOp>(
          loc, source, fromSlice ? placedOffsets : grid.offsets, grid.sizes,
          fromSlice ? placedStrides : ones);
    builder.setInsertionPointToEnd(grid.loop.getTerminator().getBody());
    builder.create<tensor::ParallelInsertSliceOp>(
        loc, tile, grid.loop.getRegionIterArgs().front(),
        fromSlice ? grid.offsets : placedOffsets, grid.sizes,
        fromSlice ? ones : placedStrides);
    return grid.loop.getResult(0);
  }

  void resolveTilesOf(Operation *op) {
    tiles = decision::resolveTiles(problemOf(body, primaryKey(op).str()),
                                   sizesFrom(op->getAttr(tile::sizesAttrName)),
                                   target);
  }

  Sizes sizesOf(Location loc, Value value) {
    Sizes sizes;
    for (int64_t d = 0; d < cast<RankedTensorType>(value.getType()).getRank();
         ++d)
      sizes.push_back(sizeOf(builder, loc, value, d));
    return sizes;
  }

  LogicalResult expandSlice(tw::SliceOp op) {
    resolveTilesOf(op);
    Value into = emptyFor(op.getLoc(), op.getResult());
    ret.setOperand(0, copyGrid(op.getLoc(), op.getInput(), into,
                               sizesOf(op.getLoc(), op.getResult()),
                               op.getOffsets(), op.getStridesOrOnes(), true));
    return success();
  }

  LogicalResult expandConcat(tw::ConcatOp op) {
    resolveTilesOf(op);
    Location loc = op.getLoc();
    int64_t axis = op.getNormalizedAxis();
    int64_t rank = op.getResult().getType().getRank();
    Value into = emptyFor(loc, op.getResult());
    SmallVector<int64_t> offsets(rank, 0), strides(rank, 1);
    for (Value input : op.getInputs()) {
      into = copyGrid(loc, input, into, sizesOf(loc, input), offsets, strides,
                      false);
      int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(axis);
      if (ShapedType::isDynamic(size) && input != op.getInputs().back())
        return op.emitError() << "joins tensors whose size along axis " << axis
                              << " is only known at run time; only the last "
                                 "may be so [TW0306]";
      offsets[axis] += size;
    }
    ret.setOperand(0, into);
    return success();
  }

  LogicalResult expandInsert(tw::InsertOp op) {
    resolveTilesOf(op);
    Location loc = op.getLoc();
    int64_t rank = op.getResult().getType().getRank();
    SmallVector<int64_t> zeros(rank, 0), ones(rank, 1);
    Value into = emptyFor(loc, op.getResult());
    into = copyGrid(loc, op.getInto(), into, sizesOf(loc, op.getInto()), zeros,
                    ones, false);
    into = copyGrid(loc, op.getSource(), into, sizesOf(loc, op.getSource()),
                    op.getOffsets(), op.getStridesOrOnes(), false);
    ret.setOperand(0, into);
    return success();
  }

  LogicalResult expandReshape(tw::ReshapeOp op) {
    Location loc = op.getLoc();
    auto from = cast<RankedTensorType>(op.getInput().getType());
    auto to = cast<RankedTensorType>(op.getResult().getType());
    if (!from.hasStaticShape() || !to.hasStaticShape()) {
      // Rows of unknown length: one task copies all.
      Value into = emptyFor(loc, op.getResult());
      Sizes extents = sizesOf(loc, op.getResult());
      llvm::SmallBitVector none(extents.size(), false);
      SmallVector<int64_t> unused(extents.size(), 1);
      Grid grid = makeGrid(loc, extents, none, unused, ValueRange(into));
      auto copy = builder.create<tw::ReshapeOp>(loc, to, op.getInput());
      insert(grid, loc, copy, 0, grid.offsets, grid.sizes);
      ret.setOperand(0, grid.loop.getResult(0));
      return success();
    }
    // Both are the same elements in a row; pieces of that row are the tiles.
    resolveTilesOf(op);
    int64_t piece = 1;
    for (int64_t size : tilesFor(tiles))
      piece *= size;
    auto flat =
        RankedTensorType::get({to.getNumElements()}, to.getElementType());
    auto wholeOf = [](int64_t rank) {
      SmallVector<ReassociationIndices> groups;
      if (rank)
        groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
      return groups;
    };
    Value source = op.getInput();
    bool fill = source.getDefiningOp() &&
                roleOf(source.getDefiningOp()) == OpRole::Fill;
    if (!fill && from.getRank() > 1)
      source = builder.create<tensor::CollapseShapeOp>(loc, flat, source,
                                                       wholeOf(from.getRank()));
    else if (!fill && from.getRank() == 0)
      source = builder.create<tensor::ExpandShapeOp>(
          loc, flat, source, ArrayRef<ReassociationIndices>());
    Value into = builder.create<tensor::EmptyOp>(loc, flat.getShape(),
                                                 flat.getElementType());
    tiles.outer = {piece};
    body.space.shape = {to.getNumElements()};
    Value copied =
        copyGrid(loc, source, into, {builder.getIndexAttr(to.getNumElements())},
                 {0}, {1}, false);
    if (to.getRank() > 1)
      copied = builder.create<tensor::ExpandShapeOp>(loc, to, copied,
                                                     wholeOf(to.getRank()));
    else if (to.getRank() == 0)
      copied = builder.create<tensor::CollapseShapeOp>(
          loc, to, copied, ArrayRef<ReassociationIndices>());
    ret.setOperand(0, copied);
    return success();
  }

  func::FuncOp func;
  const target::Target &target;
  OpBuilder builder;
  ScopeBody body;
  func::ReturnOp ret;
  decision::ResolvedTiles tiles;
  SmallVector<int64_t> depths;             ///< of k, outermost first
  RankedTensorType sumType;                ///< of one tile's sums
  llvm::DenseMap<Operation *, Value> sums; ///< tile of each matmul's result
  llvm::DenseMap<Value, Tile> made;
};

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
  return Expander(scope, target).run();
}

std::unique_ptr<Pass> createExpandTilesPass(TargetPtr target) {
  return std::make_unique<ExpandTilesPass>(std::move(target));
}

} // namespace tilewright::pass
