//===- MatrixTileEmitter.cpp - matrix products on AMX's tile registers ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile register holds 16 rows of 64 bytes: 16 x 16 sums of f32, 16 rows of 32
// steps of the left operand, or 16 pairs of steps of 16 columns of the right
// one. Panels lie as the registers are read (#tile.layout): 32 steps of a row
// side by side on the left, pairs of steps on the right, the depth padded to
// 32. So nothing is left over along the depth, and tiles are always whole.
//
//===----------------------------------------------------------------------===//
#include "core/execute/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::execute {

static constexpr int64_t tileRows = 16, tileBytes = 64, tileRegisters = 8;
static constexpr int64_t tileColumns = tileBytes / 4; ///< of f32
static constexpr int64_t tileSteps = tileBytes / 2;   ///< of bf16

bool KernelEmitter::onMatrixTiles(MatmulOp op) const {
  auto lhs = op.getLhsLayout(), rhs = op.getRhsLayout();
  if (!cpu.matrixTiles || !lhs || !rhs || !lhs->isPacked() ||
      !rhs->isPacked() || lhs->getGroup() != tileSteps ||
      rhs->getGroup() != 2 || rhs->getMultiple() % tileSteps ||
      lhs->getBlock() % tileRows || rhs->getBlock() % tileColumns)
    return false;
  int64_t down = lhs->getBlock() / tileRows,
          across = rhs->getBlock() / tileColumns;
  return down * across + down + across <= tileRegisters;
}

/// Tells the thread the shape of its tile registers: all whole. At the start of
/// each kernel that uses them, as tasks run on any thread and leave it as they
/// found it.
void KernelEmitter::configureTiles() {
  SmallVector<int8_t> bytes(64, 0);
  bytes[0] = 1; // palette: eight registers of 1 KiB
  for (int64_t i = 0; i < tileRegisters; ++i) {
    bytes[size_t(16 + 2 * i)] = tileBytes; // bytes of a row, 16 bits each
    bytes[size_t(48 + i)] = tileRows;
  }
  Type i8 = b.getI8Type();
  Value memory = stackMemory(i8, int64_t(bytes.size()));
  Value form = b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(VectorType::get({int64_t(bytes.size())}, i8),
                                  ArrayRef<int8_t>(bytes)));
  b.create<LLVM::StoreOp>(loc, form, memory, 64);
  b.create<LLVM::CallIntrinsicOp>(
      loc, TypeRange(), StringRef("llvm.x86.ldtilecfg"), ValueRange{memory});
}

/// A thread whose tiles are not in use is cheaper to switch from.
void KernelEmitter::releaseTiles() {
  b.create<LLVM::CallIntrinsicOp>(
      loc, TypeRange(), StringRef("llvm.x86.tilerelease"), ValueRange());
}

/// As emitMicroKernel(), with the sums in tile registers.
void KernelEmitter::emitTileKernel(MatmulOp op, const MemoryView &lhs,
                                   const MemoryView &rhs,
                                   const MemoryView &dest, Value edge,
                                   Index rowPanel, Index columnPanel,
                                   int64_t columns, Index k) {
  int64_t rows = op.getLhsLayout()->getBlock(),
          panelColumns = op.getRhsLayout()->getBlock();
  int64_t down = rows / tileRows, across = columns / tileColumns;
  Type f32 = b.getF32Type();
  ResultBlock place =
      placeBlock(dest, edge, f32, index.mul(rowPanel, rows),
                 index.mul(columnPanel, panelColumns), rows, columns);
  int64_t lanes = cpu.lanes(4);

  auto number = [&](int64_t n) -> Value { // of a register
    return b.create<LLVM::ConstantOp>(loc, b.getI8Type(),
                                      b.getI8IntegerAttr(int8_t(n)));
  };
  auto call = [&](const char *name, ValueRange operands) {
    b.create<LLVM::CallIntrinsicOp>(loc, TypeRange(), StringRef(name),
                                    operands);
  };
  auto sum = [&](int64_t i, int64_t j) { return number(i * across + j); };
  auto lhsTile = [&](int64_t i) { return number(down * across + i); };
  auto rhsTile = [&](int64_t j) { return number(down * across + down + j); };
  auto eachSum = [&](llvm::function_ref<void(int64_t, int64_t)> body) {
    for (int64_t i = 0; i < down; ++i)
      for (int64_t j = 0; j < across; ++j)
        body(i, j);
  };
  auto inMemory = [&](int64_t i, int64_t j) {
    return address(place.block,
                   offsetOf(place.block, {i * tileRows, j * tileColumns}));
  };
  Value rowStride = index.value(index.mul(place.block.strides[0], 4));

  auto zeros = [&] {
    eachSum(
        [&](int64_t i, int64_t j) { call("llvm.x86.tilezero", {sum(i, j)}); });
  };
  auto sumsSoFar = [&] {
    copyEdge(place, /*back=*/false, lanes);
    eachSum([&](int64_t i, int64_t j) {
      call("llvm.x86.tileloadd64", {sum(i, j), inMemory(i, j), rowStride});
    });
  };
  std::optional<Value> first = firstStep(op);
  if (!op.getAccumulate() || (first && !*first)) {
    zeros();
  } else if (first) {
    when(*first, zeros);
    when(b.create<arith::XOrIOp>(loc, *first,
                                 b.create<arith::ConstantIntOp>(loc, 1, 1)),
         sumsSoFar);
  } else {
    sumsSoFar();
  }

  MemoryView a = lhs, c = rhs;
  a.offset = index.add(lhs.offset, index.mul(rowPanel, lhs.strides[0]));
  c.offset = index.add(rhs.offset, index.mul(columnPanel, rhs.strides[0]));
  Value lhsStride = index.value(tileBytes),
        rhsStride = index.value(index.mul(rhs.strides[1], 2));
  loop(0, index.ceilDiv(k, tileSteps), 1, [&](Index step) {
    Index atLhs = index.mul(step, lhs.strides[1]),
          atRhs = index.mul(index.mul(step, tileSteps / 2), rhs.strides[1]);
    for (int64_t j = 0; j < across; ++j)
      call("llvm.x86.tileloadd64",
           {rhsTile(j), address(c, index.add(atRhs, j * tileColumns * 2)),
            rhsStride});
    for (int64_t i = 0; i < down; ++i) {
      call("llvm.x86.tileloadd64",
           {lhsTile(i), address(a, index.add(atLhs, i * tileRows * tileSteps)),
            lhsStride});
      for (int64_t j = 0; j < across; ++j)
        call("llvm.x86.tdpbf16ps", {sum(i, j), lhsTile(i), rhsTile(j)});
    }
  });
  eachSum([&](int64_t i, int64_t j) {
    call("llvm.x86.tilestored64", {sum(i, j), inMemory(i, j), rowStride});
  });
  copyEdge(place, /*back=*/true, lanes);
}

} // namespace tilewright::execute
