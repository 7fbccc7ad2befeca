//===- ExpandAttention.cpp - attention as an online softmax ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/ExpandAttention.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/tile/AttentionScope.h"
#include "core/pass/tile/FoldViews.h"
#include "core/pass/tile/ScopeProblem.h"
#include "core/pass/tile/ScopeSpace.h"
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include <limits>

using namespace mlir;

namespace tilewright::pass {
namespace {

using Sizes = SmallVector<OpFoldResult>;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A range of one dimension.
struct Cut {
  OpFoldResult offset, size;
};

/// What is carried along the keys for the rows of one task.
struct Running {
  Value max;    ///< rows x 1, f32
  Value sum;    ///< rows x 1, f32
  Value result; ///< rows x columns of v, f32
};

class AttentionExpander {
public:
  AttentionExpander(func::FuncOp func, Attention attention,
                    const target::Target &target)
      : func(func), attention(std::move(attention)), target(target),
        builder(func.getContext()) {}

  LogicalResult run() {
    auto ret = cast<func::ReturnOp>(func.front().getTerminator());
    builder.setInsertionPoint(ret);
    Location loc = attention.output.getLoc();
    decision::TileProblem problem =
        attentionProblem(attention, primaryKey(attention.output).str());
    Attribute chosen = attention.output->getAttr(tile::sizesAttrName);
    decision::ResolvedTiles tiles =
        decision::resolveTiles(problem, sizesFrom(chosen), target);
    unsigned batches = unsigned(attention.batches());
    rowTile = std::max<int64_t>(1, tiles.outer[batches]);
    keyTile = std::max<int64_t>(1, tiles.outer[batches + 1]);

    Value whole = attention.result;
    Sizes extents;
    for (int64_t d = 0; d < typeOf(whole).getRank(); ++d)
      extents.push_back(sizeOf(builder, loc, whole, d));
    keys = sizeOf(builder, loc, attention.scores.getResult(), batches + 1);
    Value empty = builder.create<tensor::EmptyOp>(
        loc, extents, typeOf(whole).getElementType());

    // One task for each matrix of the batch and each tile of rows.
    Sizes lower(batches + 1, builder.getIndexAttr(0)),
        upper(ArrayRef(extents).take_front(batches + 1)),
        step(batches, builder.getIndexAttr(1));
    step.push_back(builder.getIndexAttr(rowTile));
    auto grid = builder.create<scf::ForallOp>(loc, lower, upper, step,
                                              ValueRange(empty), std::nullopt);
    if (chosen)
      grid->setAttr(tile::sizesAttrName, chosen);
    builder.setInsertionPoint(grid.getTerminator());
    SmallVector<Value> at = grid.getInductionVars();
    for (unsigned d = 0; d < batches; ++d)
      batch.push_back(at[d]);
    std::optional<int64_t> rowCount = getConstantIntValue(extents[batches]);
    rows.offset = rowCount && *rowCount <= rowTile
                      ? OpFoldResult(builder.getIndexAttr(0))
                      : OpFoldResult(at[batches]);
    rows.size = tileSize(builder, loc, extents[batches], rows.offset, rowTile);
    valueColumns = {builder.getIndexAttr(0), extents[batches + 1]};

    takeQueries();
    FailureOr<Running> done = overKeys();
    if (failed(done))
      return failure();
    Value tile = finish(*done);

    Sizes offsets(batch), sizes(batches, builder.getIndexAttr(1));
    offsets.append({rows.offset, valueColumns.offset});
    sizes.append({rows.size, valueColumns.size});
    Sizes strides(offsets.size(), builder.getIndexAttr(1));
    builder.setInsertionPointToEnd(grid.getTerminator().getBody());
    builder.create<tensor::ParallelInsertSliceOp>(
        whole.getLoc(), tile, grid.getRegionIterArgs().front(), offsets, sizes,
        strides);
    ret.setOperand(0, grid.getResult(0));
    cleanUp();
    return success();
  }

private:
  //===--------------------------------------------------------------------===//
  // Tiles of what comes from outside
  //===--------------------------------------------------------------------===//

  /// The part of `source` at this matrix of the batch, at `first` of its last
  /// dimension but one and `second` of its last; a dimension of 1 is whole.
  /// Lower ranks line up at the last dimension.
  Value slice(Location loc, Value source, Cut first, Cut second) {
    RankedTensorType type = typeOf(source);
    int64_t rank = type.getRank();
    if (rank == 0)
      return source;
    Sizes offsets, sizes;
    SmallVector<int64_t> shape;
    auto push = [&](int64_t d, Cut cut) {
      bool one = type.getDimSize(d) == 1;
      offsets.push_back(one ? builder.getIndexAttr(0) : cut.offset);
      sizes.push_back(one ? builder.getIndexAttr(1) : cut.size);
      shape.push_back(
          getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
    };
    for (int64_t d = 0; d + 2 < rank; ++d) {
      size_t aligned = batch.size() - size_t(rank - 2) + size_t(d);
      push(d, {batch[aligned], builder.getIndexAttr(1)});
      shape.pop_back();
    }
    if (rank > 1)
      push(rank - 2, first);
    push(rank - 1, second);
    auto result = RankedTensorType::get(shape, type.getElementType());
    if (result == type)
      return source;
    Sizes strides(offsets.size(), builder.getIndexAttr(1));
    return builder.create<tensor::ExtractSliceOp>(loc, result, source, offsets,
                                                  sizes, strides);
  }

  /// An operand of an elementwise operation that works on rows x `columns`.
  FailureOr<Value> operandTile(Operation *user, Value operand, Cut columns,
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
    return builder
        .create<tw::FullOp>(
            def->getLoc(),
            RankedTensorType::get({}, typeOf(operand).getElementType()), *value)
        .getResult();
  }

  /// `op` on tiles.
  LogicalResult cloneOnTiles(Operation *op, Cut columns, IRMapping &made) {
    SmallVector<Value> operands;
    SmallVector<int64_t> shape;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> tile = operandTile(op, operand, columns, made);
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
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    state.addTypes(typeOf(op->getResult(0)).clone(shape));
    state.addAttributes(op->getAttrs());
    made.map(op->getResult(0), builder.create(state)->getResult(0));
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Along the keys
  //===--------------------------------------------------------------------===//

  Location part(Operation *op, StringRef name) {
    return keyPart(op->getLoc(), name);
  }

  Value asF32(Location loc, Value value) {
    if (typeOf(value).getElementType().isF32())
      return value;
    return builder.create<tw::CastOp>(loc, value, builder.getF32Type());
  }

  Value asType(Location loc, Value value, Type element) {
    if (typeOf(value).getElementType() == element)
      return value;
    return builder.create<tw::CastOp>(loc, value, element);
  }

  RankedTensorType tileType(OpFoldResult columns) {
    auto known = [](OpFoldResult size) {
      return getConstantIntValue(size).value_or(ShapedType::kDynamic);
    };
    return RankedTensorType::get({known(rows.size), known(columns)},
                                 builder.getF32Type());
  }

  Value filled(Location loc, OpFoldResult columns, double value) {
    SmallVector<Value> dynamic;
    for (OpFoldResult size : {rows.size, columns})
      if (!getConstantIntValue(size))
        dynamic.push_back(cast<Value>(size));
    return builder.create<tw::FullOp>(loc, tileType(columns), dynamic,
                                      builder.getF64FloatAttr(value));
  }

  /// The rows of this task, which all steps read.
  void takeQueries() {
    tw::MatmulOp op = attention.scores;
    Value source = op.getLhs();
    bool transposed = op.getTransposeLhs();
    depth = {builder.getIndexAttr(0),
             sizeOf(builder, op.getLoc(), source,
                    typeOf(source).getRank() - (transposed ? 2 : 1))};
    queries = transposed ? slice(op.getLoc(), source, depth, rows)
                         : slice(op.getLoc(), source, rows, depth);
  }

  FailureOr<Running> overKeys() {
    Location loc = attention.output.getLoc();
    std::optional<int64_t> count = getConstantIntValue(keys);
    OpFoldResult zero = builder.getIndexAttr(0);
    if (count && *count <= keyTile)
      return step({zero, keys}, std::nullopt);
    Operation *shift = attention.rowMax ? attention.rowMax.getOperation()
                                        : attention.exp.getOperation();
    Running running;
    OpFoldResult one = builder.getIndexAttr(1);
    if (attention.rowMax)
      running.max = filled(part(shift, "first"), one,
                           std::numeric_limits<float>::lowest());
    running.sum = filled(part(attention.rowSum, "first"), one, 0);
    running.result =
        filled(part(attention.output, "first"), valueColumns.size, 0);
    // Whole tiles in the loop, so that their sizes are constants; the rest
    // behind it.
    OpFoldResult end = keys;
    if (count)
      end = builder.getIndexAttr(*count / keyTile * keyTile);
    auto values = [](const Running &each) {
      SmallVector<Value> list;
      if (each.max)
        list.push_back(each.max);
      list.append({each.sum, each.result});
      return list;
    };
    auto asIndex = [&](OpFoldResult size) {
      return getValueOrCreateConstantIndexOp(builder, loc, size);
    };
    auto loop = builder.create<scf::ForOp>(
        loc, asIndex(zero), asIndex(end),
        asIndex(builder.getIndexAttr(keyTile)), values(running));
    auto unpack = [&](ValueRange list) {
      Running each;
      unsigned next = 0;
      if (attention.rowMax)
        each.max = list[next++];
      each.sum = list[next++];
      each.result = list[next];
      return each;
    };
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      OpFoldResult offset = loop.getInductionVar();
      OpFoldResult size = tileSize(builder, loc, end, offset, keyTile);
      FailureOr<Running> next =
          step({offset, size}, unpack(loop.getRegionIterArgs()));
      if (failed(next))
        return failure();
      builder.create<scf::YieldOp>(loc, values(*next));
    }
    Running done = unpack(loop.getResults());
    if (count && *count % keyTile)
      return step({end, builder.getIndexAttr(*count % keyTile)}, done);
    return done;
  }

  /// One tile of keys more; without `before` it is the first and only one.
  FailureOr<Running> step(Cut columns, std::optional<Running> before) {
    IRMapping made;
    Location loc = attention.scores.getLoc();
    bool keysFirst = attention.scores.getTransposeRhs();
    Value k = keysFirst ? slice(loc, attention.scores.getRhs(), columns, depth)
                        : slice(loc, attention.scores.getRhs(), depth, columns);
    Value scores = builder.create<tw::MatmulOp>(
        loc, tileType(columns.size), queries, k, Value(),
        attention.scores.getTransposeLhs(), keysFirst);
    made.map(attention.scores.getResult(),
             asType(loc, scores,
                    typeOf(attention.scores.getResult()).getElementType()));
    for (Operation *op : attention.score)
      if (failed(cloneOnTiles(op, columns, made)))
        return failure();

    Running next;
    Location expLoc = attention.exp.getLoc();
    Value x = asF32(expLoc, made.lookup(attention.x));
    Value kept; // of what was summed before, as seen from the new maximum
    if (attention.rowMax) {
      Operation *maxOp = attention.rowMax;
      Value largest = builder.create<tw::ReduceOp>(
          maxOp->getLoc(), tileType(builder.getIndexAttr(1)), x,
          tw::ReduceKind::Max, ArrayRef<int64_t>{1}, true);
      Value old = before ? before->max
                         : filledScalar(part(maxOp, "first"),
                                        std::numeric_limits<float>::lowest());
      next.max =
          builder.create<tw::MaximumOp>(part(maxOp, "running"), largest, old);
      if (before) {
        Value lost =
            builder.create<tw::SubOp>(part(maxOp, "shift"), old, next.max);
        kept =
            builder.create<tw::ExpOp>(part(maxOp, "rescale"), centered(lost));
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
        carriedSum = builder.create<tw::MulOp>(part(sumOp, "rescaled"),
                                               carriedSum, kept);
        carried = builder.create<tw::MulOp>(part(attention.output, "rescaled"),
                                            carried, kept);
      }
    }
    if (attention.rowMax)
      x = builder.create<tw::SubOp>(part(attention.exp, "centered"), x,
                                    next.max);
    Value power = builder.create<tw::ExpOp>(expLoc, centered(x));
    next.sum = builder.create<tw::ReduceOp>(
        sumOp->getLoc(), tileType(builder.getIndexAttr(1)), power,
        tw::ReduceKind::Sum, ArrayRef<int64_t>{1}, true);
    if (before)
      next.sum = builder.create<tw::AddOp>(part(sumOp, "running"), carriedSum,
                                           next.sum);

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
            asType(attention.normalize->getLoc(), undivided,
                   typeOf(attention.normalize->getResult(0)).getElementType()));
      return bool(undivided);
    };
    bool passed = !normalizesBefore || passNormalize();
    for (Operation *op : attention.weight) {
      if (failed(cloneOnTiles(op, columns, made)))
        return failure();
      passed = passed || passNormalize();
    }
    Location outLoc = attention.output.getLoc();
    bool transposed = attention.output.getTransposeRhs();
    Value v =
        transposed
            ? slice(outLoc, attention.output.getRhs(), valueColumns, columns)
            : slice(outLoc, attention.output.getRhs(), columns, valueColumns);
    next.result = builder.create<tw::MatmulOp>(
        outLoc, tileType(valueColumns.size),
        made.lookup(attention.output.getLhs()), v, carried, false, transposed);
    return next;
  }

  Value filledScalar(Location loc, double value) {
    return builder.create<tw::FullOp>(
        loc, RankedTensorType::get({}, builder.getF32Type()), value);
  }

  /// The factors between the shift and the exponential.
  Value centered(Value x) {
    for (Operation *op : attention.centered) {
      if (isa<tw::CastOp>(op))
        continue; // all of this is f32
      unsigned factor = roleOf(op->getOperand(0).getDefiningOp()
                                   ? op->getOperand(0).getDefiningOp()
                                   : op) == OpRole::Fill
                            ? 0
                            : 1;
      Value number = filledScalar(
          op->getLoc(),
          fillValueOf(op->getOperand(factor).getDefiningOp()).value_or(1));
      x = isa<tw::DivOp>(op)
              ? builder.create<tw::DivOp>(op->getLoc(), x, number).getResult()
              : builder.create<tw::MulOp>(op->getLoc(), x, number).getResult();
    }
    return x;
  }

  /// The division, and what was written after the second matmul.
  Value finish(const Running &done) {
    IRMapping made;
    Location loc = attention.normalize->getLoc();
    Cut one = {builder.getIndexAttr(0), builder.getIndexAttr(1)};
    made.map(attention.rowSum.getResult(),
             asType(attention.rowSum.getLoc(), done.sum,
                    typeOf(attention.rowSum.getResult()).getElementType()));
    for (Operation *op : attention.divisor)
      if (failed(cloneOnTiles(op, one, made)))
        return Value();
    Type element = typeOf(attention.output.getResult()).getElementType();
    if (attention.normalizesAfter()) {
      made.map(attention.output.getResult(),
               asType(attention.output.getLoc(), done.result, element));
      for (Operation *op : attention.after)
        if (failed(cloneOnTiles(op, valueColumns, made)))
          return Value();
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

  void cleanUp() {
    foldViews(func);
    // The originals are dead now, users before what they use.
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(func.front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    IRRewriter rewriter(func.getContext());
    DominanceInfo dominance(func);
    eliminateCommonSubExpressions(rewriter, dominance, func);
    repairKeys(func);
  }

  func::FuncOp func;
  Attention attention;
  const target::Target &target;
  OpBuilder builder;
  int64_t rowTile = 1, keyTile = 1;
  OpFoldResult keys; ///< number of them
  Sizes batch;       ///< place in the batch, one index a dimension
  Cut rows;          ///< of the queries, in this task
  Cut depth;         ///< columns of queries and keys
  Value queries;     ///< tile of them
  Cut valueColumns;  ///< all of them
};

} // namespace

LogicalResult expandAttention(func::FuncOp scope,
                              const target::Target &target) {
  std::optional<Attention> attention = attentionOf(scope);
  if (!attention)
    return scope.emitError()
           << "is marked as attention and holds none [TW0304]";
  return AttentionExpander(scope, std::move(*attention), target).run();
}

} // namespace tilewright::pass
