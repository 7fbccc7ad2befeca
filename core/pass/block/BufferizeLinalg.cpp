//===- BufferizeLinalg.cpp - linalg operations as instructions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/Bufferizer.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::pass {

LogicalResult Bufferizer::convertLinalg(linalg::LinalgOp op) {
  SmallVector<Value> inputs, outs;
  SmallVector<bool> scalar;
  SmallVector<Attribute> maps;
  SmallVector<AffineMap> indexing = op.getIndexingMapsArray();
  IRMapping inner;
  SmallVector<Type> argumentTypes;
  SmallVector<std::pair<unsigned, Value>> scalars;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (!isTensor(operand->get())) {
      scalars.push_back({operand->getOperandNumber(), operand->get()});
      continue;
    }
    FailureOr<Buffer> buffer = bufferOf(op, operand->get());
    if (failed(buffer))
      return failure();
    inputs.push_back(buffer->memref);
    maps.push_back(AffineMapAttr::get(indexing[operand->getOperandNumber()]));
  }
  SmallVector<Buffer> results;
  for (auto [i, operand] : llvm::enumerate(op.getDpsInitsMutable())) {
    Sizes sizes;
    auto slice = operand.get().getDefiningOp<tensor::EmptyOp>();
    bool read = op.payloadUsesValueFromOperand(&operand);
    FailureOr<Buffer> dest = failure();
    if (slice) {
      unsigned next = 0;
      for (int64_t size : slice.getType().getShape())
        sizes.push_back(
            ShapedType::isDynamic(size)
                ? index(OpFoldResult(slice.getDynamicSizes()[next++]))
                : OpFoldResult(builder.getIndexAttr(size)));
    } else {
      FailureOr<Buffer> init = bufferOf(op, operand.get());
      if (failed(init))
        return failure();
      sizes = init->sizes;
      if (read && init->onChip() && endsAt(operand.get(), op))
        dest = *init;
    }
    if (failed(dest)) {
      OpResult result = op.getTiedOpResult(&operand);
      std::optional<Buffer> output;
      if (!read)
        output = outputFor(result, op, sizes);
      dest = output ? FailureOr<Buffer>(*output)
                    : allocate(op, result, resultLevel(op), sizes);
      if (failed(dest))
        return failure();
      if (read && !slice)
        builder.create<block::MoveOp>(op.getLoc(),
                                      buffers[operand.get()].memref,
                                      dest->memref, nullptr, nullptr);
    }
    outs.push_back(dest->memref);
    results.push_back(*dest);
    maps.push_back(AffineMapAttr::get(indexing[operand.getOperandNumber()]));
    buffers[op.getTiedOpResult(&operand)] = *dest;
  }
  SmallVector<Attribute> iterators;
  for (utils::IteratorType type : op.getIteratorTypesArray())
    iterators.push_back(
        builder.getStringAttr(utils::stringifyIteratorType(type)));
  auto generic = builder.create<block::GenericOp>(
      op.getLoc(), inputs, outs, builder.getArrayAttr(maps),
      builder.getArrayAttr(iterators), StringAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block &from = op->getRegion(0).front();
  Block *to = builder.createBlock(&generic.getBody());
  for (auto [i, argument] : llvm::enumerate(from.getArguments())) {
    auto it = llvm::find_if(scalars,
                            [&, i = i](auto &each) { return each.first == i; });
    if (it != scalars.end()) {
      Operation *constant = it->second.getDefiningOp();
      if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
        return op.emitError() << "reads a scalar that is no constant "
                                 "[TW0407]";
      inner.map(argument, builder.clone(*constant)->getResult(0));
      continue;
    }
    inner.map(argument, to->addArgument(argument.getType(), op.getLoc()));
  }
  builder.setInsertionPointToEnd(to);
  for (Operation &each : from.without_terminator()) {
    if (isa<linalg::IndexOp>(each))
      return op.emitError() << "uses its loop index, which no instruction "
                               "does [TW0407]";
    builder.clone(each, inner);
  }
  SmallVector<Value> yielded;
  for (Value value : from.getTerminator()->getOperands()) {
    Value mapped = inner.lookupOrDefault(value);
    if (mapped == value && value.getParentBlock() != &from) {
      Operation *constant = value.getDefiningOp();
      if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
        return op.emitError() << "yields what is made outside [TW0407]";
      mapped = builder.clone(*constant)->getResult(0);
    }
    yielded.push_back(mapped);
  }
  builder.create<block::YieldOp>(op.getLoc(), yielded);
  return success();
}

} // namespace tilewright::pass
