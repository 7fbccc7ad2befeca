//===- ResultBuffers.cpp - where instructions write -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/block/Bufferizer.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::pass {

MemRefType Bufferizer::memrefType(ArrayRef<int64_t> shape, Type element,
                                  StringRef level) {
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         block::LevelAttr::get(builder.getContext(), level));
}

Type Bufferizer::globalType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? memrefType(tensor.getShape(), tensor.getElementType(),
                             block::globalLevel)
                : type;
}

void Bufferizer::setWhole(Value tensor, Value memref) {
  Buffer buffer{memref, {}, {}, nullptr};
  for (int64_t size : cast<MemRefType>(memref.getType()).getShape()) {
    buffer.sizes.push_back(builder.getIndexAttr(size));
    buffer.capacity.push_back(size);
  }
  buffers[tensor] = buffer;
}

Sizes Bufferizer::indices(ArrayRef<OpFoldResult> sizes) {
  Sizes result;
  for (OpFoldResult size : sizes)
    result.push_back(index(size));
  return result;
}

FailureOr<Buffer> Bufferizer::bufferOf(Operation *user, Value tensor) {
  auto it = buffers.find(tensor);
  if (it == buffers.end())
    return user->emitError() << "reads a tensor that has no buffer [TW0405]";
  return it->second;
}

Value Bufferizer::validPart(Location loc, Value memref,
                            ArrayRef<OpFoldResult> sizes) {
  auto type = cast<MemRefType>(memref.getType());
  bool whole = true;
  for (auto [size, room] : llvm::zip(sizes, type.getShape()))
    whole &= isConstantIntValue(size, room);
  if (whole)
    return memref;
  Sizes zeros(sizes.size(), builder.getIndexAttr(0));
  Sizes ones(sizes.size(), builder.getIndexAttr(1));
  return builder.create<memref::SubViewOp>(loc, memref, zeros, sizes, ones);
}

std::string Bufferizer::resultLevel(Operation *op) {
  const target::Placement *placement = target.placement(targetClassOf(op));
  return placement && !placement->result.empty()
             ? placement->result.front().level
             : "GM";
}

Operation *Bufferizer::unitOf(Value tensor) {
  for (OpOperand &use : tensor.getUses()) {
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
      if (use.getOperandNumber() >= 3)
        return unitOf(loop.getRegionIterArgs()[use.getOperandNumber() - 3]);
    if (auto matmul = dyn_cast<tw::MatmulOp>(use.getOwner()))
      if (matmul.getAcc() == tensor)
        return matmul;
  }
  return tensor.getDefiningOp();
}

FailureOr<Buffer> Bufferizer::allocate(Operation *op, Value tensor,
                                       StringRef level,
                                       ArrayRef<OpFoldResult> sizes) {
  Buffer buffer;
  SmallVector<int64_t> room;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> bound = upperBound(size);
    if (!bound)
      return op->emitError()
             << "makes a tile whose size along dimension " << d
             << " has no upper bound, so that no buffer can be made for it "
                "[TW0406]";
    buffer.capacity.push_back(*bound);
    room.push_back(*bound);
  }
  buffer.sizes.assign(sizes.begin(), sizes.end());
  Value memref = builder.create<block::AllocOp>(
      op->getLoc(),
      memrefType(room, getElementTypeOrSelf(tensor.getType()), level), nullptr);
  buffer.memref = validPart(op->getLoc(), memref, sizes);
  return buffer;
}

std::optional<Buffer> Bufferizer::outputFor(Value tensor, Operation *unit,
                                            ArrayRef<OpFoldResult> sizes) {
  Value stored = tensor;
  while (stored.hasOneUse()) {
    OpOperand &use = *stored.getUses().begin();
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner())) {
      if (use.getOperandNumber() < 3)
        return std::nullopt;
      stored = loop.getResult(use.getOperandNumber() - 3);
      continue;
    }
    if (auto yield = dyn_cast<scf::YieldOp>(use.getOwner())) {
      auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
      if (!loop)
        return std::nullopt;
      stored = loop.getResult(use.getOperandNumber());
      continue;
    }
    if (auto matmul = dyn_cast<tw::MatmulOp>(use.getOwner());
        matmul && matmul.getAcc() == stored) {
      stored = matmul.getResult();
      continue;
    }
    break;
  }
  if (!stored.hasOneUse())
    return std::nullopt;
  auto store =
      dyn_cast<tensor::ParallelInsertSliceOp>(*stored.getUsers().begin());
  if (!store || store.getSource() != stored)
    return std::nullopt;
  // Only what a core reads through caches can be written where it goes.
  std::string level = resultLevel(unit);
  if (!target.isCache(level))
    return std::nullopt;
  auto type = cast<RankedTensorType>(stored.getType());
  if (getElementTypeOrSelf(tensor.getType()) != type.getElementType())
    return std::nullopt;
  // Offsets and sizes must be there already.
  for (OpFoldResult size : llvm::concat<OpFoldResult>(store.getMixedOffsets(),
                                                      store.getMixedSizes()))
    if (auto value = dyn_cast<Value>(size))
      if (!mapping.contains(value))
        return std::nullopt;
  Buffer buffer;
  buffer.memref = storePlace(store, type);
  buffer.sizes.assign(sizes.begin(), sizes.end());
  for (OpFoldResult size : sizes)
    buffer.capacity.push_back(upperBound(size).value_or(0));
  stores.insert(store);
  return buffer;
}

Value Bufferizer::storePlace(tensor::ParallelInsertSliceOp store,
                             RankedTensorType type) {
  Value output = shared[store.getDest()];
  Sizes offsets = indices(store.getMixedOffsets());
  Sizes sizes = indices(store.getMixedSizes());
  Sizes strides = indices(store.getMixedStrides());
  auto outputType = cast<MemRefType>(output.getType());
  if (type.getRank() == outputType.getRank())
    return builder.create<memref::SubViewOp>(store.getLoc(), output, offsets,
                                             sizes, strides);
  auto reduced = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      type.getShape(), outputType, offsets, sizes, strides));
  return builder.create<memref::SubViewOp>(store.getLoc(), reduced, output,
                                           offsets, sizes, strides);
}

bool Bufferizer::endsAt(Value tensor, Operation *op) {
  if (tensor.getParentBlock() != op->getBlock())
    return false;
  return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    return here && (here == op || here->isBeforeInBlock(op));
  });
}

FailureOr<Buffer> Bufferizer::destination(Operation *op,
                                          ArrayRef<OpFoldResult> sizes,
                                          ArrayRef<Value> reusable) {
  Value result = op->getResult(0);
  Operation *unit = roleOf(op) == OpRole::Fill ? unitOf(result) : op;
  if (!unit)
    unit = op;
  if (std::optional<Buffer> output = outputFor(result, unit, sizes))
    return *output;
  auto type = cast<RankedTensorType>(result.getType());
  for (Value operand : reusable) {
    auto it = buffers.find(operand);
    if (it == buffers.end() || operand.getType() != type ||
        !it->second.onChip() || it->second.layout || !endsAt(operand, op))
      continue;
    auto memref = cast<MemRefType>(it->second.memref.getType());
    if (block::levelOf(memref) != resultLevel(unit) &&
        !(target.isCache(block::levelOf(memref).str()) &&
          target.isCache(resultLevel(unit))))
      continue;
    // Two names of one buffer: nothing else may hold the other one.
    bool alone = true;
    Value root = block::underlyingBuffer(it->second.memref);
    for (auto &[other, buffer] : buffers)
      if (other != operand && !isLoopResultOf(other, operand) &&
          block::underlyingBuffer(buffer.memref) == root && !endsAt(other, op))
        alone = alone && !mayBeRead(other, op);
    if (alone)
      return it->second;
  }
  return allocate(op, result, resultLevel(unit), sizes);
}

bool Bufferizer::isLoopResultOf(Value result, Value carried) {
  auto argument = dyn_cast<BlockArgument>(carried);
  auto loop = result.getDefiningOp<scf::ForOp>();
  return argument && loop && argument.getOwner() == loop.getBody() &&
         argument.getArgNumber() > 0 &&
         loop.getResult(argument.getArgNumber() - 1) == result;
}

bool Bufferizer::mayBeRead(Value tensor, Operation *op) {
  return llvm::any_of(tensor.getUsers(), [&](Operation *user) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    return !here ? !user->isProperAncestor(op) &&
                       user->getBlock() != op->getBlock()
                 : op->isBeforeInBlock(here);
  });
}

} // namespace tilewright::pass
