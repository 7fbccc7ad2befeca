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
  if (layout.getMultiple() > 1)
    packGroups(source, dest, layout);
  else if (layout.getAxis() == 0)
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

/// Calls `body(item, step)`: a few items at a time, all `steps` for these, and
/// for each step one item after the other.
void KernelEmitter::inGroups(Index items, int64_t few, Index steps,
                             llvm::function_ref<void(Index, Index)> body) {
  loop(0, items, few, [&](Index first) {
    Index end = index.min(index.add(first, few), items);
    loop(0, steps, 1, [&](Index step) {
      loop(first, end, 1, [&](Index item) { body(item, step); });
    });
  });
}

/// Panels that rows are spread over at the same time. They lie a power of two
/// apart more often than not, where each further one meets those before in the
/// same few places of the first cache.
static constexpr int64_t panelsTogether = 4;

void KernelEmitter::packColumns(const MemoryView &source,
                                const MemoryView &dest, int64_t block) {
  Index rows = source.sizes[0], columns = source.sizes[1];
  Index whole = index.floorDiv(columns, block);
  bool contiguous = source.innerStride().is(1);
  // What a second-level cache holds is near.
  constexpr int64_t near = 1 << 20;
  auto argument = dyn_cast<BlockArgument>(source.root);
  bool fromAfar =
      contiguous && argument &&
      cast<MemRefType>(argument.getType()).getNumElements() * 4 > near;
  int64_t lanes = contiguous ? cpu.lanes(4) : 1;
  while (block % lanes)
    lanes /= 2;
  // Whole panels: a row at a time, as it lies in the source.
  inGroups(whole, panelsTogether, rows, [&](Index p, Index row) {
    MemoryView to = panel(index, dest, p);
    Index from = index.mul(p, block);
    auto copy = [&](Index j) {
      // Rows lie apart: what comes next is asked for well before.
      constexpr int64_t ahead = 8;
      if (fromAfar)
        prefetch(source,
                 offsetOf(source, {index.add(row, ahead), index.add(from, j)}),
                 /*forWriting=*/false);
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
  // The ragged panel, and those beyond the matrix: zeros fill up.
  loop(whole, dest.sizes[0], 1, [&](Index p) {
    MemoryView to = panel(index, dest, p);
    Index from = index.mul(p, block);
    Index valid = index.max(index.min(index.sub(columns, from), block), 0);
    Value zero = constant(dest.element, 0);
    // Vectors that end where the matrix does, where the machine has such loads.
    int64_t wide = contiguous && cpu.vectorBytes >= 32 && source.element.isF32()
                       ? lanes
                       : 1;
    if (wide > 1) {
      SmallVector<Value> masks;
      for (int64_t j = 0; j < block; j += wide)
        masks.push_back(lanesBelow(index.sub(valid, j), wide));
      Value none = splat(constant(source.element, 0), wide);
      loop(0, rows, 1, [&](Index row) {
        for (int64_t j = 0; j < block; j += wide) {
          Value x = b.create<LLVM::MaskedLoadOp>(
              loc, none.getType(),
              address(source, offsetOf(source, {row, index.add(from, j)})),
              masks[size_t(j / wide)], none, 4);
          store(to, offsetOf(to, {row, j}), convert(x, dest.element), wide);
        }
      });
      return;
    }
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

/// `lanes` columns of the steps `step` and `step` + 1 of `source` as pairs side
/// by side at `at` of a panel. With `inside` only those of the columns, the
/// others are zeros; the second step is zeros if it is not there.
void KernelEmitter::interleaveRows(const MemoryView &source,
                                   const MemoryView &to, Index step,
                                   Index column, Index at, int64_t lanes,
                                   Value inside, bool second) {
  Type stored = storedType(source.element);
  Value none = splat(constant(stored, 0), lanes);
  auto row = [&](Index step) -> Value {
    Index from = offsetOf(source, {step, column});
    if (inside)
      return b.create<LLVM::MaskedLoadOp>(loc, none.getType(),
                                          address(source, from), inside, none,
                                          stored.getIntOrFloatBitWidth() / 8);
    return b.create<LLVM::LoadOp>(loc, none.getType(), address(source, from),
                                  stored.getIntOrFloatBitWidth() / 8);
  };
  Value x = row(step), y = second ? row(index.add(step, 1)) : none;
  for (int64_t half = 0; half < 2; ++half) {
    SmallVector<int64_t> mask;
    for (int64_t i = half * lanes / 2; i < (half + 1) * lanes / 2; ++i)
      mask.append({i, lanes + i});
    Value pairs = b.create<vector::ShuffleOp>(loc, x, y, mask);
    b.create<LLVM::StoreOp>(loc, pairs,
                            address(to, index.add(at, half * lanes)),
                            stored.getIntOrFloatBitWidth() / 8);
  }
}

/// Panels with steps in groups, which the right kinds of instruction read at
/// once. Both sides have 16-bit elements of one type.
void KernelEmitter::packGroups(const MemoryView &source, const MemoryView &dest,
                               tile::LayoutAttr layout) {
  int64_t block = layout.getBlock(), group = layout.getGroup();
  bool rowsAlong = layout.getAxis() == 0; // panels run along the rows
  Index along = source.sizes[rowsAlong ? 0 : 1],
        depth = source.sizes[rowsAlong ? 1 : 0];
  int64_t lanes = cpu.lanes(2);
  while (block % lanes)
    lanes /= 2;
  constexpr int64_t side = 4;
  bool contiguous =
      source.innerStride().is(1) && source.element == dest.element;
  bool interleaved = contiguous && !rowsAlong && group == 2 && lanes > 1;
  bool turned = contiguous && rowsAlong && group == 2 && block % side == 0;
  bool copied = contiguous && rowsAlong && group > 2;
  // Vectors that end where the matrix does, where the machine has such loads.
  bool masked = interleaved && cpu.vectorBytes == 64;

  Index panels = dest.sizes[0], whole = index.floorDiv(along, block);
  Index groups = index.mul(index.ceilDiv(depth, layout.getMultiple()),
                           layout.getMultiple() / group),
        wholeGroups = index.floorDiv(depth, group);
  auto element = [&](const MemoryView &to, Index first, Index i, Index step,
                     Index at) {
    Index item = index.add(first, i);
    Index from = rowsAlong ? offsetOf(source, {item, step})
                           : offsetOf(source, {step, item});
    store(to, index.add(at, index.mul(i, group)),
          convert(load(source, from, 1), dest.element), 1);
  };
  /// The group `q` of a panel, of which `valid` rows or columns are there.
  auto oneByOne = [&](const MemoryView &to, Index first, Index q, Index valid) {
    Index at = index.mul(q, to.strides[0]);
    for (int64_t i = 0; i < block * group; i += lanes)
      store(to, index.add(at, i), splat(constant(dest.element, 0), lanes),
            lanes);
    Index step = index.mul(q, group);
    Index steps = index.max(index.min(index.sub(depth, step), group), 0);
    loop(0, steps, 1, [&](Index s) {
      loop(0, valid, 1, [&](Index i) {
        element(to, first, i, index.add(step, s), index.add(at, s));
      });
    });
  };
  auto pairOfRows = [&](const MemoryView &to, Index first, Index q, Index valid,
                        bool second) {
    for (int64_t i = 0; i < block; i += lanes)
      interleaveRows(source, to, index.mul(q, 2), index.add(first, i),
                     index.add(index.mul(q, to.strides[0]), 2 * i), lanes,
                     valid.is(block) ? Value()
                                     : lanesBelow(index.sub(valid, i), lanes),
                     second);
  };
  if (interleaved) // rows as they lie in the source
    inGroups(whole, panelsTogether, wholeGroups, [&](Index p, Index q) {
      pairOfRows(panel(index, dest, p), index.mul(p, block), q, block, true);
    });
  loop(0, whole, 1, [&](Index p) {
    MemoryView to = panel(index, dest, p);
    Index first = index.mul(p, block);
    Index done = interleaved ? wholeGroups : Index(0);
    if (turned) {
      done = index.roundDown(wholeGroups, side);
      int64_t stack = std::max<int64_t>(cpu.lanes(4) / side, 1);
      if (stack == 4 && block % (4 * side))
        stack = 3;
      loop(0, done, side, [&](Index q) {
        for (int64_t i = 0; i < block;) {
          int64_t many = std::min(stack, (block - i) / side);
          turnSquares(source, to, index.add(first, i), q, i, many, group);
          i += many * side;
        }
      });
    } else if (copied) {
      done = wholeGroups;
      loop(0, done, 1, [&](Index q) {
        Index at = index.mul(q, to.strides[0]), step = index.mul(q, group);
        loop(0, block, 1, [&](Index i) {
          Index from = offsetOf(source, {index.add(first, i), step});
          Index place = index.add(at, index.mul(i, group));
          int64_t wide = std::min(cpu.lanes(2), group);
          for (int64_t s = 0; s < group; s += wide)
            store(to, index.add(place, s),
                  load(source, index.add(from, s), wide), wide);
        });
      });
    }
    loop(done, groups, 1,
         [&](Index q) { oneByOne(to, first, q, Index(block)); });
  });
  loop(whole, panels, 1, [&](Index p) {
    MemoryView to = panel(index, dest, p);
    Index first = index.mul(p, block);
    Index valid = index.max(index.min(index.sub(along, first), block), 0);
    if (masked)
      loop(0, wholeGroups, 1,
           [&](Index q) { pairOfRows(to, first, q, valid, true); });
    loop(masked ? wholeGroups : Index(0), groups, 1,
         [&](Index q) { oneByOne(to, first, q, valid); });
  });
}

/// `count` elements of a row, or pairs of bf16 as one number each.
Value KernelEmitter::squareRow(const MemoryView &source, Index row,
                               Index column, int64_t count, Type item,
                               int64_t group) {
  if (group == 1)
    return convert(load(source, offsetOf(source, {row, column}), count), item);
  Index from = offsetOf(source, {row, index.mul(column, group)});
  return b.create<LLVM::LoadOp>(
      loc, lanesOf(item, count), address(source, from),
      storedType(source.element).getIntOrFloatBitWidth() / 8);
}

/// `count` (up to 4) squares of 4 x 4 below each other, from (row, column) of
/// `source`, to the rows `column` to `column` + 3 of a panel from `at` on. What
/// is turned are elements or, of bf16, groups of 2; columns and places count
/// those.
void KernelEmitter::turnSquares(const MemoryView &source, const MemoryView &to,
                                Index row, Index column, Index at,
                                int64_t count, int64_t group) {
  constexpr int64_t side = 4;
  Type item = group == 1 ? to.element : Type(b.getI32Type());
  int64_t quarters = llvm::PowerOf2Ceil(uint64_t(count)),
          lanes = quarters * side;
  auto shuffle = [&](Value x, Value y, ArrayRef<int64_t> mask) -> Value {
    return b.create<vector::ShuffleOp>(loc, x, y, mask);
  };
  Value lines[side];
  for (int64_t r = 0; r < side; ++r) {
    SmallVector<Value> parts;
    for (int64_t q = 0; q < quarters; ++q)
      // What fills the vector up is not stored.
      parts.push_back(q < count
                          ? squareRow(source, index.add(row, q * side + r),
                                      column, side, item, group)
                          : parts.back());
    while (parts.size() > 1) {
      int64_t width = lanesIn(parts[0]);
      SmallVector<int64_t> both;
      for (int64_t i = 0; i < 2 * width; ++i)
        both.push_back(i);
      for (size_t i = 0; i < parts.size() / 2; ++i)
        parts[i] = shuffle(parts[2 * i], parts[2 * i + 1], both);
      parts.resize(parts.size() / 2);
    }
    lines[r] = parts[0];
  }
  // In each quarter: element pairs of two lines, then of all four.
  auto pairs = [&](Value x, Value y, ArrayRef<int64_t> ofX,
                   ArrayRef<int64_t> ofY, bool interleave) {
    SmallVector<int64_t> mask;
    for (int64_t q = 0; q < quarters; ++q) {
      int64_t base = q * side;
      if (interleave)
        mask.append({base + ofX[0], lanes + base + ofY[0], base + ofX[1],
                     lanes + base + ofY[1]});
      else
        mask.append({base + ofX[0], base + ofX[1], lanes + base + ofY[0],
                     lanes + base + ofY[1]});
    }
    return shuffle(x, y, mask);
  };
  Value low01 = pairs(lines[0], lines[1], {0, 1}, {0, 1}, true),
        high01 = pairs(lines[0], lines[1], {2, 3}, {2, 3}, true),
        low23 = pairs(lines[2], lines[3], {0, 1}, {0, 1}, true),
        high23 = pairs(lines[2], lines[3], {2, 3}, {2, 3}, true);
  Value turned[side] = {pairs(low01, low23, {0, 1}, {0, 1}, false),
                        pairs(low01, low23, {2, 3}, {2, 3}, false),
                        pairs(high01, high23, {0, 1}, {0, 1}, false),
                        pairs(high01, high23, {2, 3}, {2, 3}, false)};
  for (int64_t c = 0; c < side; ++c) {
    Index element = offsetOf(to, {index.add(column, c), index.mul(at, group)});
    if (count == quarters) {
      if (group == 1)
        store(to, element, turned[c], lanes);
      else
        b.create<LLVM::StoreOp>(loc, turned[c], address(to, element), 4);
      continue;
    }
    SmallVector<bool> valid;
    for (int64_t i = 0; i < lanes; ++i)
      valid.push_back(i < count * side);
    Value mask = b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()),
                                    ArrayRef<bool>(valid)));
    b.create<LLVM::MaskedStoreOp>(loc, turned[c], address(to, element), mask,
                                  item.getIntOrFloatBitWidth() / 8);
  }
}

void KernelEmitter::packRows(const MemoryView &source, const MemoryView &dest,
                             int64_t block) {
  Index rows = source.sizes[0], columns = source.sizes[1];
  Index whole = index.floorDiv(rows, block);
  // Whole panels: squares of 4 x 4 are turned in registers, those below each
  // other at once, one in each quarter of a vector.
  constexpr int64_t side = 4;
  bool squares = source.innerStride().is(1) && block % side == 0;
  int64_t stack =
      std::min(block / side, std::max<int64_t>(cpu.lanes(4) / 4, 1));
  if (stack == 3)
    stack = cpu.lanes(4) >= 16 ? 3 : 2;
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
        for (int64_t i = 0; i < block;) {
          int64_t many = std::min(stack, (block - i) / side);
          turnSquares(source, to, index.add(first, i), column, i, many);
          i += many * side;
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
    Index turned = 0, done = 0;
    if (squares) {
      turned = index.roundDown(valid, side);
      done = index.roundDown(columns, side);
      loop(0, turned, side, [&](Index i) {
        loop(0, done, side, [&](Index column) {
          turnSquares(source, to, index.add(first, i), column, i, 1);
        });
      });
    }
    auto element = [&](Index i, Index column) {
      Value x =
          load(source, offsetOf(source, {index.add(first, i), column}), 1);
      store(to, offsetOf(to, {column, i}), convert(x, dest.element), 1);
    };
    loop(0, turned, 1, [&](Index i) {
      loop(done, columns, 1, [&](Index column) { element(i, column); });
    });
    loop(0, columns, 1, [&](Index column) {
      loop(turned, valid, 1, [&](Index i) { element(i, column); });
      loop(valid, block, 1,
           [&](Index i) { store(to, offsetOf(to, {column, i}), zero, 1); });
    });
  });
}

} // namespace tilewright::execute
