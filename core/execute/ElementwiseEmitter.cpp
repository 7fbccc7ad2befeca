//===- ElementwiseEmitter.cpp - chains of element-by-element instructions -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Consecutive instructions over the same shape become one loop nest: a value
// goes from one to the next in a register, and a buffer that only they use is
// never written. A reduction over the last axis may end the chain.
//
//===----------------------------------------------------------------------===//
#include "core/execute/ElementGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::execute {

/// Longer chains are cut, so that values stay in registers.
static constexpr size_t maxStatements = 24;

//===----------------------------------------------------------------------===//
// Forming groups
//===----------------------------------------------------------------------===//

static bool isPacking(Operation *op) {
  auto move = dyn_cast<MoveOp>(op);
  return move && move.getLayout() &&
         move.getLayout()->getKind() == tile::LayoutKind::Packed;
}

/// A reduction over nothing but the last axis.
static bool reducesRows(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return false;
  int64_t rank = cast<MemRefType>(reduce.getSource().getType()).getRank();
  return reduce.getAxes().size() == 1 && reduce.getAxes()[0] == rank - 1;
}

bool KernelEmitter::startsGroup(Operation *op) {
  return (isa<MoveOp, FillOp, UnaryOp, BinaryOp, CastOp, CompareOp, SelectOp>(
              op) &&
          !isPacking(op)) ||
         reducesRows(op);
}

static bool sameView(const MemoryView &a, const MemoryView &b) {
  if (a.root != b.root || a.base != b.base || a.offset != b.offset ||
      !llvm::equal(a.sizes, b.sizes) || a.element != b.element)
    return false;
  // The stride of a single element leads nowhere.
  for (unsigned d = 0; d < a.rank(); ++d)
    if (!a.sizes[d].is(1) && a.strides[d] != b.strides[d])
      return false;
  return true;
}

bool KernelEmitter::addStatement(Operation *op, Group &group) {
  ElementStatement statement;
  statement.op = op;
  SmallVector<Value> memrefs;
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()))
      memrefs.push_back(operand);
  statement.dest = view(memrefs.back());
  statement.destRoot = statement.dest.root;
  MemoryView shape = statement.isReduce() ? view(memrefs[0]) : statement.dest;
  if (group.statements.empty())
    group.sizes = shape.sizes;
  else if (!llvm::equal(group.sizes, shape.sizes))
    return false;

  for (Value memref : ArrayRef(memrefs).drop_back()) {
    ElementOperand operand;
    MemoryView source = view(memref);
    operand.view = broadcast(source, shape);
    for (size_t i = group.statements.size(); i-- > 0;) {
      const ElementStatement &earlier = group.statements[i];
      if (earlier.destRoot != source.root)
        continue;
      // Written before in the group: the very same elements, or not at all.
      if (earlier.isReduce() || !sameView(earlier.dest, operand.view))
        return false;
      operand.statement = int(i);
      break;
    }
    statement.operands.push_back(operand);
  }
  for (const ElementStatement &earlier : group.statements) {
    if (earlier.destRoot == statement.destRoot &&
        (earlier.isReduce() || statement.isReduce() ||
         !sameView(earlier.dest, statement.dest)))
      return false;
    for (const ElementOperand &operand : earlier.operands)
      if (operand.statement < 0 && operand.view.root == statement.destRoot &&
          (statement.isReduce() || !sameView(operand.view, statement.dest)))
        return false;
  }
  // Its own operands too: a stretched source must not be overwritten.
  for (const ElementOperand &operand : statement.operands)
    if (operand.statement < 0 && operand.view.root == statement.destRoot &&
        (statement.isReduce() || !sameView(operand.view, statement.dest))) {
      if (!group.statements.empty())
        return false;
      fail(op, "TW0442", "it overwrites elements that it still has to read");
    }
  group.statements.push_back(std::move(statement));
  return true;
}

bool shareBytes(Value a, Value b) {
  if (a == b)
    return false;
  auto x = a.getDefiningOp<AllocOp>(), y = b.getDefiningOp<AllocOp>();
  if (!x || !y)
    return false;
  MemRefType xt = x.getMemref().getType(), yt = y.getMemref().getType();
  if (levelOf(xt) != levelOf(yt))
    return false;
  auto bytes = [](MemRefType type) {
    int64_t bits = type.getElementType().getIntOrFloatBitWidth();
    return type.getNumElements() * std::max<int64_t>(1, bits / 8);
  };
  int64_t xs = int64_t(*x.getOffset()), ys = int64_t(*y.getOffset());
  return xs < ys + bytes(yt) && ys < xs + bytes(xt);
}

/// Whether every instruction that touches `memref`, through views too, is in
/// `ops`.
static bool usedOnlyIn(Value memref, const llvm::DenseSet<Operation *> &ops) {
  for (Operation *user : memref.getUsers()) {
    if (isa<ViewLikeOpInterface>(user)) {
      if (!usedOnlyIn(user->getResult(0), ops))
        return false;
    } else if (!isa<memref::DimOp>(user) && !ops.contains(user)) {
      return false;
    }
  }
  return true;
}

size_t KernelEmitter::usableStatements(Group &group, size_t count) {
  while (true) {
    llvm::DenseSet<Operation *> ops;
    for (size_t i = 0; i < count; ++i)
      ops.insert(group.statements[i].op);
    llvm::DenseSet<Value> inMemory; // read from memory, or stored
    for (size_t i = 0; i < count; ++i)
      for (const ElementOperand &operand : group.statements[i].operands)
        if (operand.statement < 0)
          inMemory.insert(operand.view.root);
    for (size_t i = 0; i < count; ++i) {
      ElementStatement &statement = group.statements[i];
      statement.stored = statement.isReduce() ||
                         !statement.destRoot.getDefiningOp<AllocOp>() ||
                         inMemory.contains(statement.destRoot) ||
                         !usedOnlyIn(statement.destRoot, ops);
    }
    // A buffer written over bytes that another still holds for later elements.
    size_t usable = count;
    for (size_t i = 1; i < count && usable == count; ++i) {
      const ElementStatement &writer = group.statements[i];
      if (!writer.stored)
        continue;
      for (size_t j = 0; j < i; ++j) {
        const ElementStatement &earlier = group.statements[j];
        bool clash =
            earlier.stored && shareBytes(earlier.destRoot, writer.destRoot);
        for (const ElementOperand &operand : earlier.operands)
          clash |= operand.statement < 0 &&
                   shareBytes(operand.view.root, writer.destRoot);
        if (clash)
          usable = i;
      }
      // Reads of the writer itself come before its write, element by element,
      // but of another buffer they may lie further on.
      for (const ElementOperand &operand : writer.operands)
        if (operand.statement < 0 &&
            shareBytes(operand.view.root, writer.destRoot))
          usable = std::min(usable, i);
    }
    if (usable == count)
      return count;
    count = usable;
  }
}

void KernelEmitter::collectGroup(Block::iterator &it, Block::iterator end,
                                 Group &group) {
  // Instructions are only looked at here; scalars between them are emitted, as
  // views of later instructions need them.
  SmallVector<Block::iterator> after;
  auto at = it;
  for (; at != end && group.statements.size() < maxStatements; ++at) {
    Operation *op = &*at;
    loc = op->getLoc();
    if (elided.contains(op))
      break;
    if (startsGroup(op)) {
      if (!addStatement(op, group))
        break;
      after.push_back(std::next(at));
      continue;
    }
    if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() ||
        !emitViewOrScalar(op))
      break;
  }
  size_t count = usableStatements(group, group.statements.size());
  group.statements.resize(count);
  // A scalar operation emitted above that lies behind the cut is emitted again
  // from there: the same value, computed twice at worst.
  it = after[count - 1];
}

/// Makes rows longer: dimensions that lie behind each other in every operand
/// become one.
void KernelEmitter::mergeDimensions(Group &group) {
  for (const ElementStatement &statement : group.statements)
    if (statement.isReduce())
      return;
  auto mergeable = [](const MemoryView &view) {
    unsigned last = view.rank() - 1;
    const Index &outer = view.strides[last - 1], &inner = view.strides[last],
                &size = view.sizes[last];
    return outer.isKnown() && inner.isKnown() && size.isKnown() &&
           outer.number == inner.number * size.number;
  };
  auto merge = [&](MemoryView &view) {
    unsigned last = view.rank() - 1;
    view.sizes[last - 1] = index.mul(view.sizes[last - 1], view.sizes[last]);
    view.strides[last - 1] = view.strides[last];
    view.sizes.pop_back();
    view.strides.pop_back();
  };
  while (group.sizes.size() >= 2) {
    for (const ElementStatement &statement : group.statements) {
      if (statement.stored && !mergeable(statement.dest))
        return;
      for (const ElementOperand &operand : statement.operands)
        if (operand.statement < 0 && !mergeable(operand.view))
          return;
    }
    for (ElementStatement &statement : group.statements) {
      merge(statement.dest);
      for (ElementOperand &operand : statement.operands)
        merge(operand.view);
    }
    Index inner = group.sizes.pop_back_val();
    group.sizes.back() = index.mul(group.sizes.back(), inner);
  }
}

//===----------------------------------------------------------------------===//
// Emitting groups
//===----------------------------------------------------------------------===//

void KernelEmitter::emitGroup(Group &group) {
  mergeDimensions(group);
  prepareGroup(group);
  nest(ArrayRef(group.sizes).drop_back(),
       [&](ArrayRef<Index> outer) { emitRow(group, outer); });
}

void KernelEmitter::prepareGroup(Group &group) {
  // Statements of a rank-0 shape are a row of one element.
  auto atLeastOne = [](MemoryView &view) {
    if (view.rank() == 0) {
      view.sizes.push_back(1);
      view.strides.push_back(1);
    }
  };
  bool scalarShape = group.sizes.empty();
  if (scalarShape)
    group.sizes.push_back(1);
  int64_t bytes = 4;
  bool vectorised = true;
  for (ElementStatement &statement : group.statements) {
    if (scalarShape && !statement.isReduce())
      atLeastOne(statement.dest);
    auto note = [&](const MemoryView &view) {
      int64_t bits = computeType(view.element).getIntOrFloatBitWidth();
      bytes = std::max(bytes, bits / 8);
      Index stride = view.innerStride();
      vectorised &= stride.is(1) || stride.is(0);
    };
    for (ElementOperand &operand : statement.operands) {
      if (scalarShape)
        atLeastOne(operand.view);
      note(operand.view);
    }
    if (!statement.isReduce()) {
      note(statement.dest);
      vectorised &= !statement.stored || statement.dest.innerStride().is(1) ||
                    group.sizes.back().is(1);
    }
  }
  int64_t lanes = vectorised ? cpu.lanes(bytes) : 1;
  Index row = group.sizes.back();
  while (row.isKnown() && lanes > 1 && row.number < lanes)
    lanes /= 2;
  group.lanes = lanes;
}

/// Whether the time of a group's loop is that from one partial result of its
/// reductions to the next, and not that of the rest of its work.
static bool waitsForItself(ArrayRef<ElementStatement> statements) {
  auto slow = [](const ElementStatement &statement) {
    return statement.isReduce()
               ? false
               : isa<UnaryOp, SelectOp, CompareOp>(statement.op);
  };
  return statements.size() <= 6 && llvm::none_of(statements, slow) &&
         llvm::any_of(statements, [](const ElementStatement &statement) {
           return statement.isReduce();
         });
}

void KernelEmitter::emitRow(const Group &group, ArrayRef<Index> outer) {
  int64_t lanes = group.lanes;
  Index row = group.sizes.back();
  // Operands that are one value for the whole row are loaded before it.
  std::vector<SmallVector<Value, 3>> uniform;
  for (const ElementStatement &statement : group.statements) {
    uniform.emplace_back();
    for (const ElementOperand &operand : statement.operands) {
      bool once = operand.statement < 0 && operand.view.innerStride().is(0);
      uniform.back().push_back(
          once ? load(operand.view, offsetOf(operand.view, outer), 1)
               : Value());
    }
  }
  // A row divided by one number: multiplied by its inverse.
  SmallVector<RowDivisor> divisors(group.statements.size());
  for (auto [s, statement] : llvm::enumerate(group.statements))
    if (auto divide = dyn_cast<BinaryOp>(statement.op);
        divide && divide.getKind() == BinaryKind::Div && uniform[s][1] &&
        lanes > 1 && !(row.isKnown() && row.number < 4 * lanes))
      divisors[s] = rowDivisor(uniform[s][1], statement.dest.element);
  SmallVector<Value> vectors, totals;
  SmallVector<ReduceOp> reduces;
  for (const ElementStatement &statement : group.statements)
    if (auto reduce = dyn_cast<ReduceOp>(statement.op)) {
      Type compute = computeType(statement.operands[0].view.element);
      reduces.push_back(reduce);
      totals.push_back(identity(reduce.getKind(), compute));
      vectors.push_back(splat(totals.back(), lanes));
    }
  Index done = index.roundDown(row, lanes);
  bool vectorRan = !(done.is(0));
  Index begin = 0;
  if (lanes > 1 && vectorRan && waitsForItself(group.statements)) {
    // Several partial results side by side, so that none waits for the last.
    constexpr int64_t parts = 4;
    begin = index.roundDown(row, parts * lanes);
    SmallVector<Value> all;
    for (int64_t part = 0; part < parts; ++part)
      llvm::append_range(all, vectors);
    all = loop(0, begin, parts * lanes, all,
               [&](Index column, ValueRange carried) {
                 SmallVector<Value> next(carried);
                 for (int64_t part = 0; part < parts; ++part)
                   emitElements(group, outer, index.add(column, part * lanes),
                                lanes, uniform, divisors,
                                MutableArrayRef(next).slice(
                                    part * reduces.size(), reduces.size()));
                 return next;
               });
    for (int64_t part = 1; part < parts; ++part)
      for (size_t i = 0; i < reduces.size(); ++i)
        all[i] = combine(reduces[i].getKind(), all[i],
                         all[part * reduces.size() + i]);
    vectors.assign(all.begin(), all.begin() + reduces.size());
  }
  if (lanes > 1 && vectorRan) {
    SmallVector<Value> ended = loop(
        begin, done, lanes, vectors, [&](Index column, ValueRange carried) {
          SmallVector<Value> next(carried);
          emitElements(group, outer, column, lanes, uniform, divisors, next);
          return next;
        });
    for (auto [i, reduce] : llvm::enumerate(reduces))
      totals[i] = across(reduce.getKind(), ended[i]);
  } else {
    done = 0;
  }
  auto tail = [&](Index from, Index to, int64_t width) {
    SmallVector<Value> ended =
        loop(from, to, width, totals, [&](Index column, ValueRange carried) {
          SmallVector<Value> next(carried), parts;
          if (width == 1) {
            emitElements(group, outer, column, 1, uniform, divisors, next);
            return next;
          }
          for (auto [reduce, total] : llvm::zip(reduces, next))
            parts.push_back(
                splat(identity(reduce.getKind(), elementOf(total)), width));
          emitElements(group, outer, column, width, uniform, divisors, parts);
          for (size_t i = 0; i < parts.size(); ++i)
            next[i] = combine(reduces[i].getKind(), next[i],
                              across(reduces[i].getKind(), parts[i]));
          return next;
        });
    totals = ended;
  };
  if (row.isKnown() && done.isKnown()) {
    // What is left in halves of a vector.
    int64_t from = done.number;
    for (int64_t width = lanes / 2; width >= 1; width /= 2)
      if (row.number - from >= width) {
        int64_t to = width == 1 ? row.number : from + width;
        tail(from, to, width);
        from = to;
      }
    if (lanes == 1)
      tail(0, row, 1);
  } else {
    tail(done, row, 1);
  }
  size_t i = 0;
  for (const ElementStatement &statement : group.statements)
    if (auto reduce = dyn_cast<ReduceOp>(statement.op)) {
      SmallVector<Index> at(outer);
      at.push_back(0);
      MemoryView source = statement.operands[0].view;
      finishReduce(reduce, statement.dest,
                   reducedOffset(reduce, source, statement.dest, at),
                   totals[i++], row, 1);
    }
}

/// x / s as (x * scale) * inverse with inverse = 1 / (s * scale), to one and a
/// half units in the last place. `scale` is 1 but where the inverse of s alone
/// would overflow or lose bits: then a power of two that keeps it normal, and
/// x * scale leaves the range only where x / s does. Zeros, infinities and NaNs
/// come out as from the division.
KernelEmitter::RowDivisor KernelEmitter::rowDivisor(Value s, Type result) {
  Type compute = computeType(elementOf(s));
  if (!compute.isF32() || !computeType(result).isF32())
    return {};
  s = convert(s, compute);
  auto number = [&](double value) { return constant(compute, value); };
  Value size = b.create<math::AbsFOp>(loc, s);
  Value large = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, size,
                                        number(0x1p120)),
        small = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, size,
                                        number(0x1p-120));
  Value scale =
      b.create<arith::SelectOp>(loc, small, number(0x1p30), number(1));
  scale = b.create<arith::SelectOp>(loc, large, number(0x1p-30), scale);
  Value scaled = b.create<arith::MulFOp>(loc, s, scale);
  return {scale, b.create<arith::DivFOp>(loc, number(1), scaled)};
}

void KernelEmitter::emitElements(const Group &group, ArrayRef<Index> outer,
                                 Index column, int64_t lanes,
                                 ArrayRef<SmallVector<Value, 3>> uniform,
                                 ArrayRef<RowDivisor> divisors,
                                 MutableArrayRef<Value> accumulators) {
  SmallVector<Value> results;
  SmallVector<std::pair<const MemoryView *, Value>> loaded;
  SmallVector<Index> at(outer);
  at.push_back(column);
  if (lanes > 1)
    for (const MemoryView &view : group.upcoming)
      prefetch(view,
               index.add(offsetOf(view, at), view.strides[outer.size() - 1]),
               /*forWriting=*/false);
  size_t reduction = 0;
  for (auto [s, statement] : llvm::enumerate(group.statements)) {
    loc = statement.op->getLoc();
    SmallVector<Value> operands;
    for (auto [o, operand] : llvm::enumerate(statement.operands)) {
      if (operand.statement >= 0) {
        operands.push_back(results[size_t(operand.statement)]);
        continue;
      }
      if (Value once = uniform[s][o]) {
        operands.push_back(splat(once, lanes));
        continue;
      }
      auto known = llvm::find_if(loaded, [&](auto &entry) {
        return entry.first && sameView(*entry.first, operand.view);
      });
      if (known != loaded.end()) {
        operands.push_back(known->second);
        continue;
      }
      operands.push_back(load(operand.view, offsetOf(operand.view, at), lanes));
      loaded.push_back({&operand.view, operands.back()});
    }
    if (auto reduce = dyn_cast<ReduceOp>(statement.op)) {
      Value x = convert(operands[0], computeType(elementOf(operands[0])));
      Value &acc = accumulators[reduction++];
      acc = combine(reduce.getKind(), acc, x);
      results.push_back(Value());
      continue;
    }
    Value result;
    if (const RowDivisor &divisor = divisors[s]; divisor.inverse && lanes > 1) {
      Value x = convert(operands[0], elementOf(divisor.inverse));
      if (divisor.scale)
        x = b.create<arith::MulFOp>(loc, x, splat(divisor.scale, lanes));
      x = b.create<arith::MulFOp>(loc, x, splat(divisor.inverse, lanes));
      result = convert(x, statement.dest.element);
    } else {
      result =
          emitStatement(statement.op, statement.dest.element, operands, lanes);
    }
    results.push_back(result);
    for (auto &entry : loaded)
      if (entry.first && entry.first->root == statement.destRoot)
        entry.first = nullptr;
    if (statement.stored && statement.op->hasAttr(streamingAttrName))
      storePastCaches(statement.dest, offsetOf(statement.dest, at), result,
                      lanes);
    else if (statement.stored)
      store(statement.dest, offsetOf(statement.dest, at), result, lanes);
  }
}

Value KernelEmitter::emitStatement(Operation *op, Type result,
                                   ArrayRef<Value> operands, int64_t lanes) {
  if (auto fill = dyn_cast<FillOp>(op)) {
    Value value =
        b.create<arith::ConstantOp>(loc, cast<TypedAttr>(fill.getValue()));
    return splat(value, lanes);
  }
  if (isa<MoveOp, CastOp>(op))
    return convert(operands[0], result);
  if (isa<SelectOp>(op))
    return b.create<arith::SelectOp>(loc, operands[0], operands[1],
                                     operands[2]);
  Type compute = computeType(elementOf(operands[0]));
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(convert(operand, compute));
  if (auto compareOp = dyn_cast<CompareOp>(op))
    return compare(compareOp.getPredicate(), wide[0], wide[1]);
  Value value;
  if (auto unaryOp = dyn_cast<UnaryOp>(op))
    value = unary(unaryOp.getKind(), wide[0]);
  else
    value = binary(cast<BinaryOp>(op).getKind(), wide[0], wide[1]);
  return convert(value, result);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Value KernelEmitter::unary(UnaryKind kind, Value x) {
  Type element = elementOf(x);
  int64_t lanes = lanesIn(x);
  auto number = [&](double value) {
    return splat(constant(element, value), lanes);
  };
  if (!isa<FloatType>(element))
    switch (kind) {
    case UnaryKind::Neg:
      return b.create<arith::SubIOp>(loc, number(0), x);
    case UnaryKind::Abs:
      return b.create<math::AbsIOp>(loc, x);
    default:
      return b.create<arith::MaxSIOp>(loc, x, number(0));
    }
  auto sigmoidDenominator = [&]() -> Value {
    Value negative = b.create<arith::NegFOp>(loc, x);
    Value power = exponential(negative);
    return b.create<arith::AddFOp>(loc, number(1), power);
  };
  switch (kind) {
  case UnaryKind::Neg:
    return b.create<arith::NegFOp>(loc, x);
  case UnaryKind::Abs:
    return b.create<math::AbsFOp>(loc, x);
  case UnaryKind::Exp:
    return exponential(x);
  case UnaryKind::Log: {
    if (!element.isF32())
      return b.create<math::LogOp>(loc, x);
    // The polynomial takes denormals for the smallest normal number: they are
    // scaled up, and the logarithm of the scale is taken off again.
    Value tiny = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, x,
                                         number(0x1p-126));
    Value scaled = b.create<arith::MulFOp>(loc, x, number(0x1p24));
    Value chosen = b.create<arith::SelectOp>(loc, tiny, scaled, x);
    Value log = b.create<math::LogOp>(loc, chosen);
    Value back =
        b.create<arith::SubFOp>(loc, log, number(24 * 0.69314718055994530942));
    return b.create<arith::SelectOp>(loc, tiny, back, log);
  }
  case UnaryKind::Sqrt:
    return b.create<math::SqrtOp>(loc, x);
  case UnaryKind::Rsqrt: {
    Value root = b.create<math::SqrtOp>(loc, x);
    return b.create<arith::DivFOp>(loc, number(1), root);
  }
  case UnaryKind::Reciprocal:
    return b.create<arith::DivFOp>(loc, number(1), x);
  case UnaryKind::Tanh:
    return b.create<math::TanhOp>(loc, x);
  case UnaryKind::Erf:
    return b.create<math::ErfOp>(loc, x);
  case UnaryKind::Sigmoid:
    return b.create<arith::DivFOp>(loc, number(1), sigmoidDenominator());
  case UnaryKind::Silu:
    return b.create<arith::DivFOp>(loc, x, sigmoidDenominator());
  case UnaryKind::Gelu: {
    Value scaled =
        b.create<arith::MulFOp>(loc, x, number(0.70710678118654752440));
    Value erf = b.create<math::ErfOp>(loc, scaled);
    Value sum = b.create<arith::AddFOp>(loc, number(1), erf);
    Value half = b.create<arith::MulFOp>(loc, number(0.5), x);
    return b.create<arith::MulFOp>(loc, half, sum);
  }
  case UnaryKind::Relu:
    return b.create<arith::MaximumFOp>(loc, x, number(0));
  }
  llvm_unreachable("all kinds are handled");
}

Value KernelEmitter::binary(BinaryKind kind, Value x, Value y) {
  bool real = isa<FloatType>(elementOf(x));
  auto make = [&](auto realOp, auto integerOp) -> Value {
    if (real)
      return b.create<decltype(realOp)>(loc, x, y);
    return b.create<decltype(integerOp)>(loc, x, y);
  };
  switch (kind) {
  case BinaryKind::Add:
    return make(arith::AddFOp(), arith::AddIOp());
  case BinaryKind::Sub:
    return make(arith::SubFOp(), arith::SubIOp());
  case BinaryKind::Mul:
    return make(arith::MulFOp(), arith::MulIOp());
  case BinaryKind::Div:
    return make(arith::DivFOp(), arith::DivSIOp());
  case BinaryKind::Maximum:
    return make(arith::MaximumFOp(), arith::MaxSIOp());
  case BinaryKind::Minimum:
    return make(arith::MinimumFOp(), arith::MinSIOp());
  case BinaryKind::Pow:
    return make(math::PowFOp(), math::IPowIOp());
  }
  llvm_unreachable("all kinds are handled");
}

Value KernelEmitter::compare(ComparePredicate predicate, Value x, Value y) {
  if (isa<FloatType>(elementOf(x))) {
    static constexpr arith::CmpFPredicate real[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
        arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
        arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return b.create<arith::CmpFOp>(loc, real[size_t(predicate)], x, y);
  }
  static constexpr arith::CmpIPredicate integer[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
      arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
  // True is more than false, and as a signed number less.
  static constexpr arith::CmpIPredicate truth[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::ult, arith::CmpIPredicate::ule,
      arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge};
  bool isTruth = elementOf(x).isInteger(1);
  return b.create<arith::CmpIOp>(
      loc, (isTruth ? truth : integer)[size_t(predicate)], x, y);
}

} // namespace tilewright::execute
