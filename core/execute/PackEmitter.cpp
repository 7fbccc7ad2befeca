//===- PackEmitter.cpp - moves into packed panels -------------------------===//
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

void KernelEmitter::emitPack(MoveOp op) {
  tile::LayoutAttr layout = *op.getLayout();
  MemoryView source = view(op.getSource()), dest = view(op.getDest());
  if (!dest.innerStride().is(1))
    fail(op, "TW0442", "the elements of a panel do not lie side by side");
  if (layout.getAxis() == 0)
    packRows(source, dest, layout.getBlock());
  else
    packColumns(source, dest, layout.getBlock());
}

/// Element (i, j) of a packed view: panel, step and place in the panel.
static MemoryView panel(IndexBuilder &index, const MemoryView &dest,
                        Index which) {
  MemoryView out = dest;
  out.offset = index.add(dest.offset, index.mul(which, dest.strides[0]));
  out.sizes.erase(out.sizes.begin());
  out.strides.erase(out.strides.begin());
  return out;
}

void KernelEmitter::packColumns(const MemoryView &source,
                                const MemoryView &dest, int64_t block) {
  Index rows = source.sizes[0], columns = source.sizes[1];
  Index whole = index.floorDiv(columns, block);
  bool contiguous = source.innerStride().is(1);
  int64_t lanes = contiguous ? cpu.lanes(4) : 1;
  while (block % lanes)
    lanes /= 2;
  // Whole panels: a row at a time, as it lies in the source.
  loop(0, rows, 1, [&](Index row) {
    loop(0, whole, 1, [&](Index p) {
      MemoryView to = panel(index, dest, p);
      Index from = index.mul(p, block);
      auto copy = [&](Index j) {
        Value x =
            load(source, offsetOf(source, {row, index.add(from, j)}), lanes);
        store(to, offsetOf(to, {row, j}), convert(x, dest.element), lanes);
      };
      if (block / lanes <= 8)
        for (int64_t j = 0; j < block; j += lanes)
          copy(j);
      else
        loop(0, block, lanes, copy);
    });
  });
  // The ragged panel, and those beyond the matrix: zeros fill up.
  loop(whole, dest.sizes[0], 1, [&](Index p) {
    MemoryView to = panel(index, dest, p);
    Index from = index.mul(p, block);
    Index valid = index.max(index.min(index.sub(columns, from), block), 0);
    Value zero = constant(dest.element, 0);
    loop(0, rows, 1, [&](Index row) {
      loop(0, valid, 1, [&](Index j) {
        Value x = load(source, offsetOf(source, {row, index.add(from, j)}), 1);
        store(to, offsetOf(to, {row, j}), convert(x, dest.element), 1);
      });
      loop(valid, block, 1,
           [&](Index j) { store(to, offsetOf(to, {row, j}), zero, 1); });
    });
  });
}

void KernelEmitter::packRows(const MemoryView &source, const MemoryView &dest,
                             int64_t block) {
  Index rows = source.sizes[0], columns = source.sizes[1];
  Index whole = index.floorDiv(rows, block);
  // Whole panels: squares of 4 x 4 are turned in registers.
  constexpr int64_t side = 4;
  bool squares = source.innerStride().is(1) && block % side == 0;
  loop(0, whole, 1, [&](Index p) {
    MemoryView to = panel(index, dest, p);
    Index first = index.mul(p, block);
    auto copyColumn = [&](Index column, int64_t i) {
      Value x =
          load(source, offsetOf(source, {index.add(first, i), column}), 1);
      store(to, offsetOf(to, {column, i}), convert(x, dest.element), 1);
    };
    Index done = squares ? index.roundDown(columns, side) : Index(0);
    if (squares)
      loop(0, done, side, [&](Index column) {
        for (int64_t i = 0; i < block; i += side) {
          Value row[side];
          for (int64_t r = 0; r < side; ++r)
            row[r] = convert(
                load(source,
                     offsetOf(source, {index.add(first, i + r), column}), side),
                dest.element);
          auto shuffle = [&](Value x, Value y,
                             ArrayRef<int64_t> mask) -> Value {
            return b.create<vector::ShuffleOp>(loc, x, y, mask);
          };
          Value low01 = shuffle(row[0], row[1], {0, 4, 1, 5});
          Value high01 = shuffle(row[0], row[1], {2, 6, 3, 7});
          Value low23 = shuffle(row[2], row[3], {0, 4, 1, 5});
          Value high23 = shuffle(row[2], row[3], {2, 6, 3, 7});
          Value column4[side] = {shuffle(low01, low23, {0, 1, 4, 5}),
                                 shuffle(low01, low23, {2, 3, 6, 7}),
                                 shuffle(high01, high23, {0, 1, 4, 5}),
                                 shuffle(high01, high23, {2, 3, 6, 7})};
          for (int64_t c = 0; c < side; ++c)
            store(to, offsetOf(to, {index.add(column, c), i}), column4[c],
                  side);
        }
      });
    loop(done, columns, 1, [&](Index column) {
      for (int64_t i = 0; i < block; ++i)
        copyColumn(column, i);
    });
  });
  loop(whole, dest.sizes[0], 1, [&](Index p) {
    MemoryView to = panel(index, dest, p);
    Index first = index.mul(p, block);
    Index valid = index.max(index.min(index.sub(rows, first), block), 0);
    Value zero = constant(dest.element, 0);
    loop(0, columns, 1, [&](Index column) {
      loop(0, valid, 1, [&](Index i) {
        Value x =
            load(source, offsetOf(source, {index.add(first, i), column}), 1);
        store(to, offsetOf(to, {column, i}), convert(x, dest.element), 1);
      });
      loop(valid, block, 1,
           [&](Index i) { store(to, offsetOf(to, {column, i}), zero, 1); });
    });
  });
}

} // namespace tilewright::execute
