//===- ExpandSplit.cpp - rows in parts that are reduced side by side ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/TileExpander.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::pass {

LogicalResult TileExpander::expandSplit(Location loc,
                                        const decision::Split &split,
                                        const Sizes &extents,
                                        ValueRange outputs) {
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
    insert(parts, each.op.getLoc(), each.value, i, place.offsets, place.sizes);
  }

  made.clear();
  builder.setInsertionPoint(after);
  Grid grid = makeGrid(loc, extents, body.space.free, tilesFor(tiles), outputs);
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

} // namespace tilewright::pass
