//===- ExpandMatmul.cpp - matmuls step over their depth -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/TileExpander.h"
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::pass {

Value TileExpander::sliceOperand(Location loc, Value source, bool depthFirst,
                                 ArrayRef<OpFoldResult> batchOffsets,
                                 OpFoldResult alongOffset,
                                 OpFoldResult alongSize,
                                 OpFoldResult depthOffset,
                                 OpFoldResult depthSize) {
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
    FailureOr<Value> tile = fillTile(def, ArrayRef(sizes).take_back(2), result);
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

/// Offsets inside of each other, together.
OpFoldResult TileExpander::sum(OpFoldResult outer, OpFoldResult inner) {
  AffineExpr a, b;
  bindSymbols(builder.getContext(), a, b);
  return affine::makeComposedFoldedAffineApply(builder, func.getLoc(), a + b,
                                               {outer, inner});
}

LogicalResult TileExpander::tileDepth(MutableArrayRef<Product> products,
                                      const Grid &grid, unsigned level,
                                      OpFoldResult extent) {
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
  const DepthLevel &here = depths[level];
  auto slices = [&](OpFoldResult offset,
                    OpFoldResult size) -> FailureOr<SmallVector<Product>> {
    SmallVector<Product> cut(products.begin(), products.end());
    for (Product &product : cut) {
      tw::MatmulOp op = product.op;
      for (size_t operand : {0, 1}) {
        Value &tile = operand ? product.rhs : product.lhs;
        OpFoldResult &held = product.held[operand],
                     &from = product.from[operand];
        OpFoldResult at = from ? sum(from, offset) : offset;
        if (!here.cuts[operand]) {
          from = at;
          continue;
        }
        from = OpFoldResult();
        bool whole = held && isEqualConstantIntOrValue(held, size) &&
                     isConstantIntValue(at, 0);
        if (whole)
          continue;
        unsigned side = rank - (operand ? 1 : 2);
        tile = sliceOperand(
            op.getLoc(), tile,
            operand ? !op.getTransposeRhs() : op.getTransposeLhs(), batches,
            held ? zero : grid.offsets[side], grid.sizes[side], at, size);
        if (!tile)
          return failure();
        held = size;
      }
    }
    return cut;
  };
  auto keepSums = [&](ArrayRef<Product> cut) {
    for (auto [product, part] : llvm::zip(products, cut))
      product.sum = part.sum;
  };
  auto oneStep = [&](OpFoldResult offset, OpFoldResult size) -> LogicalResult {
    FailureOr<SmallVector<Product>> cut = slices(offset, size);
    if (failed(cut) || failed(tileDepth(*cut, grid, level + 1, size)))
      return failure();
    keepSums(*cut);
    return success();
  };
  int64_t depth = std::max<int64_t>(1, here.depth);
  std::optional<int64_t> whole = getConstantIntValue(extent);
  if (whole && *whole <= depth) {
    // What stays is there once its first step is: the rest comes behind it.
    bool stays = !(here.cuts[0] && here.cuts[1]) && level + 1 < depths.size() &&
                 level == 0;
    int64_t first = stays ? depths[level + 1].depth : 0;
    if (!stays || first >= *whole || products.front().sum)
      return oneStep(zero, extent);
    if (failed(oneStep(zero, builder.getIndexAttr(first))))
      return failure();
    return oneStep(builder.getIndexAttr(first),
                   builder.getIndexAttr(*whole - first));
  }
  OpFoldResult step = builder.getIndexAttr(depth), from = zero;
  if (!products.front().sum) {
    if (failed(oneStep(zero, tileSize(builder, loc, extent, zero, depth))))
      return failure();
    from = step;
    // A loop of one turn would have events between its turns.
    if (whole && *whole - depth <= depth)
      return oneStep(from, builder.getIndexAttr(*whole - depth));
  }
  SmallVector<Value> sums;
  for (Product &product : products)
    sums.push_back(product.sum);
  auto loop = builder.create<scf::ForOp>(
      loc, getValueOrCreateConstantIndexOp(builder, loc, from),
      getValueOrCreateConstantIndexOp(builder, loc, extent),
      getValueOrCreateConstantIndexOp(builder, loc, step), sums);
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

LogicalResult TileExpander::tileMatmuls(const Grid &grid) {
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
      (whole && *whole <= depths.front().depth) ||
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
        product.sum =
            builder.create<tw::CastOp>(loc, product.sum, builder.getF32Type());
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

Value TileExpander::finishSum(tw::MatmulOp op, Value sum,
                              ArrayRef<int64_t> shape,
                              ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  unsigned rank = body.space.shape.size();
  Type element = op.getType().getElementType();
  if (!element.isF32())
    sum = builder.create<tw::CastOp>(loc, sum, element);
  // Nothing follows matmuls beside each other: their stores take tiles as they
  // are, and may convert.
  if (rank == 2 || llvm::all_of(body.ops, llvm::IsaPred<tw::MatmulOp>))
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

} // namespace tilewright::pass
