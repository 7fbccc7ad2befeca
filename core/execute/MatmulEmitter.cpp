//===- MatmulEmitter.cpp - matrix products --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::execute {

static bool isPacked(std::optional<tile::LayoutAttr> layout) {
  return layout && layout->getKind() == tile::LayoutKind::Packed;
}

void KernelEmitter::emitMatmul(MatmulOp op) {
  Type lhs = cast<MemRefType>(op.getLhs().getType()).getElementType(),
       rhs = cast<MemRefType>(op.getRhs().getType()).getElementType();
  if (!computeType(lhs).isF32() || !computeType(rhs).isF32())
    fail(op, "TW0430", "only f32, f16 and bf16 matrices are multiplied");
  bool lhsPacked = isPacked(op.getLhsLayout()),
       rhsPacked = isPacked(op.getRhsLayout());
  if (lhsPacked && rhsPacked)
    return emitPackedMatmul(op);
  if (lhsPacked || rhsPacked)
    fail(op, "TW0442", "one operand is packed and the other is not",
         "Pack both operands or none.");
  emitPlainMatmul(op);
}

/// acc += x * y, in one rounding where the machine does that.
void KernelEmitter::fusedMultiplyAdd(Value &acc, Value x, Value y) {
  if (cpu.fma && isa<VectorType>(acc.getType())) {
    acc = b.create<vector::FMAOp>(loc, x, y, acc);
    return;
  }
  Value product = b.create<arith::MulFOp>(loc, x, y);
  acc = b.create<arith::AddFOp>(loc, acc, product);
}

void KernelEmitter::emitPackedMatmul(MatmulOp op) {
  MemoryView lhs = view(op.getLhs()), rhs = view(op.getRhs()),
             dest = view(op.getDest());
  if (!lhs.innerStride().is(1) || !rhs.innerStride().is(1) ||
      !dest.innerStride().is(1))
    fail(op, "TW0442", "a row of it does not lie side by side");
  Index k = op.getK() ? indexOf(op.getK()) : lhs.sizes[1];
  int64_t rows = op.getLhsLayout()->getBlock(),
          columns = op.getRhsLayout()->getBlock();
  // A panel of rhs stays in the first cache while all of lhs goes by.
  loop(0, index.ceilDiv(dest.sizes[1], columns), 1, [&](Index columnPanel) {
    loop(0, index.ceilDiv(dest.sizes[0], rows), 1, [&](Index rowPanel) {
      emitMicroKernel(op, lhs, rhs, dest, rowPanel, columnPanel, k);
    });
  });
}

/// One block of dest, held in registers while k runs.
void KernelEmitter::emitMicroKernel(MatmulOp op, const MemoryView &lhs,
                                    const MemoryView &rhs,
                                    const MemoryView &dest, Index rowPanel,
                                    Index columnPanel, Index k) {
  int64_t rows = op.getLhsLayout()->getBlock(),
          columns = op.getRhsLayout()->getBlock();
  int64_t lanes = cpu.lanes(4);
  while (columns % lanes)
    lanes /= 2;
  int64_t vectors = columns / lanes;
  Type f32 = b.getF32Type();

  MemoryView block = dest;
  block.offset =
      index.add(dest.offset, offsetOf(dest, {index.mul(rowPanel, rows),
                                             index.mul(columnPanel, columns)}));
  SmallVector<Value> acc;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < vectors; ++j) {
      if (!op.getAccumulate()) {
        acc.push_back(splat(constant(f32, 0), lanes));
        continue;
      }
      acc.push_back(
          convert(load(block, offsetOf(block, {i, j * lanes}), lanes), f32));
    }
  MemoryView a = lhs, c = rhs;
  a.offset = index.add(lhs.offset, index.mul(rowPanel, lhs.strides[0]));
  c.offset = index.add(rhs.offset, index.mul(columnPanel, rhs.strides[0]));
  acc = loop(0, k, 1, acc, [&](Index step, ValueRange carried) {
    SmallVector<Value> next(carried);
    SmallVector<Value> row;
    Index at = index.mul(step, rhs.strides[1]);
    for (int64_t j = 0; j < vectors; ++j)
      row.push_back(convert(load(c, index.add(at, j * lanes), lanes), f32));
    at = index.mul(step, lhs.strides[1]);
    for (int64_t i = 0; i < rows; ++i) {
      Value x = splat(convert(load(a, index.add(at, i), 1), f32), lanes);
      for (int64_t j = 0; j < vectors; ++j)
        fusedMultiplyAdd(next[i * vectors + j], x, row[j]);
    }
    return next;
  });
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < vectors; ++j)
      store(block, offsetOf(block, {i, j * lanes}),
            convert(acc[i * vectors + j], dest.element), lanes);
}

/// Matrices as they lie: blocks of a few rows by a vector, k innermost.
void KernelEmitter::emitPlainMatmul(MatmulOp op) {
  MemoryView lhs = view(op.getLhs()), rhs = view(op.getRhs()),
             dest = view(op.getDest());
  if (op.getTransposeLhs()) {
    std::swap(lhs.sizes[0], lhs.sizes[1]);
    std::swap(lhs.strides[0], lhs.strides[1]);
  }
  if (op.getTransposeRhs()) {
    std::swap(rhs.sizes[0], rhs.sizes[1]);
    std::swap(rhs.strides[0], rhs.strides[1]);
  }
  Index k = op.getK() ? indexOf(op.getK()) : lhs.sizes[1];
  Index m = dest.sizes[0], n = dest.sizes[1];
  Type f32 = b.getF32Type();
  int64_t full = cpu.lanes(4);
  constexpr int64_t rowBlock = 4;

  /// `rows` x (`vectors` of `lanes`) elements of dest at (i, j). Along k if
  /// both operands lie side by side there.
  auto tile = [&](Index i, Index j, int64_t rows, int64_t vectors,
                  int64_t lanes) {
    SmallVector<Value> acc;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        acc.push_back(
            op.getAccumulate()
                ? convert(load(dest,
                               offsetOf(dest, {index.add(i, r),
                                               index.add(j, v * lanes)}),
                               lanes),
                          f32)
                : splat(constant(f32, 0), lanes));
    acc = loop(0, k, 1, acc, [&](Index step, ValueRange carried) {
      SmallVector<Value> next(carried);
      SmallVector<Value> row;
      for (int64_t v = 0; v < vectors; ++v)
        row.push_back(convert(
            load(rhs, offsetOf(rhs, {step, index.add(j, v * lanes)}), lanes),
            f32));
      for (int64_t r = 0; r < rows; ++r) {
        Value x = splat(
            convert(load(lhs, offsetOf(lhs, {index.add(i, r), step}), 1), f32),
            lanes);
        for (int64_t v = 0; v < vectors; ++v)
          fusedMultiplyAdd(next[r * vectors + v], x, row[v]);
      }
      return next;
    });
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        store(dest, offsetOf(dest, {index.add(i, r), index.add(j, v * lanes)}),
              convert(acc[r * vectors + v], dest.element), lanes);
  };
  // Both operands side by side along k: a dot product for each element.
  auto dot = [&](Index i, Index j) {
    Index done = index.roundDown(k, full);
    Value start = op.getAccumulate()
                      ? convert(load(dest, offsetOf(dest, {i, j}), 1), f32)
                      : constant(f32, 0);
    Value part =
        loop(0, done, full, splat(constant(f32, 0), full),
             [&](Index step, ValueRange carried) {
               Value acc = carried[0];
               fusedMultiplyAdd(
                   acc, convert(load(lhs, offsetOf(lhs, {i, step}), full), f32),
                   convert(load(rhs, offsetOf(rhs, {step, j}), full), f32));
               return SmallVector<Value>{acc};
             })[0];
    Value total =
        b.create<arith::AddFOp>(loc, start, across(ReduceKind::Sum, part));
    total = loop(done, k, 1, total, [&](Index step, ValueRange carried) {
      Value acc = carried[0];
      fusedMultiplyAdd(acc,
                       convert(load(lhs, offsetOf(lhs, {i, step}), 1), f32),
                       convert(load(rhs, offsetOf(rhs, {step, j}), 1), f32));
      return SmallVector<Value>{acc};
    })[0];
    store(dest, offsetOf(dest, {i, j}), convert(total, dest.element), 1);
  };
  if (!rhs.strides[1].is(1) && rhs.strides[0].is(1) && lhs.strides[1].is(1)) {
    nest({m, n}, [&](ArrayRef<Index> at) { dot(at[0], at[1]); });
    return;
  }
  bool vectorised = rhs.strides[1].is(1) && dest.strides[1].is(1);
  auto columns = [&](Index i, int64_t rows) {
    Index done = 0;
    if (vectorised) {
      done = index.roundDown(n, 2 * full);
      loop(0, done, 2 * full, [&](Index j) { tile(i, j, rows, 2, full); });
      Index more = index.roundDown(n, full);
      loop(done, more, full, [&](Index j) { tile(i, j, rows, 1, full); });
      done = more;
    }
    loop(done, n, 1, [&](Index j) { tile(i, j, rows, 1, 1); });
  };
  Index blocks = index.roundDown(m, rowBlock);
  loop(0, blocks, rowBlock, [&](Index i) { columns(i, rowBlock); });
  loop(blocks, m, 1, [&](Index i) { columns(i, 1); });
}

} // namespace tilewright::execute
