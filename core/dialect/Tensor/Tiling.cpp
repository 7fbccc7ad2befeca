//===- Tiling.cpp - one tile of an operator -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/Tiling.h"
#include "core/dialect/Tensor/IterationSpace.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using mlir::utils::IteratorType;

namespace tilewright::tw {

static int64_t staticSize(OpFoldResult size) {
  return getConstantIntValue(size).value_or(ShapedType::kDynamic);
}

/// Whether [offset, offset + size) is surely all of dimension `d` of `value`.
static bool isAll(OpFoldResult offset, OpFoldResult size, Value value,
                  int64_t d) {
  if (!isConstantIntValue(offset, 0))
    return false;
  int64_t extent = cast<RankedTensorType>(value.getType()).getDimSize(d);
  if (!ShapedType::isDynamic(extent))
    return isConstantIntValue(size, extent);
  auto asked = dyn_cast<Value>(size);
  auto dim = asked ? asked.getDefiningOp<tensor::DimOp>() : nullptr;
  return dim && dim.getSource() == value && dim.getConstantIndex() == d;
}

/// The part of `operand` that the tile needs; the operand itself if all of it.
static Value sliceOperand(OpBuilder &b, Location loc, Value operand,
                          ArrayRef<int> map, ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes,
                          SmallVectorImpl<Operation *> &slices) {
  SmallVector<OpFoldResult> from, count;
  bool all = true;
  for (auto [d, dim] : llvm::enumerate(map)) {
    if (dim >= 0) {
      from.push_back(offsets[dim]);
      count.push_back(sizes[dim]);
    } else {
      from.push_back(b.getIndexAttr(0));
      count.push_back(dim == IterationSpace::stretched
                          ? OpFoldResult(b.getIndexAttr(1))
                          : tensor::getMixedSize(b, loc, operand, d));
    }
    all &= isAll(from.back(), count.back(), operand, d);
  }
  if (all)
    return operand;
  SmallVector<OpFoldResult> strides(map.size(), b.getIndexAttr(1));
  auto slice =
      b.create<tensor::ExtractSliceOp>(loc, operand, from, count, strides);
  slices.push_back(slice);
  return slice;
}

static RankedTensorType tileType(Operation *op, ArrayRef<int> map,
                                 ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape;
  for (auto [d, dim] : llvm::enumerate(map))
    shape.push_back(dim >= 0 ? staticSize(sizes[dim]) : type.getDimSize(d));
  return type.clone(shape);
}

SmallVector<IteratorType> iteratorTypes(Operation *op) {
  return iterationSpace(op).iterators;
}

SmallVector<Range> iterationDomain(Operation *op, OpBuilder &b) {
  IterationSpace space = iterationSpace(op);
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<Range> domain;
  for (size_t d = 0; d < space.iterators.size(); ++d)
    domain.push_back({zero, space.sizeOf(b, op, d), one});
  return domain;
}

/// Whether every reduction loop runs over all its points: a part of a sum is
/// not a part of the result.
static bool reducesAll(Operation *op, const IterationSpace &space,
                       ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes) {
  for (auto [dim, iterator] : llvm::enumerate(space.iterators)) {
    if (iterator != IteratorType::reduction)
      continue;
    bool all = false;
    for (auto [i, map] : llvm::enumerate(space.operands))
      for (auto [d, from] : llvm::enumerate(map))
        if (from == int(dim))
          all |= isAll(offsets[dim], sizes[dim], op->getOperand(i), d);
    if (!all)
      return false;
  }
  return true;
}

FailureOr<TilingResult> tiledImplementation(Operation *op, OpBuilder &b,
                                            ArrayRef<OpFoldResult> offsets,
                                            ArrayRef<OpFoldResult> sizes) {
  IterationSpace space = iterationSpace(op);
  if (offsets.size() != space.iterators.size() ||
      sizes.size() != space.iterators.size() ||
      !reducesAll(op, space, offsets, sizes))
    return failure();
  Location loc = op->getLoc();
  RankedTensorType type = tileType(op, space.result, sizes);
  SmallVector<Value> operands;
  SmallVector<Operation *> slices;
  if (isa<FullOp>(op)) {
    for (auto [d, dim] : llvm::enumerate(space.result))
      if (type.isDynamicDim(d))
        operands.push_back(getValueOrCreateConstantIndexOp(b, loc, sizes[dim]));
  } else {
    for (auto [operand, map] :
         llvm::zip_equal(op->getOperands(), space.operands))
      operands.push_back(
          sliceOperand(b, loc, operand, map, offsets, sizes, slices));
  }
  Operation *tile = mlir::clone(b, op, TypeRange(type), operands);
  return TilingResult{{tile}, {tile->getResult(0)}};
}

LogicalResult resultTilePosition(Operation *op, OpBuilder &b,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes,
                                 SmallVector<OpFoldResult> &resultOffsets,
                                 SmallVector<OpFoldResult> &resultSizes) {
  IterationSpace space = iterationSpace(op);
  for (auto [d, dim] : llvm::enumerate(space.result)) {
    if (dim >= 0) {
      resultOffsets.push_back(offsets[dim]);
      resultSizes.push_back(sizes[dim]);
      continue;
    }
    // A whole dimension of the result lies along the same one of the first
    // operand, but for a reduced one, which is 1.
    resultOffsets.push_back(b.getIndexAttr(0));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    resultSizes.push_back(
        type.isDynamicDim(d)
            ? tensor::getMixedSize(b, op->getLoc(), op->getOperand(0), d)
            : OpFoldResult(b.getIndexAttr(type.getDimSize(d))));
  }
  return success();
}

LogicalResult domainTileFromResultTile(
    Operation *op, OpBuilder &b, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVectorImpl<OpFoldResult> &domainOffsets,
    SmallVectorImpl<OpFoldResult> &domainSizes) {
  IterationSpace space = iterationSpace(op);
  size_t dims = space.iterators.size();
  SmallVector<OpFoldResult> from(dims), count(dims);
  for (auto [d, dim] : llvm::enumerate(space.result)) {
    if (dim >= 0) {
      from[dim] = offsets[d];
      count[dim] = sizes[d];
      continue;
    }
    // A tile that takes part of a whole dimension would cost the whole for
    // each part; better not fused at all.
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    bool all = isAll(offsets[d], sizes[d], op->getResult(0), d) ||
               (type.isDynamicDim(d) &&
                isAll(offsets[d], sizes[d], op->getOperand(0), d));
    if (!all)
      return failure();
  }
  for (size_t dim = 0; dim < dims; ++dim) {
    if (from[dim])
      continue;
    from[dim] = b.getIndexAttr(0);
    count[dim] = space.sizeOf(b, op, dim);
  }
  domainOffsets.assign(from.begin(), from.end());
  domainSizes.assign(count.begin(), count.end());
  return success();
}

FailureOr<TilingResult> resultTileValue(Operation *op, OpBuilder &b,
                                        ArrayRef<OpFoldResult> offsets,
                                        ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> domainOffsets, domainSizes;
  if (failed(domainTileFromResultTile(op, b, offsets, sizes, domainOffsets,
                                      domainSizes)))
    return failure();
  return tiledImplementation(op, b, domainOffsets, domainSizes);
}

MatmulOp buildMatmulTile(OpBuilder &b, MatmulOp op,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes, Value acc) {
  IterationSpace space = iterationSpace(op);
  SmallVector<Operation *> slices;
  auto part = [&](unsigned operand) {
    return sliceOperand(b, op.getLoc(), op->getOperand(operand),
                        space.operands[operand], offsets, sizes, slices);
  };
  Value lhs = part(0), rhs = part(1);
  Type type = acc ? acc.getType() : tileType(op, space.result, sizes);
  auto tile = b.create<MatmulOp>(op.getLoc(), type, lhs, rhs, acc);
  tile->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  tile.setTransposeLhs(op.getTransposeLhs());
  tile.setTransposeRhs(op.getTransposeRhs());
  return tile;
}

} // namespace tilewright::tw
