//===- BufferizeViews.cpp - views of buffers ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/Bufferizer.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tilewright::pass {

Value Bufferizer::reshaped(Location loc, Value memref, RankedTensorType type) {
  auto from = cast<MemRefType>(memref.getType());
  MemRefType to =
      memrefType(type.getShape(), type.getElementType(), block::levelOf(from));
  int64_t rank = std::max(from.getRank(), to.getRank());
  SmallVector<ReassociationIndices> groups;
  if (std::min(from.getRank(), to.getRank()) > 0)
    groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  if (to.getRank() <= from.getRank())
    return builder.create<memref::CollapseShapeOp>(loc, to, memref, groups);
  return builder.create<memref::ExpandShapeOp>(loc, to, memref, groups);
}

LogicalResult Bufferizer::convertWholeShape(Operation *op) {
  if (outputs.count(op->getResult(0)))
    return success(); // seen from the return
  FailureOr<Buffer> source = bufferOf(op, op->getOperand(0));
  if (failed(source))
    return failure();
  setWhole(op->getResult(0),
           reshaped(op->getLoc(), source->memref,
                    cast<RankedTensorType>(op->getResult(0).getType())));
  return success();
}

LogicalResult Bufferizer::convertSlice(tensor::ExtractSliceOp slice) {
  FailureOr<Buffer> source = bufferOf(slice, slice.getSource());
  if (failed(source))
    return failure();
  if (source->layout)
    return slice.emitError() << "cuts a packed tile [TW0405]";
  Sizes offsets = indices(slice.getMixedOffsets());
  Sizes sizes = indices(slice.getMixedSizes());
  Sizes strides = indices(slice.getMixedStrides());
  auto sourceType = cast<MemRefType>(source->memref.getType());
  auto type = slice.getType();
  auto viewType = cast<MemRefType>(
      type.getRank() == sourceType.getRank()
          ? memref::SubViewOp::inferResultType(sourceType, offsets, sizes,
                                               strides)
          : memref::SubViewOp::inferRankReducedResultType(
                type.getShape(), sourceType, offsets, sizes, strides));
  Buffer buffer;
  buffer.memref = builder.create<memref::SubViewOp>(
      slice.getLoc(), viewType, source->memref, offsets, sizes, strides);
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (dropped[d])
      continue;
    buffer.sizes.push_back(size);
    buffer.capacity.push_back(upperBound(size).value_or(0));
  }
  buffers[slice.getResult()] = buffer;
  return success();
}

LogicalResult Bufferizer::convertExpand(tensor::ExpandShapeOp expand) {
  FailureOr<Buffer> source = bufferOf(expand, expand.getSrc());
  if (failed(source))
    return failure();
  // Leading dimensions of 1 only, which is all that tiling makes.
  Sizes shape;
  SmallVector<int64_t> capacity;
  unsigned extra =
      expand.getResultType().getRank() - expand.getSrcType().getRank();
  shape.assign(extra, builder.getIndexAttr(1));
  shape.append(source->sizes);
  capacity.assign(extra, 1);
  capacity.append(source->capacity);
  FailureOr<MemRefType> type = memref::ExpandShapeOp::computeExpandedType(
      cast<MemRefType>(source->memref.getType()),
      expand.getResultType().getShape(), expand.getReassociationIndices());
  if (failed(type))
    return expand.emitError() << "cannot be a view of its tile [TW0405]";
  Buffer buffer;
  buffer.memref = builder.create<memref::ExpandShapeOp>(
      expand.getLoc(), *type, source->memref, expand.getReassociationIndices(),
      shape);
  buffer.sizes = shape;
  buffer.capacity = capacity;
  buffers[expand.getResult()] = buffer;
  return success();
}

} // namespace tilewright::pass
