//===- MemoryEmitter.cpp - loops, loads, stores, conversions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;

namespace tilewright::execute {

void KernelEmitter::loop(Index lower, Index upper, int64_t step, Body body) {
  loop(lower, upper, step, ValueRange(), [&](Index i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

SmallVector<Value> KernelEmitter::loop(Index lower, Index upper, int64_t step,
                                       ValueRange init, CarryingBody body) {
  if (lower.isKnown() && upper.isKnown()) {
    if (lower.number >= upper.number)
      return llvm::to_vector(init);
    if (lower.number + step >= upper.number)
      return body(lower, init);
  }
  auto op = b.create<scf::ForOp>(loc, index.value(lower), index.value(upper),
                                 index.value(step), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  SmallVector<Value> next =
      body(Index(op.getInductionVar()), op.getRegionIterArgs());
  b.setInsertionPointToEnd(op.getBody());
  if (init.empty()) {
    if (op.getBody()->empty() || !isa<scf::YieldOp>(op.getBody()->back()))
      b.create<scf::YieldOp>(loc);
  } else {
    b.create<scf::YieldOp>(loc, next);
  }
  return SmallVector<Value>(op.getResults());
}

void KernelEmitter::nest(ArrayRef<Index> sizes,
                         llvm::function_ref<void(ArrayRef<Index>)> body) {
  SmallVector<Index> at;
  auto recurse = [&](auto &self, size_t d) -> void {
    if (d == sizes.size())
      return body(at);
    loop(0, sizes[d], 1, [&](Index i) {
      at.push_back(i);
      self(self, d + 1);
      at.pop_back();
    });
  };
  recurse(recurse, 0);
}

void KernelEmitter::when(Value condition, llvm::function_ref<void()> body) {
  auto op = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  body();
}

SmallVector<Value>
KernelEmitter::choose(Value condition,
                      llvm::function_ref<SmallVector<Value>()> yes,
                      llvm::function_ref<SmallVector<Value>()> no) {
  // The types are known once one side is there.
  OpBuilder::InsertionGuard guard(b);
  Block first, second;
  auto fill = [&](Block &block,
                  llvm::function_ref<SmallVector<Value>()> values) {
    b.setInsertionPointToStart(&block);
    SmallVector<Value> made = values();
    b.setInsertionPointToEnd(&block);
    b.create<scf::YieldOp>(loc, made);
    return SmallVector<Type>(ValueRange(made).getTypes());
  };
  auto place = b.saveInsertionPoint();
  SmallVector<Type> types = fill(first, yes);
  fill(second, no);
  b.restoreInsertionPoint(place);
  auto op = b.create<scf::IfOp>(loc, types, condition, /*addThenBlock=*/true,
                                /*addElseBlock=*/true);
  op.thenBlock()->getOperations().splice(op.thenBlock()->end(),
                                         first.getOperations());
  op.elseBlock()->getOperations().splice(op.elseBlock()->end(),
                                         second.getOperations());
  return SmallVector<Value>(op.getResults());
}

Value KernelEmitter::stackMemory(Type element, int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  Value number = b.create<arith::ConstantIntOp>(loc, count, 64);
  return b.create<LLVM::AllocaOp>(loc,
                                  LLVM::LLVMPointerType::get(b.getContext()),
                                  storedType(element), number, lineBytes);
}

Value KernelEmitter::lanesBelow(Index count, int64_t lanes) {
  SmallVector<int64_t> numbers;
  for (int64_t i = 0; i < lanes; ++i)
    numbers.push_back(i);
  Value lane = b.create<arith::ConstantOp>(
      loc, DenseIntElementsAttr::get(VectorType::get({lanes}, b.getI64Type()),
                                     numbers));
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane,
                                 splat(index.value(count), lanes));
}

void KernelEmitter::prefetch(const MemoryView &view, Index element,
                             bool forWriting) {
  // What is written soon into all caches of data, what is read later past the
  // first, which is full of what is read now.
  b.create<LLVM::Prefetch>(loc, address(view, element), forWriting ? 1 : 0,
                           /*hint=*/forWriting ? 3 : 2, /*cache=*/1);
}

Value KernelEmitter::constant(Type element, double value) {
  if (auto type = dyn_cast<FloatType>(element))
    return b.create<arith::ConstantOp>(loc, b.getFloatAttr(type, value));
  return b.create<arith::ConstantOp>(loc,
                                     b.getIntegerAttr(element, int64_t(value)));
}

Type KernelEmitter::lanesOf(Type element, int64_t lanes) {
  return lanes == 1 ? element : Type(VectorType::get({lanes}, element));
}

Value KernelEmitter::splat(Value scalar, int64_t lanes) {
  if (lanes == 1)
    return scalar;
  return b.create<vector::BroadcastOp>(
      loc, VectorType::get({lanes}, scalar.getType()), scalar);
}

Type KernelEmitter::storedType(Type element) {
  if (element.isInteger(1))
    return b.getI8Type();
  // Bits are what is moved; the code generator knows little of bf16.
  return element.isBF16() ? Type(b.getI16Type()) : element;
}

Type KernelEmitter::computeType(Type element) {
  return element.isF16() || element.isBF16() ? Type(b.getF32Type()) : element;
}

Type KernelEmitter::elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

int64_t KernelEmitter::lanesIn(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 1;
}

Value KernelEmitter::address(const MemoryView &view, Index element) {
  Index total = index.add(view.offset, element);
  if (total.is(0))
    return view.base;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type stored = storedType(view.element);
  return b.create<LLVM::GEPOp>(loc, pointer, stored, view.base,
                               ArrayRef<LLVM::GEPArg>{index.value(total)});
}

Index KernelEmitter::offsetOf(const MemoryView &view, ArrayRef<Index> at) {
  Index offset = 0;
  for (auto [i, stride] : llvm::zip(at, view.strides))
    offset = index.add(offset, index.mul(i, stride));
  return offset;
}

static unsigned alignmentOf(Type stored) {
  return std::max(1u, stored.getIntOrFloatBitWidth() / 8);
}

Value KernelEmitter::load(const MemoryView &view, Index element,
                          int64_t lanes) {
  Type stored = storedType(view.element);
  Value value = b.create<LLVM::LoadOp>(
      loc, lanesOf(stored, lanes), address(view, element), alignmentOf(stored));
  if (view.element.isInteger(1)) {
    Value zero = splat(constant(stored, 0), lanes);
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (view.element != stored)
    return b.create<arith::BitcastOp>(loc, lanesOf(view.element, lanes), value);
  return value;
}

void KernelEmitter::store(const MemoryView &view, Index element, Value value,
                          int64_t lanes) {
  Type stored = storedType(view.element);
  if (view.element.isInteger(1))
    value = b.create<arith::ExtUIOp>(loc, lanesOf(stored, lanes), value);
  else if (view.element != stored)
    value = b.create<arith::BitcastOp>(loc, lanesOf(stored, lanes), value);
  b.create<LLVM::StoreOp>(loc, value, address(view, element),
                          alignmentOf(stored));
}

/// A power of two, up to 64, that divides the index whatever it is.
static int64_t knownFactor(Index index);
static int64_t knownFactor(Value value) {
  constexpr int64_t most = 64;
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return knownFactor(Index(*number));
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return std::min(most, knownFactor(product.getLhs()) *
                              knownFactor(product.getRhs()));
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(value.getDefiningOp()))
    return std::min(knownFactor(value.getDefiningOp()->getOperand(0)),
                    knownFactor(value.getDefiningOp()->getOperand(1)));
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
        loop && value == loop.getInductionVar())
      return std::min(knownFactor(loop.getLowerBound()),
                      knownFactor(loop.getStep()));
  return 1;
}
static int64_t knownFactor(Index index) {
  if (!index.isKnown())
    return knownFactor(index.value);
  return index.number ? int64_t(1) << std::min(
                            6, llvm::countr_zero(uint64_t(index.number)))
                      : 64;
}

void KernelEmitter::storePastCaches(const MemoryView &view, Index element,
                                    Value value, int64_t lanes) {
  Type stored = storedType(view.element);
  int64_t bytes = stored.getIntOrFloatBitWidth() / 8;
  bool aligned = alignedArguments &&
                 isa_and_nonnull<BlockArgument>(view.root) &&
                 knownFactor(view.offset) % lanes == 0 &&
                 knownFactor(element) % lanes == 0;
  if (!aligned || lanes * bytes < 16 || stored != view.element)
    return store(view, element, value, lanes);
  b.create<LLVM::StoreOp>(loc, value, address(view, element),
                          unsigned(lanes * bytes), /*isVolatile=*/false,
                          /*isNonTemporal=*/true);
  streams = true;
}

Value KernelEmitter::convert(Value value, Type to) {
  Type from = elementOf(value);
  if (from == to)
    return value;
  int64_t lanes = lanesIn(value);
  auto make = [&](auto op, Type element, Value operand) -> Value {
    using Op = decltype(op);
    return b.create<Op>(loc, lanesOf(element, lanes), operand);
  };
  Type i16 = b.getI16Type(), i32 = b.getI32Type(), f32 = b.getF32Type();
  auto bits = [&](int64_t number) {
    return splat(b.create<arith::ConstantIntOp>(loc, number, 32), lanes);
  };
  if (isa<FloatType>(from) && isa<FloatType>(to)) {
    if (from.isBF16()) {
      Value half = make(arith::BitcastOp(), i16, value);
      Value word = make(arith::ExtUIOp(), i32, half);
      Value high = b.create<arith::ShLIOp>(loc, word, bits(16));
      return convert(make(arith::BitcastOp(), f32, high), to);
    }
    if (to.isBF16()) {
      // Through f32: f16 fits; f64 would be rounded twice, but for the sticky
      // bit kept here.
      if (from.isF64()) {
        Value shorter = make(arith::TruncFOp(), f32, value);
        Value back = make(arith::ExtFOp(), from, shorter);
        Value inexact = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ONE,
                                                back, value);
        Value word = make(arith::BitcastOp(), i32, shorter);
        Value odd = b.create<arith::OrIOp>(loc, word, bits(1));
        Value sticky = b.create<arith::SelectOp>(loc, inexact, odd, word);
        value = make(arith::BitcastOp(), f32, sticky);
      } else {
        value = convert(value, f32);
      }
      // bits + 0x7fff + lowest kept bit carries into the kept half exactly when
      // rounding to nearest even goes up.
      Value word = make(arith::BitcastOp(), i32, value);
      Value kept = b.create<arith::ShRUIOp>(loc, word, bits(16));
      Value odd = b.create<arith::AndIOp>(loc, kept, bits(1));
      Value bias = b.create<arith::AddIOp>(loc, odd, bits(0x7fff));
      Value rounded = b.create<arith::AddIOp>(loc, word, bias);
      Value high = b.create<arith::ShRUIOp>(loc, rounded, bits(16));
      Value quiet = b.create<arith::OrIOp>(loc, kept, bits(0x40));
      Value isNan =
          b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, value, value);
      Value chosen = b.create<arith::SelectOp>(loc, isNan, quiet, high);
      Value half = make(arith::TruncIOp(), i16, chosen);
      return make(arith::BitcastOp(), to, half);
    }
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      return make(arith::ExtFOp(), to, value);
    return make(arith::TruncFOp(), to, value);
  }
  if (isa<FloatType>(to)) { // from an integer; i1 counts as 0 and 1
    Type wide = to.isBF16() || to.isF16() ? f32 : to;
    if (from.isInteger(1)) {
      Value word = make(arith::ExtUIOp(), i32, value);
      return convert(make(arith::SIToFPOp(), wide, word), to);
    }
    return convert(make(arith::SIToFPOp(), wide, value), to);
  }
  if (isa<FloatType>(from)) {
    Value wide = convert(value, computeType(from));
    if (to.isInteger(1)) {
      Value zero = splat(constant(computeType(from), 0), lanes);
      return b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, wide,
                                     zero);
    }
    // Saturates, NaN becomes 0: the instruction alone says nothing about
    // values out of range.
    unsigned bits = to.getIntOrFloatBitWidth();
    Type floating = computeType(from);
    double limit = std::ldexp(1.0, int(bits) - 1);
    auto compare = [&](arith::CmpFPredicate predicate, double value) -> Value {
      return b.create<arith::CmpFOp>(loc, predicate, wide,
                                     splat(constant(floating, value), lanes));
    };
    Value below = compare(arith::CmpFPredicate::OLE, -limit);
    Value above = compare(arith::CmpFPredicate::OGE, limit);
    Value isNan =
        b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, wide, wide);
    Value outside = b.create<arith::OrIOp>(
        loc, isNan, b.create<arith::OrIOp>(loc, below, above));
    Value inside = b.create<arith::SelectOp>(
        loc, outside, splat(constant(floating, 0), lanes), wide);
    Value result = make(arith::FPToSIOp(), to, inside);
    auto whole = [&](const APInt &value) {
      return splat(
          b.create<arith::ConstantOp>(loc, IntegerAttr::get(to, value)), lanes);
    };
    result = b.create<arith::SelectOp>(
        loc, below, whole(APInt::getSignedMinValue(bits)), result);
    return b.create<arith::SelectOp>(
        loc, above, whole(APInt::getSignedMaxValue(bits)), result);
  }
  if (to.isInteger(1)) {
    Value zero = splat(constant(from, 0), lanes);
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (from.isInteger(1))
    return make(arith::ExtUIOp(), to, value);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return make(arith::ExtSIOp(), to, value);
  return make(arith::TruncIOp(), to, value);
}

MemoryView KernelEmitter::broadcast(const MemoryView &source,
                                    const MemoryView &to) {
  MemoryView out = source;
  out.sizes = to.sizes;
  out.strides.assign(to.rank(), Index(0));
  unsigned missing = to.rank() - source.rank();
  for (unsigned d = missing; d < to.rank(); ++d)
    // Only a static 1 stretches.
    if (!source.sizes[d - missing].is(1) || to.sizes[d].is(1))
      out.strides[d] = source.strides[d - missing];
  return out;
}

} // namespace tilewright::execute
