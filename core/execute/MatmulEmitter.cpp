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

/// With so many rows the right operand is read once, in the order it lies.
static constexpr int64_t fewRows = 8;

/// Steps that the instructions for bf16 sum at once.
static constexpr int64_t pairSteps = 2;

static bool isPacked(std::optional<tile::LayoutAttr> layout) {
  return layout && layout->getKind() == tile::LayoutKind::Packed;
}

/// Steps of an operand that lie side by side.
static int64_t groupOf(std::optional<tile::LayoutAttr> layout) {
  return isPacked(layout) ? layout->getGroup() : 1;
}

/// Whether a product is made block by block of the result, each in registers.
/// So are those with a packed right operand, and those of f32 as they lie but
/// for a few rows or one column.
bool KernelEmitter::inBlocks(MatmulOp op) const {
  bool lhsPacked = isPacked(op.getLhsLayout());
  if (!lhsPacked && op.getTransposeLhs())
    return false;
  if (isPacked(op.getRhsLayout()))
    return true;
  auto rowsOf = [](Value memref, SmallVectorImpl<int64_t> &strides) {
    auto type = cast<MemRefType>(memref.getType());
    int64_t offset;
    return type.getElementType().isF32() && type.getRank() == 2 &&
           succeeded(getStridesAndOffset(type, strides, offset)) &&
           strides.back() == 1;
  };
  SmallVector<int64_t> lhs, rhs, dest;
  ArrayRef<int64_t> shape = cast<MemRefType>(op.getDest().getType()).getShape();
  bool few = !ShapedType::isDynamic(shape[0]) && shape[0] <= fewRows;
  return !lhsPacked && !op.getTransposeRhs() && !few && shape[1] != 1 &&
         cpu.lanes(4) > 1 && rowsOf(op.getLhs(), lhs) &&
         rowsOf(op.getRhs(), rhs) && rowsOf(op.getDest(), dest);
}

void KernelEmitter::emitMatmul(MatmulOp op) {
  Type lhs = cast<MemRefType>(op.getLhs().getType()).getElementType(),
       rhs = cast<MemRefType>(op.getRhs().getType()).getElementType();
  if (!computeType(lhs).isF32() || !computeType(rhs).isF32())
    fail(op, "TW0430", "only f32, f16 and bf16 matrices are multiplied");
  bool lhsPacked = isPacked(op.getLhsLayout()),
       rhsPacked = isPacked(op.getRhsLayout());
  if (inBlocks(op))
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
  int64_t lhsGroup = groupOf(op.getLhsLayout()),
          rhsGroup = groupOf(op.getRhsLayout());
  bool inGroups = lhsGroup > 1 || rhsGroup > 1;
  if (inGroups && (rhsGroup != pairSteps || lhsGroup % pairSteps ||
                   !lhs.element.isBF16() || !rhs.element.isBF16()))
    fail(op, "TW0442",
         "its panels hold groups of " + std::to_string(lhsGroup) + " and " +
             std::to_string(rhsGroup) + " steps",
         "Panels of bf16 are multiplied in pairs of steps: group = 2 on the "
         "right, a multiple of 2 on the left.");
  Index k = op.getK() ? indexOf(op.getK()) : index.mul(lhs.sizes[1], lhsGroup);
  bool lhsPacked = isPacked(op.getLhsLayout()),
       rhsPacked = isPacked(op.getRhsLayout());
  int64_t columns = columnBlockOf(op), rows = rowBlockOf(op);
  auto divides = [](Index size, int64_t block) {
    return size.isKnown() && size.number % block == 0;
  };
  // Blocks that stick out of the result are computed in one of their own.
  bool ragged =
      !divides(dest.sizes[0], rows) || !divides(dest.sizes[1], columns);
  // Tiles are stored as the f32 they are.
  bool tiles = onMatrixTiles(op);
  Type f32 = b.getF32Type();
  bool converted = tiles && dest.element != f32;
  Value edge = ragged || converted
                   ? stackMemory(tiles ? f32 : dest.element, rows * columns)
                   : Value();
  int64_t lanes = cpu.lanes(4);
  while (columns % lanes)
    lanes /= 2;
  // A panel of rhs stays in the first cache while all of lhs goes by.
  auto panels = [&](Index from, Index to, int64_t wide, bool allColumns) {
    loop(from, to, 1, [&](Index columnPanel) {
      auto blocks = [&](Index from, Index to, bool allRows) {
        loop(from, to, 1, [&](Index rowPanel) {
          if (tiles)
            return emitTileKernel(op, lhs, rhs, dest, edge, rowPanel,
                                  columnPanel, wide, k);
          emitMicroKernel(op, lhs, rhs, dest, edge, rowPanel, columnPanel, wide,
                          k, allRows, allColumns);
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
  Index first = 0;
  if (!rhsPacked) {
    // Panels end in zeros; the rows of a matrix do not.
    panels(0, whole, columns, /*allColumns=*/true);
    first = whole;
  }
  if (left.isKnown() ? left.number == 0 || left.number > lanes
                     : columns == lanes)
    return panels(first, count, columns, rhsPacked);
  // What is left fits in one vector: less work.
  Index wide = whole;
  if (!left.isKnown()) {
    Value fits = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sle,
                                         left.value, index.value(lanes));
    wide = b.create<arith::SelectOp>(loc, fits, index.value(whole),
                                     index.value(count))
               .getResult();
  }
  panels(first, wide, columns, rhsPacked);
  panels(wide, count, lanes, rhsPacked);
}

/// Columns of the micro-kernel's block: those of the panels, or, where rhs is
/// read as it lies, two vectors.
int64_t KernelEmitter::columnBlockOf(MatmulOp op) const {
  return isPacked(op.getRhsLayout()) ? op.getRhsLayout()->getBlock()
                                     : 2 * cpu.lanes(4);
}

/// Rows of the micro-kernel's block: those of the panels, or a part of them
/// that leaves registers for a row of rhs.
int64_t KernelEmitter::rowBlockOf(MatmulOp op) {
  constexpr int64_t avx512Lanes = 16;
  int64_t most = cpu.lanes(4) >= avx512Lanes ? 12 : 6;
  if (!isPacked(op.getLhsLayout()))
    return most;
  int64_t rows = op.getLhsLayout()->getBlock();
  if (onMatrixTiles(op) || rows <= most)
    return rows;
  int64_t part = most;
  while (rows % part)
    --part;
  return part;
}

/// The valid part of a register block, `rows` x `columns`, from one place to
/// another, converting: whole vectors, then one with the lanes behind the edge
/// left out.
void KernelEmitter::copyBlock(const MemoryView &from, const MemoryView &to,
                              Index rows, Index columns, int64_t lanes) {
  Index whole = index.roundDown(columns, lanes);
  Value inside;
  if (lanes > 1)
    inside = lanesBelow(index.sub(columns, whole), lanes);
  auto as = [&](Value x, Type element) -> Value {
    Type type = lanesOf(element, lanes);
    return x.getType() == type ? x : b.create<arith::BitcastOp>(loc, type, x);
  };
  auto alignmentOf = [&](const MemoryView &view) {
    return unsigned(storedType(view.element).getIntOrFloatBitWidth() / 8);
  };
  loop(0, rows, 1, [&](Index i) {
    loop(0, whole, lanes, [&](Index j) {
      store(to, offsetOf(to, {i, j}),
            convert(load(from, offsetOf(from, {i, j}), lanes), to.element),
            lanes);
    });
    if (lanes > 1) {
      Type stored = storedType(from.element);
      Value x = b.create<LLVM::MaskedLoadOp>(
          loc, lanesOf(stored, lanes),
          address(from, offsetOf(from, {i, whole})), inside,
          splat(constant(stored, 0), lanes), alignmentOf(from));
      x = convert(as(x, from.element), to.element);
      b.create<LLVM::MaskedStoreOp>(loc, as(x, storedType(to.element)),
                                    address(to, offsetOf(to, {i, whole})),
                                    inside, alignmentOf(to));
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

/// Where the block at (row, column) of dest is computed: there, or in `edge`
/// where it is not whole in dest (`edge` null: it is) or of another type.
KernelEmitter::ResultBlock
KernelEmitter::placeBlock(const MemoryView &dest, Value edge, Type edgeElement,
                          Index row, Index column, int64_t rows,
                          int64_t columns) {
  ResultBlock place;
  place.inDest = dest;
  place.inDest.offset = index.add(dest.offset, offsetOf(dest, {row, column}));
  place.inDest.sizes = {index.min(index.sub(dest.sizes[0], row), rows),
                        index.min(index.sub(dest.sizes[1], column), columns)};
  place.block = place.own = place.inDest;
  if (!edge)
    return place;
  place.own.base = edge;
  place.own.offset = 0;
  place.own.element = edgeElement;
  place.own.strides = {columns, 1};
  if (edgeElement != dest.element) {
    place.block = place.own;
    place.outside = b.create<arith::ConstantIntOp>(loc, 1, 1);
    return place;
  }
  auto full = [&](Index size, int64_t wanted) -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                   index.value(size), index.value(wanted));
  };
  Value whole = b.create<arith::AndIOp>(loc, full(place.inDest.sizes[0], rows),
                                        full(place.inDest.sizes[1], columns));
  place.block.base =
      b.create<arith::SelectOp>(loc, whole, address(place.inDest, 0), edge);
  place.block.offset = 0;
  place.block.strides = {
      Index(b.create<arith::SelectOp>(loc, whole, index.value(dest.strides[0]),
                                      index.value(columns))),
      1};
  place.outside = b.create<arith::XOrIOp>(
      loc, whole, b.create<arith::ConstantIntOp>(loc, 1, 1));
  return place;
}

/// Brings the sums so far of a block that is not whole in dest to where it is
/// computed, or from there to dest.
void KernelEmitter::copyEdge(const ResultBlock &place, bool back,
                             int64_t lanes) {
  if (!place.outside)
    return;
  const MemoryView &from = back ? place.own : place.inDest,
                   &to = back ? place.inDest : place.own;
  when(place.outside, [&] {
    copyBlock(from, to, place.inDest.sizes[0], place.inDest.sizes[1], lanes);
  });
}

/// acc[i][j] += the products of one pair of steps: `lhs` gives the pair of a
/// row as the bits of two bf16, `row` those of the columns.
void KernelEmitter::multiplyPairs(MutableArrayRef<Value> acc,
                                  ArrayRef<Value> lhs, ArrayRef<Value> row,
                                  int64_t lanes) {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  auto bits = [&](Value x, Type element, int64_t count) -> Value {
    return b.create<LLVM::BitcastOp>(loc, lanesOf(element, count), x);
  };
  size_t vectors = row.size();
  // One vector register to the next wider: each has the instruction.
  if (cpu.bf16Dot && lanes >= 4) {
    std::string name =
        "llvm.x86.avx512bf16.dpbf16ps." + std::to_string(lanes * 32);
    for (auto [i, pair] : llvm::enumerate(lhs)) {
      Value x = bits(splat(pair, lanes), b.getBF16Type(), 2 * lanes);
      for (size_t j = 0; j < vectors; ++j) {
        Value &sum = acc[i * vectors + j];
        sum = b.create<LLVM::CallIntrinsicOp>(
                   loc, sum.getType(), StringRef(name),
                   ValueRange{sum, x, bits(row[j], b.getBF16Type(), 2 * lanes)})
                  .getResults();
      }
    }
    return;
  }
  // A bf16 is the upper half of an f32.
  auto part = [&](Value pairs, bool second, int64_t count) {
    auto number = [&](int64_t n) {
      return splat(b.create<arith::ConstantIntOp>(loc, n, 32), count);
    };
    Value half =
        second ? Value(b.create<arith::AndIOp>(loc, pairs,
                                               number(int32_t(0xffff0000))))
               : Value(b.create<arith::ShLIOp>(loc, pairs, number(16)));
    return bits(half, f32, count);
  };
  for (bool second : {false, true}) {
    SmallVector<Value> columns;
    for (Value pairs : row)
      columns.push_back(part(bits(pairs, i32, lanes), second, lanes));
    for (auto [i, pair] : llvm::enumerate(lhs)) {
      Value x = splat(part(pair, second, 1), lanes);
      for (size_t j = 0; j < vectors; ++j)
        fusedMultiplyAdd(acc[i * vectors + j], x, columns[j]);
    }
  }
}

/// One block of dest, held in registers while k runs. `edge` is memory for a
/// block that is not whole in dest; null if all are. Of the columns of the
/// panel only `columns` are used.
void KernelEmitter::emitMicroKernel(MatmulOp op, const MemoryView &lhs,
                                    const MemoryView &rhs,
                                    const MemoryView &dest, Value edge,
                                    Index rowPanel, Index columnPanel,
                                    int64_t columns, Index k, bool allRows,
                                    bool allColumns) {
  bool lhsPacked = isPacked(op.getLhsLayout()),
       rhsPacked = isPacked(op.getRhsLayout());
  int64_t rows = rowBlockOf(op), panelColumns = columnBlockOf(op);
  int64_t lanes = cpu.lanes(4);
  while (columns % lanes)
    lanes /= 2;
  int64_t vectors = columns / lanes;
  Type f32 = b.getF32Type();
  Index row = index.mul(rowPanel, rows),
        column = index.mul(columnPanel, panelColumns);

  ResultBlock place =
      placeBlock(dest, edge, dest.element, row, column, rows, columns);
  const MemoryView &block = place.block;

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
    copyEdge(place, /*back=*/false, lanes);
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
    int64_t blocks = op.getLhsLayout()->getBlock() / rows; // in a panel
    Index inPanel = index.mul(index.mod(rowPanel, blocks),
                              rows * groupOf(op.getLhsLayout()));
    a.offset = index.add(
        lhs.offset,
        index.add(index.mul(index.floorDiv(rowPanel, blocks), lhs.strides[0]),
                  inPanel));
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
  c.offset = index.add(
      rhs.offset, rhsPacked ? index.mul(columnPanel, rhs.strides[0]) : column);
  Index rhsStep = rhs.strides[rhsPacked ? 1 : 0];
  SmallVector<Value> inside; // of each vector, where the last rows end
  if (!allColumns)
    for (int64_t j = 0; j < vectors; ++j)
      inside.push_back(lanesBelow(
          index.sub(index.sub(dest.sizes[1], column), j * lanes), lanes));
  Value none = allColumns ? Value() : splat(constant(f32, 0), lanes);
  int64_t lhsGroup = groupOf(op.getLhsLayout()),
          rhsGroup = groupOf(op.getRhsLayout());
  bool inPairs = rhsGroup == pairSteps;
  if (inPairs)
    k = index.ceilDiv(k, pairSteps);
  auto pairStep = [&](Index step, ValueRange carried) {
    SmallVector<Value> next(carried), row, pairs;
    Index at = index.mul(step, rhs.strides[1]);
    for (int64_t j = 0; j < vectors; ++j)
      row.push_back(
          load(c, index.add(at, j * lanes * pairSteps), lanes * pairSteps));
    int64_t inGroup = lhsGroup / pairSteps;
    at = index.add(index.mul(index.floorDiv(step, inGroup), lhs.strides[1]),
                   index.mul(index.mod(step, inGroup), pairSteps));
    for (int64_t i = 0; i < rows; ++i)
      pairs.push_back(b.create<LLVM::LoadOp>(
          loc, b.getI32Type(), address(a, index.add(at, i * lhsGroup)), 4));
    multiplyPairs(next, pairs, row, lanes);
    return next;
  };
  auto oneStep = [&](Index step, ValueRange carried) {
    if (inPairs)
      return pairStep(step, carried);
    SmallVector<Value> next(carried);
    SmallVector<Value> row;
    Index at = index.mul(step, rhsStep);
    for (int64_t j = 0; j < vectors; ++j) {
      Index place = index.add(at, j * lanes);
      row.push_back(allColumns ? convert(load(c, place, lanes), f32)
                               : Value(b.create<LLVM::MaskedLoadOp>(
                                     loc, none.getType(), address(c, place),
                                     inside[size_t(j)], none, 4)));
    }
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
  MemoryView wanted = place.inDest;
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
  bool fromMemory = rhsPacked && isa<BlockArgument>(rhs.root);
  Index share = 0, nextPanel;
  int64_t panelLine =
      lineBytes * 8 / storedType(rhs.element).getIntOrFloatBitWidth();
  if (fromMemory) {
    Index lines =
        index.mul(k, std::max<int64_t>(1, panelColumns * rhsGroup / panelLine));
    share =
        index.min(k, index.ceilDiv(lines, index.ceilDiv(dest.sizes[0], rows)));
    nextPanel = index.add(rhs.strides[0],
                          index.mul(index.mul(rowPanel, share), panelLine));
  }
  auto askForPanel = [&](Index step) {
    prefetch(c, index.add(nextPanel, index.mul(step, panelLine)),
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
  copyEdge(place, /*back=*/true, lanes);
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
  constexpr int64_t rowBlock = 4;
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
