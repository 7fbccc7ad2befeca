//===- ExpandAlone.cpp - operations that are scopes of their own ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/tile/ScopeProblem.h"
#include "core/pass/tile/TileExpander.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::pass {

/// offset + index * stride.
static OpFoldResult placed(OpBuilder &builder, Location loc, OpFoldResult index,
                           int64_t offset, int64_t stride) {
  AffineExpr d0;
  bindDims(builder.getContext(), d0);
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(1, 0, d0 * stride + offset), {index});
}

LogicalResult TileExpander::expandOther() {
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

LogicalResult TileExpander::expandTileable(TilingInterface op) {
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
  Grid grid = makeGrid(loc, extents, body.space.free, tilesFor(tiles), outputs);
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

Value TileExpander::copyGrid(Location loc, Value source, Value into,
                             ArrayRef<OpFoldResult> extents,
                             ArrayRef<int64_t> offsets,
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
    placedOffsets.push_back(
        placed(builder, loc, offset, offsets[i], strides[i]));
    placedStrides.push_back(builder.getIndexAttr(strides[i]));
  }
  Sizes ones(extents.size(), builder.getIndexAttr(1));
  Value tile;
  if (Operation *def = source.getDefiningOp();
      def && roleOf(def) == OpRole::Fill) {
    SmallVector<int64_t> shape;
    for (OpFoldResult size : grid.sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
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

LogicalResult TileExpander::expandSlice(tw::SliceOp op) {
  resolveTilesOf(op);
  Value into = emptyFor(op.getLoc(), op.getResult());
  ret.setOperand(0, copyGrid(op.getLoc(), op.getInput(), into,
                             sizesOf(op.getLoc(), op.getResult()),
                             op.getOffsets(), op.getStridesOrOnes(), true));
  return success();
}

LogicalResult TileExpander::expandConcat(tw::ConcatOp op) {
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

LogicalResult TileExpander::expandInsert(tw::InsertOp op) {
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

LogicalResult TileExpander::expandReshape(tw::ReshapeOp op) {
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
  auto flat = RankedTensorType::get({to.getNumElements()}, to.getElementType());
  auto wholeOf = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  Value source = op.getInput();
  bool fill =
      source.getDefiningOp() && roleOf(source.getDefiningOp()) == OpRole::Fill;
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

} // namespace tilewright::pass
