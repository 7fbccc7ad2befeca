//===- RearrangeEmitter.cpp - transposes, reshapes, generic regions -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::execute {

void KernelEmitter::emitTranspose(TransposeOp op) {
  MemoryView source = view(op.getSource()), dest = view(op.getDest());
  MemoryView permuted = source;
  permuted.sizes.clear();
  permuted.strides.clear();
  for (int64_t d : op.getPermutation()) {
    permuted.sizes.push_back(source.sizes[d]);
    permuted.strides.push_back(source.strides[d]);
  }
  unsigned rank = dest.rank();
  bool rows = rank && permuted.innerStride().is(1) && dest.innerStride().is(1);
  int64_t lanes =
      rows ? cpu.lanes(std::max<int64_t>(
                 1, storedType(dest.element).getIntOrFloatBitWidth() / 8))
           : 1;
  if (rank == 0) {
    store(dest, 0, load(permuted, 0, 1), 1);
    return;
  }
  nest(ArrayRef(dest.sizes).drop_back(), [&](ArrayRef<Index> outer) {
    auto copy = [&](int64_t width) {
      return [&, width](Index i) {
        SmallVector<Index> at(outer);
        at.push_back(i);
        store(dest, offsetOf(dest, at),
              load(permuted, offsetOf(permuted, at), width), width);
      };
    };
    Index done = lanes > 1 ? index.roundDown(dest.sizes.back(), lanes) : 0;
    if (lanes > 1)
      loop(0, done, lanes, copy(lanes));
    loop(done, dest.sizes.back(), 1, copy(1));
  });
}

/// Whether the elements lie one after the other in row-major order.
static bool isDense(const MemoryView &view) {
  int64_t stride = 1;
  for (unsigned d = view.rank(); d-- > 0;) {
    if (view.sizes[d].is(1))
      continue;
    if (!view.strides[d].is(stride))
      return false;
    if (!view.sizes[d].isKnown()) {
      // Only the outermost size may be unknown: no stride follows from it.
      for (unsigned outer = 0; outer < d; ++outer)
        if (!view.sizes[outer].is(1))
          return false;
      return true;
    }
    stride *= view.sizes[d].number;
  }
  return true;
}

void KernelEmitter::emitReshape(ReshapeOp op) {
  MemoryView source = view(op.getSource()), dest = view(op.getDest());
  Index count = 1;
  for (Index size : dest.sizes)
    count = index.mul(count, size);
  if (isDense(source) && isDense(dest)) {
    int64_t lanes = cpu.lanes(std::max<int64_t>(
        1, storedType(dest.element).getIntOrFloatBitWidth() / 8));
    Index done = index.roundDown(count, lanes);
    loop(0, done, lanes,
         [&](Index i) { store(dest, i, load(source, i, lanes), lanes); });
    loop(done, count, 1,
         [&](Index i) { store(dest, i, load(source, i, 1), 1); });
    return;
  }
  // The coordinates of each element, counted out on both sides.
  auto place = [&](const MemoryView &view, Index linear) {
    Index offset = 0;
    for (unsigned d = view.rank(); d-- > 0;) {
      Index at = d == 0 ? linear : index.mod(linear, view.sizes[d]);
      if (d)
        linear = index.floorDiv(linear, view.sizes[d]);
      offset = index.add(offset, index.mul(at, view.strides[d]));
    }
    return offset;
  };
  loop(0, count, 1, [&](Index i) {
    store(dest, place(dest, i), load(source, place(source, i), 1), 1);
  });
}

void KernelEmitter::emitGeneric(GenericOp op) {
  SmallVector<MemoryView> operands;
  SmallVector<AffineMap> maps;
  for (Value input : op.getInputs())
    operands.push_back(view(input));
  for (Value output : op.getOutputs())
    operands.push_back(view(output));
  for (Attribute map : op.getIndexingMaps())
    maps.push_back(cast<AffineMapAttr>(map).getValue());
  unsigned dims = unsigned(op.getIteratorTypes().size());
  SmallVector<std::optional<Index>> found(dims);
  for (auto [operand, map] : llvm::zip(operands, maps))
    for (auto [d, result] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(result))
        if (auto &size = found[dim.getPosition()];
            !size || (!size->isKnown() && operand.sizes[d].isKnown()))
          size = operand.sizes[d];
  SmallVector<Index> sizes;
  for (auto &size : found) {
    if (!size)
      fail(op, "TW0430", "no operand gives the length of one of its loops");
    sizes.push_back(*size);
  }

  Block &body = op.getBody().front();
  // Rows go by vectors if neighbours in the last loop are independent and lie
  // side by side, or are the same element, in every operand.
  bool vectorised =
      dims && cast<StringAttr>(op.getIteratorTypes()[dims - 1]).getValue() ==
                  "parallel";
  int64_t bytes = 4;
  SmallVector<bool> varies(operands.size());
  for (auto [i, operand, map] : llvm::enumerate(operands, maps)) {
    for (auto [d, result] : llvm::enumerate(map.getResults())) {
      if (!vectorised || !result.isFunctionOfDim(dims - 1))
        continue;
      varies[i] = true;
      auto dim = dyn_cast<AffineDimExpr>(result);
      vectorised &=
          d + 1 == operand.rank() && dim && operand.innerStride().is(1);
    }
    bool isOutput = i >= op.getInputs().size();
    vectorised &= !isOutput || varies[i];
    bytes = std::max<int64_t>(
        bytes, computeType(operand.element).getIntOrFloatBitWidth() / 8);
  }
  for (Operation &inside : body.without_terminator()) {
    vectorised &= inside.hasTrait<OpTrait::Vectorizable>() ||
                  isa<arith::ConstantOp>(inside);
    for (Type type : inside.getResultTypes())
      if (type.isIntOrFloat())
        bytes = std::max<int64_t>(
            bytes, computeType(type).getIntOrFloatBitWidth() / 8);
      else
        bytes = 8;
  }

  /// The body for `lanes` neighbours; 16-bit arithmetic in f32, rounded after
  /// each operation.
  auto element = [&](ArrayRef<Index> at, int64_t lanes) {
    llvm::DenseMap<Value, Value> values;
    SmallVector<Index> offsets;
    for (auto [i, operand, map] : llvm::enumerate(operands, maps)) {
      offsets.push_back(offsetOf(operand, index.apply(map, at)));
      BlockArgument argument = body.getArgument(unsigned(i));
      if (argument.use_empty())
        continue;
      int64_t width = varies[i] ? lanes : 1;
      Value x = load(operand, offsets.back(), width);
      values[argument] = width == lanes ? x : splat(x, lanes);
    }
    auto valueOf = [&](Value value) -> Value {
      auto it = values.find(value);
      if (it != values.end())
        return it->second;
      return splat(scalar(value), lanes);
    };
    for (Operation &inside : body.without_terminator()) {
      loc = inside.getLoc();
      if (auto constantOp = dyn_cast<arith::ConstantOp>(inside)) {
        TypedAttr value = constantOp.getValue();
        if (value.getType().isIndex())
          value = b.getI64IntegerAttr(cast<IntegerAttr>(value).getInt());
        values[constantOp] =
            splat(b.create<arith::ConstantOp>(loc, value), lanes);
        continue;
      }
      if (isa<arith::IndexCastOp, arith::ExtFOp, arith::TruncFOp>(inside)) {
        values[inside.getResult(0)] =
            convert(valueOf(inside.getOperand(0)),
                    scalarType(inside.getResult(0).getType()));
        continue;
      }
      OperationState state(loc, inside.getName());
      for (Value operand : inside.getOperands()) {
        Value x = valueOf(operand);
        state.addOperands(convert(x, computeType(elementOf(x))));
      }
      for (Type type : inside.getResultTypes())
        state.addTypes(lanesOf(computeType(scalarType(type)), lanes));
      state.attributes = inside.getAttrDictionary();
      Operation *clone = b.create(state);
      for (auto [from, to] :
           llvm::zip(inside.getResults(), clone->getResults()))
        values[from] = convert(to, scalarType(from.getType()));
    }
    for (auto [i, value] :
         llvm::enumerate(body.getTerminator()->getOperands())) {
      size_t output = op.getInputs().size() + i;
      store(operands[output], offsets[output], valueOf(value), lanes);
    }
  };
  if (dims == 0)
    return element({}, 1);
  int64_t lanes = vectorised ? cpu.lanes(bytes) : 1;
  nest(ArrayRef(sizes).drop_back(), [&](ArrayRef<Index> outer) {
    auto row = [&](int64_t width) {
      return [&, width](Index i) {
        SmallVector<Index> at(outer);
        at.push_back(i);
        element(at, width);
      };
    };
    Index done = lanes > 1 ? index.roundDown(sizes.back(), lanes) : Index(0);
    if (lanes > 1)
      loop(0, done, lanes, row(lanes));
    loop(done, sizes.back(), 1, row(1));
  });
}

} // namespace tilewright::execute
