//===- ReduceEmitter.cpp - reductions over any axes -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::execute {

Value KernelEmitter::identity(ReduceKind kind, Type compute) {
  if (auto type = dyn_cast<FloatType>(compute)) {
    double infinity = std::numeric_limits<double>::infinity();
    switch (kind) {
    case ReduceKind::Sum:
    case ReduceKind::Mean:
      // x + -0 is x, even for -0.
      return constant(type, -0.0);
    case ReduceKind::Prod:
      return constant(type, 1);
    case ReduceKind::Max:
      return constant(type, -infinity);
    case ReduceKind::Min:
      return constant(type, infinity);
    }
  }
  unsigned width = compute.getIntOrFloatBitWidth();
  APInt value(width, 0);
  if (kind == ReduceKind::Prod)
    value = APInt(width, 1);
  else if (kind == ReduceKind::Max)
    value = width == 1 ? APInt(1, 0) : APInt::getSignedMinValue(width);
  else if (kind == ReduceKind::Min)
    value = width == 1 ? APInt(1, 1) : APInt::getSignedMaxValue(width);
  return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(compute, value));
}

Value KernelEmitter::combine(ReduceKind kind, Value x, Value y) {
  if (elementOf(x).isInteger(1)) { // unsigned: true is more than false
    if (kind == ReduceKind::Max)
      return b.create<arith::OrIOp>(loc, x, y);
    if (kind == ReduceKind::Min)
      return b.create<arith::AndIOp>(loc, x, y);
  }
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return binary(BinaryKind::Add, x, y);
  case ReduceKind::Prod:
    return binary(BinaryKind::Mul, x, y);
  case ReduceKind::Max:
    return binary(BinaryKind::Maximum, x, y);
  case ReduceKind::Min:
    return binary(BinaryKind::Minimum, x, y);
  }
  llvm_unreachable("all kinds are handled");
}

Value KernelEmitter::across(ReduceKind kind, Value vector) {
  for (int64_t lanes = lanesIn(vector); lanes > 1; lanes /= 2) {
    // The upper half onto the lower one.
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < lanes / 2; ++i) {
      low.push_back(i);
      high.push_back(i + lanes / 2);
    }
    Value a = b.create<vector::ShuffleOp>(loc, vector, vector, low);
    Value c = b.create<vector::ShuffleOp>(loc, vector, vector, high);
    vector = combine(kind, a, c);
  }
  if (isa<VectorType>(vector.getType()))
    return b.create<vector::ExtractOp>(loc, vector, ArrayRef<int64_t>{0});
  return vector;
}

void KernelEmitter::finishReduce(ReduceOp op, const MemoryView &dest,
                                 Index element, Value value, Index count,
                                 int64_t lanes) {
  Type compute = elementOf(value);
  if (op.getKind() == ReduceKind::Mean) {
    Value number;
    if (isa<FloatType>(compute)) {
      number = count.isKnown()
                   ? constant(compute, double(count.number))
                   : b.create<arith::SIToFPOp>(loc, compute, count.value)
                         .getResult();
      value = b.create<arith::DivFOp>(loc, value, splat(number, lanes));
    } else {
      number = convert(index.value(count), compute);
      value = b.create<arith::DivSIOp>(loc, value, splat(number, lanes));
    }
  }
  if (op.getAccumulate())
    value = combine(op.getKind(), convert(load(dest, element, lanes), compute),
                    value);
  store(dest, element, convert(value, dest.element), lanes);
}

Index KernelEmitter::reducedOffset(ReduceOp op, const MemoryView &source,
                                   const MemoryView &dest, ArrayRef<Index> at) {
  bool keeps = dest.rank() == source.rank();
  Index offset = 0;
  unsigned to = 0;
  for (unsigned d = 0; d < source.rank(); ++d) {
    if (llvm::is_contained(op.getAxes(), int64_t(d))) {
      to += keeps;
      continue;
    }
    offset = index.add(offset, index.mul(at[d], dest.strides[to++]));
  }
  return offset;
}

void KernelEmitter::emitReduce(ReduceOp op) {
  MemoryView source = view(op.getSource()), dest = view(op.getDest());
  Type compute = computeType(source.element);
  unsigned rank = source.rank();
  SmallVector<unsigned> kept, reduced;
  Index count = 1;
  for (unsigned d = 0; d < rank; ++d)
    if (llvm::is_contained(op.getAxes(), int64_t(d))) {
      reduced.push_back(d);
      count = index.mul(count, source.sizes[d]);
    } else {
      kept.push_back(d);
    }
  int64_t full =
      cpu.lanes(std::max<int64_t>(4, compute.getIntOrFloatBitWidth() / 8));
  bool contiguous = rank && source.strides[rank - 1].is(1);

  SmallVector<Index> at(rank, Index(0));
  // The value of `lanes` neighbouring results, or, where rows are reduced too,
  // of one: then the innermost loop has `lanes` partial results.
  auto reduceOver = [&](auto &self, size_t r, int64_t lanes, bool acrossRow,
                        Value start) -> Value {
    if (r == reduced.size()) {
      Value x = load(source, offsetOf(source, at), lanes);
      return combine(op.getKind(), start, convert(x, compute));
    }
    unsigned d = reduced[r];
    if (acrossRow && d == rank - 1) {
      Index done = index.roundDown(source.sizes[d], full);
      Value lanesStart = splat(identity(op.getKind(), compute), full);
      Value part =
          loop(0, done, full, lanesStart, [&](Index i, ValueRange carried) {
            at[d] = i;
            Value x = load(source, offsetOf(source, at), full);
            return SmallVector<Value>{
                combine(op.getKind(), carried[0], convert(x, compute))};
          })[0];
      Value total = combine(op.getKind(), start, across(op.getKind(), part));
      return loop(done, source.sizes[d], 1, total,
                  [&](Index i, ValueRange carried) {
                    at[d] = i;
                    Value x = load(source, offsetOf(source, at), 1);
                    return SmallVector<Value>{
                        combine(op.getKind(), carried[0], convert(x, compute))};
                  })[0];
    }
    return loop(0, source.sizes[d], 1, start, [&](Index i, ValueRange carried) {
      at[d] = i;
      return SmallVector<Value>{
          self(self, r + 1, lanes, acrossRow, carried[0])};
    })[0];
  };
  auto result = [&](int64_t lanes, bool acrossRow) {
    Value start = splat(identity(op.getKind(), compute), lanes);
    Value value = reduceOver(reduceOver, 0, lanes, acrossRow, start);
    finishReduce(op, dest, reducedOffset(op, source, dest, at), value, count,
                 lanes);
  };
  bool rowKept = !kept.empty() && kept.back() == rank - 1;
  auto over = [&](auto &self, size_t k) -> void {
    if (k == kept.size())
      return result(1, contiguous && !rowKept && full > 1);
    unsigned d = kept[k];
    bool vectors = d == rank - 1 && contiguous && dest.innerStride().is(1);
    Index done = vectors ? index.roundDown(source.sizes[d], full) : Index(0);
    if (vectors)
      loop(0, done, full, [&](Index i) {
        at[d] = i;
        result(full, false);
      });
    loop(done, source.sizes[d], 1, [&](Index i) {
      at[d] = i;
      self(self, k + 1);
    });
  };
  over(over, 0);
}

} // namespace tilewright::execute
