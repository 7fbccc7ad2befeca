//===- AttentionSteps.cpp - attention, some keys at a time ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/AttentionSteps.h"
#include "core/dialect/Key.h"
#include "core/pass/tile/ScopeSpace.h"
#include <limits>

using namespace mlir;

namespace tilewright::pass {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Location AttentionSteps::part(Operation *op, StringRef name) {
  return keyPart(op->getLoc(), name.str() + suffix);
}

Location AttentionSteps::part(Operation *op) {
  return suffix.empty() ? op->getLoc()
                        : keyPart(op->getLoc(), suffix.substr(1));
}

Value AttentionSteps::reduceRows(Location loc, tw::ReduceKind kind, Value x) {
  return builder.create<tw::ReduceOp>(
      loc, typeFor(builder.getIndexAttr(1)), x, kind,
      ArrayRef<int64_t>{typeOf(x).getRank() - 1}, true);
}

/// An operand of an elementwise operation that works on rows x `columns`.
FailureOr<Value> AttentionSteps::operandPart(Operation *user, Value operand,
                                             Cut columns,
                                             const IRMapping &made) {
  if (Value tile = made.lookupOrNull(operand))
    return tile;
  Operation *def = operand.getDefiningOp();
  if (!def || roleOf(def) != OpRole::Fill)
    return slice(user->getLoc(), operand, rows, columns);
  std::optional<double> value = fillValueOf(def);
  if (!value)
    return def->emitError() << "is no constant [TW0304]";
  // One element; broadcasting does the rest.
  return number(def->getLoc(), *value, typeOf(operand).getElementType());
}

LogicalResult AttentionSteps::cloneOnParts(Operation *op, Cut columns,
                                           IRMapping &made) {
  SmallVector<Value> operands;
  SmallVector<int64_t> shape;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> tile = operandPart(op, operand, columns, made);
    if (failed(tile))
      return failure();
    operands.push_back(*tile);
    ArrayRef<int64_t> each = typeOf(*tile).getShape();
    if (each.size() > shape.size())
      shape.insert(shape.begin(), each.size() - shape.size(), 1);
    for (size_t d = 0; d < each.size(); ++d)
      if (int64_t &size = shape[shape.size() - each.size() + d]; size == 1)
        size = each[d];
  }
  OperationState state(part(op), op->getName());
  state.addOperands(operands);
  state.addTypes(typeOf(op->getResult(0)).clone(shape));
  state.addAttributes(op->getAttrs());
  made.map(op->getResult(0), builder.create(state)->getResult(0));
  return success();
}

Value AttentionSteps::asType(Location loc, Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return builder.create<tw::CastOp>(loc, value, element);
}

void AttentionSteps::takeQueries() {
  tw::MatmulOp op = attention.scores;
  Value source = op.getLhs();
  bool transposed = op.getTransposeLhs();
  depth = {builder.getIndexAttr(0),
           sizeOf(builder, op.getLoc(), source,
                  typeOf(source).getRank() - (transposed ? 2 : 1))};
  queries = transposed ? slice(op.getLoc(), source, depth, rows)
                       : slice(op.getLoc(), source, rows, depth);
}

FailureOr<Running> AttentionSteps::step(Cut columns,
                                        std::optional<Running> before) {
  IRMapping made;
  Location loc = part(attention.scores);
  bool keysFirst = attention.scores.getTransposeRhs();
  Value k = keysFirst ? slice(loc, attention.scores.getRhs(), columns, depth)
                      : slice(loc, attention.scores.getRhs(), depth, columns);
  Value scores = builder.create<tw::MatmulOp>(
      loc, typeFor(columns.size), queries, k, Value(),
      attention.scores.getTransposeLhs(), keysFirst);
  made.map(attention.scores.getResult(),
           asType(loc, scores,
                  typeOf(attention.scores.getResult()).getElementType()));
  for (Operation *op : attention.score)
    if (failed(cloneOnParts(op, columns, made)))
      return failure();

  Running next;
  Location expLoc = part(attention.exp);
  Value x = asF32(expLoc, made.lookup(attention.x));
  Value kept; // of what was summed before, as seen from the new maximum
  if (attention.rowMax) {
    Operation *maxOp = attention.rowMax;
    Value largest = reduceRows(part(maxOp), tw::ReduceKind::Max, x);
    Value old = before ? before->max
                       : number(part(maxOp, "first"),
                                std::numeric_limits<float>::lowest());
    next.max =
        builder.create<tw::MaximumOp>(part(maxOp, "running"), largest, old);
    if (before) {
      Value lost =
          builder.create<tw::SubOp>(part(maxOp, "shift"), old, next.max);
      kept = builder.create<tw::ExpOp>(part(maxOp, "rescale"), centered(lost));
    }
  }
  // What is small comes first: passes over the whole tile then stand side by
  // side and can become one.
  Operation *sumOp = attention.rowSum;
  Value carriedSum, carried;
  if (before) {
    carriedSum = before->sum;
    carried = before->result;
    if (kept) {
      carriedSum =
          builder.create<tw::MulOp>(part(sumOp, "rescaled"), carriedSum, kept);
      carried = builder.create<tw::MulOp>(part(attention.output, "rescaled"),
                                          carried, kept);
    }
  }
  if (attention.rowMax)
    x = builder.create<tw::SubOp>(part(attention.exp, "centered"), x, next.max);
  Value power = builder.create<tw::ExpOp>(expLoc, centered(x));
  next.sum = reduceRows(part(sumOp), tw::ReduceKind::Sum, power);
  if (before)
    next.sum =
        builder.create<tw::AddOp>(part(sumOp, "running"), carriedSum, next.sum);

  // The weights as written, but for the division.
  made.map(attention.exp.getResult(),
           asType(expLoc, power,
                  typeOf(attention.exp.getResult()).getElementType()));
  bool normalizesBefore = !attention.normalizesAfter();
  auto passNormalize = [&] {
    unsigned weights = 1 - attention.divisorOperand;
    Value undivided =
        made.lookupOrNull(attention.normalize->getOperand(weights));
    if (undivided)
      made.map(
          attention.normalize->getResult(0),
          asType(part(attention.normalize), undivided,
                 typeOf(attention.normalize->getResult(0)).getElementType()));
    return bool(undivided);
  };
  bool passed = !normalizesBefore || passNormalize();
  for (Operation *op : attention.weight) {
    if (failed(cloneOnParts(op, columns, made)))
      return failure();
    passed = passed || passNormalize();
  }
  Location outLoc = part(attention.output);
  bool transposed = attention.output.getTransposeRhs();
  Value v =
      transposed
          ? slice(outLoc, attention.output.getRhs(), valueColumns, columns)
          : slice(outLoc, attention.output.getRhs(), columns, valueColumns);
  bool adds = carried && !accumulates;
  next.result = builder.create<tw::MatmulOp>(
      adds ? part(attention.output, "product") : outLoc,
      typeFor(valueColumns.size), made.lookup(attention.output.getLhs()), v,
      adds ? Value() : carried, false, transposed);
  if (adds)
    next.result = builder.create<tw::AddOp>(outLoc, carried, next.result);
  return next;
}

Value AttentionSteps::centered(Value x) {
  for (Operation *op : attention.centered) {
    if (isa<tw::CastOp>(op))
      continue; // all of this is f32
    unsigned factor = roleOf(op->getOperand(0).getDefiningOp()
                                 ? op->getOperand(0).getDefiningOp()
                                 : op) == OpRole::Fill
                          ? 0
                          : 1;
    Value factorTile =
        number(op->getLoc(),
               fillValueOf(op->getOperand(factor).getDefiningOp()).value_or(1));
    x = isa<tw::DivOp>(op)
            ? builder.create<tw::DivOp>(op->getLoc(), x, factorTile).getResult()
            : builder.create<tw::MulOp>(op->getLoc(), x, factorTile)
                  .getResult();
  }
  return x;
}

FailureOr<Value> AttentionSteps::finish(const Running &done) {
  IRMapping made;
  Location loc = attention.normalize->getLoc();
  Cut one = {builder.getIndexAttr(0), builder.getIndexAttr(1)};
  made.map(attention.rowSum.getResult(),
           asType(attention.rowSum.getLoc(), done.sum,
                  typeOf(attention.rowSum.getResult()).getElementType()));
  for (Operation *op : attention.divisor)
    if (failed(cloneOnParts(op, one, made)))
      return failure();
  Type element = typeOf(attention.output.getResult()).getElementType();
  if (attention.normalizesAfter()) {
    made.map(attention.output.getResult(),
             asType(attention.output.getLoc(), done.result, element));
    for (Operation *op : attention.after)
      if (failed(cloneOnParts(op, valueColumns, made)))
        return failure();
    return made.lookup(attention.result);
  }
  Value divisor = asF32(loc, made.lookup(attention.normalize->getOperand(
                                 attention.divisorOperand)));
  Value result =
      isa<tw::DivOp>(attention.normalize)
          ? builder.create<tw::DivOp>(loc, done.result, divisor).getResult()
          : builder.create<tw::MulOp>(loc, done.result, divisor).getResult();
  return asType(attention.output.getLoc(), result, element);
}

} // namespace tilewright::pass
