//===- ExpandRowPieces.cpp - rows gone through in pieces ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/TileExpander.h"
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tilewright::pass {

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

static Value combine(OpBuilder &builder, Location loc, tw::ReduceKind kind,
                     Value a, Value b) {
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

Type TileExpander::carriedType(tw::ReduceOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  return isa<FloatType>(element) ? builder.getF32Type() : element;
}

TileExpander::RowOps TileExpander::rowOps() {
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

FailureOr<SmallVector<TileExpander::Carried>>
TileExpander::reduceRows(const RowOps &ops, const Grid &grid,
                         ArrayRef<int64_t> limits) {
  SmallVector<Carried> carried;
  for (tw::ReduceOp op : ops.reductions) {
    Tile place = placeOf(op, grid);
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    for (OpFoldResult size : place.sizes) {
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
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

void TileExpander::finishRows(MutableArrayRef<Carried> carried,
                              const Grid &grid) {
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

LogicalResult TileExpander::tileRowPieces(const Grid &grid) {
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

LogicalResult TileExpander::tilePieces(const Grid &grid, Grid &piece,
                                       unsigned d, ArrayRef<int64_t> limits,
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
      loc,
      getValueOrCreateConstantIndexOp(builder, loc, builder.getIndexAttr(0)),
      getValueOrCreateConstantIndexOp(builder, loc, extent),
      getValueOrCreateConstantIndexOp(builder, loc,
                                      builder.getIndexAttr(tiles.outer[d])),
      values);
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

LogicalResult TileExpander::reducePiece(const Grid &piece, Carried &each) {
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
  tw::ReduceKind kind =
      op.getKind() == tw::ReduceKind::Mean ? tw::ReduceKind::Sum : op.getKind();
  Value sum = builder.create<tw::ReduceOp>(loc, each.type, part, kind,
                                           op.getAxes(), op.getKeepdims());
  each.value = combine(builder, loc, kind, each.value, sum);
  return success();
}

} // namespace tilewright::pass
