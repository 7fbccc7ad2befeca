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
  if (rhsPacked && (lhsPacked || !op.getTransposeLhs()))
    return emitPackedMatmul(op);
  if (lhsPacked || rhsPacked)
    fail(op, "TW0442",
         "the left operand is packed and the right one is not, or the left one "
         "is transposed",
         "Pack both operands, the right one, or none.");
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
  bool lhsPacked = isPacked(op.getLhsLayout());
  int64_t columns = op.getRhsLayout()->getBlock(), rows = rowBlockOf(op);
  auto divides = [](Index size, int64_t block) {
    return size.isKnown() && size.number % block == 0;
  };
  // Blocks that stick out of the result are computed in one of their own.
  bool ragged =
      !divides(dest.sizes[0], rows) || !divides(dest.sizes[1], columns);
  Value edge = ragged ? stackMemory(dest.element, rows * columns) : Value();
  int64_t lanes = cpu.lanes(4);
  while (columns % lanes)
    lanes /= 2;
  // A panel of rhs stays in the first cache while all of lhs goes by.
  auto panels = [&](Index from, Index to, int64_t wide) {
    loop(from, to, 1, [&](Index columnPanel) {
      auto blocks = [&](Index from, Index to, bool allRows) {
        loop(from, to, 1, [&](Index rowPanel) {
          emitMicroKernel(op, lhs, rhs, dest, edge, rowPanel, columnPanel, wide,
                          k, allRows);
        });
      };
      Index all = index.ceilDiv(dest.sizes[0], rows);
      if (lhsPacked || divides(dest.sizes[0], rows))
        return blocks(0, all, true);
      // Rows that are not there cannot be read from where lhs lies.
      Index whole = index.floorDiv(dest.sizes[0], rows);
      blocks(0, whole, true);
      blocks(whole, all, false);
    });
  };
  Index count = index.ceilDiv(dest.sizes[1], columns);
  Index whole = index.floorDiv(dest.sizes[1], columns);
  Index left = index.sub(dest.sizes[1], index.mul(whole, columns));
  if (left.isKnown() ? left.number == 0 || left.number > lanes
                     : columns == lanes)
    return panels(0, count, columns);
  // What is left fits in one vector: less work.
  Index wide = whole;
  if (!left.isKnown()) {
    Value fits = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle,
                                         left.value, index.value(lanes));
    wide = b.create<arith::SelectOp>(loc, fits, index.value(whole),
                                     index.value(count))
               .getResult();
  }
  panels(0, wide, columns);
  panels(wide, count, lanes);
}

/// Rows of the micro-kernel's block: those of the panels, or, where lhs is read
/// as it lies, as many as leave registers for a row of rhs.
int64_t KernelEmitter::rowBlockOf(MatmulOp op) {
  if (isPacked(op.getLhsLayout()))
    return op.getLhsLayout()->getBlock();
  constexpr int64_t avx512Lanes = 16;
  return cpu.lanes(4) >= avx512Lanes ? 12 : 6;
}

/// The valid part of a register block, `rows` x `columns`, from one place to
/// another: whole vectors, then one with the lanes behind the edge left out.
void KernelEmitter::copyBlock(const MemoryView &from, const MemoryView &to,
                              Index rows, Index columns, int64_t lanes) {
  Index whole = index.roundDown(columns, lanes);
  Value inside;
  if (lanes > 1)
    inside = lanesBelow(index.sub(columns, whole), lanes);
  loop(0, rows, 1, [&](Index i) {
    loop(0, whole, lanes, [&](Index j) {
      store(to, offsetOf(to, {i, j}), load(from, offsetOf(from, {i, j}), lanes),
            lanes);
    });
    if (lanes > 1) {
      Type stored = lanesOf(storedType(to.element), lanes);
      Value none = splat(constant(storedType(to.element), 0), lanes);
      unsigned alignment = storedType(to.element).getIntOrFloatBitWidth() / 8;
      Value x = b.create<LLVM::MaskedLoadOp>(
          loc, stored, address(from, offsetOf(from, {i, whole})), inside, none,
          alignment);
      b.create<LLVM::MaskedStoreOp>(
          loc, x, address(to, offsetOf(to, {i, whole})), inside, alignment);
    }
  });
}

/// Where the block after the one at (row, column) begins: below it, or on top
/// of the next panel.
SmallVector<Index> KernelEmitter::blockAfter(const MemoryView &dest, Index row,
                                             Index column, int64_t rows,
                                             int64_t columns) {
  Index below = index.add(row, rows);
  Value last =
      b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge,
                              index.value(below), index.value(dest.sizes[0]));
  auto choose = [&](Index yes, Index no) -> Index {
    return Index(b.create<arith::SelectOp>(loc, last, index.value(yes),
                                           index.value(no)));
  };
  return {choose(0, below), choose(index.add(column, columns), column)};
}

/// One block of dest, held in registers while k runs. `edge` is memory for a
/// block that is not whole in dest; null if all are. Of the columns of the
/// panel only `columns` are used.
void KernelEmitter::emitMicroKernel(MatmulOp op, const MemoryView &lhs,
                                    const MemoryView &rhs,
                                    const MemoryView &dest, Value edge,
                                    Index rowPanel, Index columnPanel,
                                    int64_t columns, Index k, bool allRows) {
  bool lhsPacked = isPacked(op.getLhsLayout());
  int64_t rows = rowBlockOf(op), panelColumns = op.getRhsLayout()->getBlock();
  int64_t lanes = cpu.lanes(4);
  while (columns % lanes)
    lanes /= 2;
  int64_t vectors = columns / lanes;
  Type f32 = b.getF32Type();
  Index row = index.mul(rowPanel, rows),
        column = index.mul(columnPanel, panelColumns);

  MemoryView inDest = dest;
  inDest.offset = index.add(dest.offset, offsetOf(dest, {row, column}));
  inDest.sizes = {index.min(index.sub(dest.sizes[0], row), rows),
                  index.min(index.sub(dest.sizes[1], column), columns)};
  MemoryView block = inDest;
  Value whole;
  if (edge) {
    auto full = [&](Index size, int64_t wanted) -> Value {
      return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                     index.value(size), index.value(wanted));
    };
    whole = b.create<arith::AndIOp>(loc, full(inDest.sizes[0], rows),
                                    full(inDest.sizes[1], columns));
    block.base =
        b.create<arith::SelectOp>(loc, whole, address(inDest, 0), edge);
    block.offset = 0;
    block.strides = {
        Index(b.create<arith::SelectOp>(
            loc, whole, index.value(dest.strides[0]), index.value(columns))),
        1};
  }
  MemoryView own = block;
  if (edge) {
    own.base = edge;
    own.strides = {columns, 1};
  }
  auto atEdge = [&](llvm::function_ref<void()> body) {
    if (!edge)
      return;
    Value outside = b.create<arith::XOrIOp>(
        loc, whole, b.create<arith::ConstantIntOp>(loc, 1, 1));
    when(outside, body);
  };

  SmallVector<Value> zeros(size_t(rows * vectors),
                           splat(constant(f32, 0), lanes));
  auto sums = [&] {
    SmallVector<Value> values;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < vectors; ++j)
        values.push_back(
            convert(load(block, offsetOf(block, {i, j * lanes}), lanes), f32));
    return values;
  };
  auto sumsSoFar = [&] {
    atEdge([&] {
      copyBlock(inDest, own, inDest.sizes[0], inDest.sizes[1], lanes);
    });
    return sums();
  };
  SmallVector<Value> acc;
  std::optional<Value> first = firstStep(op);
  if (!op.getAccumulate() || (first && !*first))
    acc = zeros;
  else if (first)
    acc = choose(*first, [&] { return zeros; }, sumsSoFar);
  else
    acc = sumsSoFar();

  MemoryView a = lhs, c = rhs;
  SmallVector<Index> lhsRows;
  if (lhsPacked) {
    a.offset = index.add(lhs.offset, index.mul(rowPanel, lhs.strides[0]));
    for (int64_t i = 0; i < rows; ++i)
      lhsRows.push_back(i);
  } else {
    // Rows beyond the last one stand for it; what they give is not stored.
    Index last = index.sub(index.sub(dest.sizes[0], row), 1);
    a.offset = index.add(lhs.offset, index.mul(row, lhs.strides[0]));
    for (int64_t i = 0; i < rows; ++i)
      lhsRows.push_back(
          index.mul(allRows ? Index(i) : index.min(last, i), lhs.strides[0]));
  }
  c.offset = index.add(rhs.offset, index.mul(columnPanel, rhs.strides[0]));
  auto oneStep = [&](Index step, ValueRange carried) {
    SmallVector<Value> next(carried);
    SmallVector<Value> row;
    Index at = index.mul(step, rhs.strides[1]);
    for (int64_t j = 0; j < vectors; ++j)
      row.push_back(convert(load(c, index.add(at, j * lanes), lanes), f32));
    at = index.mul(step, lhs.strides[1]);
    for (int64_t i = 0; i < rows; ++i) {
      Value x =
          splat(convert(load(a, index.add(at, lhsRows[i]), 1), f32), lanes);
      for (int64_t j = 0; j < vectors; ++j)
        fusedMultiplyAdd(next[i * vectors + j], x, row[j]);
    }
    return next;
  };
  // Lines of the result are asked for one a step, as all at once they would
  // hold up the operands: this block's if it is only written, else those of the
  // block after it, which is read before its first step.
  MemoryView wanted = inDest;
  if (op.getAccumulate() && !(first && !*first))
    wanted.offset = index.add(
        dest.offset,
        offsetOf(dest, blockAfter(dest, row, column, rows, panelColumns)));
  int64_t lineElements =
      lineBytes * 8 / storedType(dest.element).getIntOrFloatBitWidth();
  int64_t linesInRow = std::max<int64_t>(1, columns / lineElements);
  Index asking = index.min(k, rows * linesInRow);
  // Panels that lie in memory: each block of rows asks for its share of the
  // next one, so that the first block on it need not wait.
  bool fromMemory = isa<BlockArgument>(rhs.root);
  Index share = 0, nextPanel;
  if (fromMemory) {
    Index lines =
        index.mul(k, std::max<int64_t>(1, panelColumns * 4 / lineBytes));
    share =
        index.min(k, index.ceilDiv(lines, index.ceilDiv(dest.sizes[0], rows)));
    nextPanel = index.add(rhs.strides[0],
                          index.mul(index.mul(rowPanel, share), lineBytes / 4));
  }
  auto askForPanel = [&](Index step) {
    prefetch(c, index.add(nextPanel, index.mul(step, lineBytes / 4)),
             /*forWriting=*/false);
  };
  acc = loop(0, asking, 1, acc, [&](Index step, ValueRange carried) {
    Index i = index.floorDiv(step, linesInRow),
          line = index.mod(step, linesInRow);
    prefetch(wanted, offsetOf(wanted, {i, index.mul(line, lineElements)}),
             /*forWriting=*/true);
    if (fromMemory)
      askForPanel(step);
    return oneStep(step, carried);
  });
  if (fromMemory) {
    Index asked = index.max(asking, share);
    acc = loop(asking, asked, 1, acc, [&](Index step, ValueRange carried) {
      askForPanel(step);
      return oneStep(step, carried);
    });
    asking = asked;
  }
  acc = loop(asking, k, 1, acc, oneStep);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < vectors; ++j)
      store(block, offsetOf(block, {i, j * lanes}),
            convert(acc[i * vectors + j], dest.element), lanes);
  atEdge(
      [&] { copyBlock(own, inDest, inDest.sizes[0], inDest.sizes[1], lanes); });
}

/// Few rows: each vector of rhs is read once, in the order it lies in memory,
/// for all of them; the sums wait in dest, which is small. As fast as rhs
/// comes.
void KernelEmitter::emitStreamedMatmul(MatmulOp op, const MemoryView &lhs,
                                       const MemoryView &rhs,
                                       const MemoryView &dest, Index k) {
  Type f32 = b.getF32Type();
  int64_t full = cpu.lanes(4), rows = dest.sizes[0].number;
  // Factors of so many rows of rhs at a time stay in registers.
  int64_t together = rows <= 4 ? 4 : 2;
  Index n = dest.sizes[1];
  if (!op.getAccumulate()) {
    auto zero = [&](Index i, Index j, int64_t lanes) {
      store(dest, offsetOf(dest, {i, j}), splat(constant(f32, 0), lanes),
            lanes);
    };
    Index whole = index.roundDown(n, full);
    loop(0, dest.sizes[0], 1, [&](Index i) {
      loop(0, whole, full, [&](Index j) { zero(i, j, full); });
      loop(whole, n, 1, [&](Index j) { zero(i, j, 1); });
    });
  }
  auto steps = [&](Index from, Index to, int64_t count) {
    loop(from, to, count, [&](Index p) {
      SmallVector<Value> factors;
      for (int64_t s = 0; s < count; ++s)
        for (int64_t i = 0; i < rows; ++i)
          factors.push_back(
              convert(load(lhs, offsetOf(lhs, {i, index.add(p, s)}), 1), f32));
      auto columns = [&](Index begin, Index end, int64_t lanes) {
        SmallVector<Value> wide;
        for (Value factor : factors)
          wide.push_back(splat(factor, lanes));
        loop(begin, end, lanes, [&](Index j) {
          SmallVector<Value> row;
          for (int64_t s = 0; s < count; ++s)
            row.push_back(convert(
                load(rhs, offsetOf(rhs, {index.add(p, s), j}), lanes), f32));
          for (int64_t i = 0; i < rows; ++i) {
            Value sum = load(dest, offsetOf(dest, {i, j}), lanes);
            for (int64_t s = 0; s < count; ++s)
              fusedMultiplyAdd(sum, wide[size_t(s * rows + i)], row[size_t(s)]);
            store(dest, offsetOf(dest, {i, j}), sum, lanes);
          }
        });
      };
      Index whole = index.roundDown(n, full);
      columns(0, whole, full);
      columns(whole, n, 1);
    });
  };
  Index whole = index.roundDown(k, together);
  steps(0, whole, together);
  steps(whole, k, 1);
}

/// Both operands side by side along k: dot products, of a few rows of lhs with
/// one column of rhs at a time, each in several partial sums.
void KernelEmitter::emitDotProducts(MatmulOp op, const MemoryView &lhs,
                                    const MemoryView &rhs,
                                    const MemoryView &dest, Index k) {
  Type f32 = b.getF32Type();
  int64_t full = cpu.lanes(4);
  auto dots = [&](Index i, Index j, int64_t rows) {
    int64_t parts = rows == 1 ? 4 : 2;
    auto sums = [&](Index from, Index to, int64_t lanes, int64_t parts,
                    ArrayRef<Value> init) {
      return loop(
          from, to, lanes * parts, init, [&](Index step, ValueRange carried) {
            SmallVector<Value> next(carried);
            for (int64_t part = 0; part < parts; ++part) {
              Index p = index.add(step, part * lanes);
              Value y = convert(load(rhs, offsetOf(rhs, {p, j}), lanes), f32);
              for (int64_t r = 0; r < rows; ++r)
                fusedMultiplyAdd(
                    next[size_t(r * parts + part)],
                    convert(
                        load(lhs, offsetOf(lhs, {index.add(i, r), p}), lanes),
                        f32),
                    y);
            }
            return next;
          });
    };
    Index most = index.roundDown(k, full * parts),
          more = index.roundDown(k, full);
    Value zero = splat(constant(f32, 0), full);
    SmallVector<Value> wide = sums(
        0, most, full, parts, SmallVector<Value>(size_t(rows * parts), zero));
    SmallVector<Value> totals;
    for (int64_t r = 0; r < rows; ++r) {
      Value total = wide[size_t(r * parts)];
      for (int64_t part = 1; part < parts; ++part)
        total =
            b.create<arith::AddFOp>(loc, total, wide[size_t(r * parts + part)]);
      totals.push_back(total);
    }
    totals = sums(most, more, full, 1, totals);
    for (int64_t r = 0; r < rows; ++r) {
      totals[size_t(r)] = across(ReduceKind::Sum, totals[size_t(r)]);
      if (op.getAccumulate())
        totals[size_t(r)] = b.create<arith::AddFOp>(
            loc,
            convert(load(dest, offsetOf(dest, {index.add(i, r), j}), 1), f32),
            totals[size_t(r)]);
    }
    totals = sums(more, k, 1, 1, totals);
    for (int64_t r = 0; r < rows; ++r)
      store(dest, offsetOf(dest, {index.add(i, r), j}),
            convert(totals[size_t(r)], dest.element), 1);
  };
  // Rows of lhs stay in the first cache while a column of rhs passes by.
  constexpr int64_t rowBlock = 4;
  Index m = dest.sizes[0], n = dest.sizes[1];
  bool oneColumn = n.is(1);
  Index blocks = oneColumn ? Index(0) : index.roundDown(m, rowBlock);
  loop(0, n, 1, [&](Index j) {
    loop(0, blocks, rowBlock, [&](Index i) { dots(i, j, rowBlock); });
    loop(blocks, m, 1, [&](Index i) { dots(i, j, 1); });
  });
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
  constexpr int64_t rowBlock = 4, fewRows = 8;
  if (rhs.strides[0].is(1) && lhs.strides[1].is(1) &&
      (n.is(1) || !rhs.strides[1].is(1)))
    return emitDotProducts(op, lhs, rhs, dest, k);
  if (m.isKnown() && m.number <= fewRows && rhs.strides[1].is(1) &&
      dest.strides[1].is(1) && dest.element.isF32())
    return emitStreamedMatmul(op, lhs, rhs, dest, k);

  /// `rows` x (`vectors` of `lanes`) elements of dest at (i, j).
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
