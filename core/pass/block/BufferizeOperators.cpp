//===- BufferizeOperators.cpp - operations as instructions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/block/Bufferizer.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::pass {

LogicalResult Bufferizer::convertMatmul(tw::MatmulOp op) {
  FailureOr<Buffer> lhs = bufferOf(op, op.getLhs());
  FailureOr<Buffer> rhs = bufferOf(op, op.getRhs());
  if (failed(lhs) || failed(rhs))
    return failure();
  bool lhsPacked =
      lhs->layout && lhs->layout.getKind() == tile::LayoutKind::Packed;
  bool rhsPacked =
      rhs->layout && rhs->layout.getKind() == tile::LayoutKind::Packed;
  FailureOr<Buffer> dest = failure();
  bool accumulate = bool(op.getAcc());
  if (accumulate) {
    dest = bufferOf(op, op.getAcc());
    if (failed(dest))
      return failure();
    // A slice of an argument that is added to is not ours to change.
    bool ours = dest->onChip() ||
                outputs.end() != llvm::find_if(outputs, [&](auto &entry) {
                  return entry.second == block::underlyingBuffer(dest->memref);
                });
    if (!ours) {
      FailureOr<Buffer> own =
          allocate(op, op.getResult(), resultLevel(op), dest->sizes);
      if (failed(own))
        return failure();
      builder.create<block::MoveOp>(op.getLoc(), dest->memref, own->memref,
                                    nullptr, nullptr);
      dest = own;
    }
  } else {
    Sizes sizes = {lhs->sizes[op.getTransposeLhs() ? 1 : 0],
                   rhs->sizes[op.getTransposeRhs() ? 0 : 1]};
    dest = destination(op, sizes);
    if (failed(dest))
      return failure();
  }
  // Packing has transposed already: panels run along m and n either way.
  auto layoutOf = [&](const Buffer &buffer, bool packed,
                      int64_t axis) -> tile::LayoutAttr {
    return packed ? tile::LayoutAttr::get(
                        builder.getContext(), tile::LayoutKind::Packed, axis,
                        buffer.layout.getBlock(), buffer.layout.getGroup(),
                        buffer.layout.getMultiple())
                  : buffer.layout;
  };
  builder.create<block::MatmulOp>(
      op.getLoc(), lhs->memref, rhs->memref, dest->memref, Value(),
      layoutOf(*lhs, lhsPacked, 0), layoutOf(*rhs, rhsPacked, 1),
      op.getTransposeLhs() && !lhsPacked, op.getTransposeRhs() && !rhsPacked,
      accumulate, StringAttr());
  buffers[op.getResult()] = *dest;
  return success();
}

LogicalResult Bufferizer::convertReduce(tw::ReduceOp op) {
  FailureOr<Buffer> source = bufferOf(op, op.getInput());
  if (failed(source))
    return failure();
  SmallVector<int64_t> axes = op.getNormalizedAxes();
  Sizes sizes;
  for (auto [d, size] : llvm::enumerate(source->sizes)) {
    if (!llvm::is_contained(axes, int64_t(d)))
      sizes.push_back(size);
    else if (op.getKeepdims())
      sizes.push_back(builder.getIndexAttr(1));
  }
  FailureOr<Buffer> dest = destination(op, sizes);
  if (failed(dest))
    return failure();
  auto kind = block::symbolizeReduceKind(uint32_t(op.getKind()));
  builder.create<block::ReduceOp>(
      op.getLoc(), block::ReduceKindAttr::get(builder.getContext(), *kind),
      source->memref, dest->memref, builder.getDenseI64ArrayAttr(axes),
      UnitAttr(), StringAttr());
  buffers[op.getResult()] = *dest;
  return success();
}

LogicalResult Bufferizer::convertFull(tw::FullOp op) {
  Sizes sizes;
  auto type = op.getResult().getType();
  unsigned next = 0;
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size)
                        ? index(OpFoldResult(op.getDynamicSizes()[next++]))
                        : OpFoldResult(builder.getIndexAttr(size)));
  FailureOr<Buffer> dest = destination(op, sizes);
  if (failed(dest))
    return failure();
  builder.create<block::FillOp>(
      op.getLoc(), cast<TypedAttr>(fillValue(op, type.getElementType())),
      dest->memref, StringAttr());
  buffers[op.getResult()] = *dest;
  return success();
}

Attribute Bufferizer::fillValue(tw::FullOp op, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat value = op.getValue();
    bool lost;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &lost);
    return builder.getFloatAttr(type, value);
  }
  return builder.getIntegerAttr(
      element, element.isInteger(1) ? int64_t(!op.getValue().isZero())
                                    : int64_t(op.getValue().convertToDouble()));
}

LogicalResult Bufferizer::convertTranspose(tw::TransposeOp op) {
  FailureOr<Buffer> source = bufferOf(op, op.getInput());
  if (failed(source))
    return failure();
  Sizes sizes;
  for (int64_t d : op.getPermutation())
    sizes.push_back(source->sizes[d]);
  FailureOr<Buffer> dest = destination(op, sizes);
  if (failed(dest))
    return failure();
  builder.create<block::TransposeOp>(op.getLoc(), source->memref, dest->memref,
                                     op.getPermutationAttr(), StringAttr());
  buffers[op.getResult()] = *dest;
  return success();
}

LogicalResult Bufferizer::convertReshape(tw::ReshapeOp op) {
  FailureOr<Buffer> source = bufferOf(op, op.getInput());
  if (failed(source))
    return failure();
  Sizes sizes;
  for (int64_t size : op.getResult().getType().getShape())
    sizes.push_back(builder.getIndexAttr(size));
  FailureOr<Buffer> dest = destination(op, sizes);
  if (failed(dest))
    return failure();
  builder.create<block::ReshapeOp>(op.getLoc(), source->memref, dest->memref,
                                   StringAttr());
  buffers[op.getResult()] = *dest;
  return success();
}

LogicalResult Bufferizer::convertElementwise(Operation *op) {
  SmallVector<Buffer> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Buffer> buffer = bufferOf(op, operand);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  // Sizes of the result: what the operands broadcast to.
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Sizes sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    OpFoldResult size = builder.getIndexAttr(1);
    for (auto [operand, buffer] : llvm::zip(op->getOperands(), operands)) {
      auto shape = cast<RankedTensorType>(operand.getType());
      int64_t at = d - type.getRank() + shape.getRank();
      if (at >= 0 && shape.getDimSize(at) != 1)
        size = buffer.sizes[at];
    }
    sizes.push_back(size);
  }
  FailureOr<Buffer> dest =
      destination(op, sizes, llvm::to_vector(op->getOperands()));
  if (failed(dest))
    return failure();
  Location loc = op->getLoc();
  MLIRContext *context = builder.getContext();
  StringRef name = op->getName().stripDialect();
  if (tw::isUnary(op)) {
    auto kind = block::symbolizeUnaryKind(name);
    if (!kind)
      return op->emitError() << "has no instruction [TW0407]";
    builder.create<block::UnaryOp>(
        loc, block::UnaryKindAttr::get(context, *kind), operands[0].memref,
        dest->memref, StringAttr());
  } else if (tw::isBinary(op)) {
    auto kind = block::symbolizeBinaryKind(name);
    if (!kind)
      return op->emitError() << "has no instruction [TW0407]";
    builder.create<block::BinaryOp>(
        loc, block::BinaryKindAttr::get(context, *kind), operands[0].memref,
        operands[1].memref, dest->memref, StringAttr());
  } else if (isa<tw::CastOp>(op)) {
    builder.create<block::CastOp>(loc, operands[0].memref, dest->memref,
                                  StringAttr());
  } else if (auto compare = dyn_cast<tw::CompareOp>(op)) {
    auto predicate =
        block::symbolizeComparePredicate(uint32_t(compare.getPredicate()));
    builder.create<block::CompareOp>(
        loc, block::ComparePredicateAttr::get(context, *predicate),
        operands[0].memref, operands[1].memref, dest->memref, StringAttr());
  } else {
    builder.create<block::SelectOp>(loc, operands[0].memref, operands[1].memref,
                                    operands[2].memref, dest->memref,
                                    StringAttr());
  }
  buffers[op->getResult(0)] = *dest;
  return success();
}

} // namespace tilewright::pass
