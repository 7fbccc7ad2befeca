//===- ExpandAttention.cpp - attention as an online softmax ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/ExpandAttention.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/tile/AttentionMask.h"
#include "core/pass/tile/AttentionSteps.h"
#include "core/pass/tile/FoldViews.h"
#include "core/pass/tile/ScopeProblem.h"
#include "core/pass/tile/ScopeSpace.h"
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include <limits>

using namespace mlir;

namespace tilewright::pass {
namespace {

using Sizes = SmallVector<OpFoldResult>;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

class AttentionExpander : AttentionSteps {
public:
  AttentionExpander(func::FuncOp func, Attention attention,
                    const target::Target &target)
      : AttentionSteps(std::move(attention), func.getContext()), func(func),
        target(target), band(visibleKeysOf(func)) {}

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
    body = grid.getBody();
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
    FailureOr<Value> tile = finish(*done);
    if (failed(tile))
      return failure();

    Sizes offsets(batch), sizes(batches, builder.getIndexAttr(1));
    offsets.append({rows.offset, valueColumns.offset});
    sizes.append({rows.size, valueColumns.size});
    Sizes strides(offsets.size(), builder.getIndexAttr(1));
    builder.setInsertionPointToEnd(grid.getTerminator().getBody());
    builder.create<tensor::ParallelInsertSliceOp>(
        whole.getLoc(), *tile, grid.getRegionIterArgs().front(), offsets, sizes,
        strides);
    Value made = grid.getResult(0);
    if (auto reshape = ret.getOperand(0).getDefiningOp<tw::ReshapeOp>()) {
      builder.setInsertionPoint(ret);
      made = builder.create<tw::ReshapeOp>(reshape.getLoc(), reshape.getType(),
                                           made);
    }
    ret.setOperand(0, made);
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
  Value slice(Location loc, Value source, Cut first, Cut second) override {
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

  //===--------------------------------------------------------------------===//
  // Along the keys
  //===--------------------------------------------------------------------===//

  RankedTensorType typeFor(OpFoldResult columns) override {
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
    return builder.create<tw::FullOp>(loc, typeFor(columns), dynamic,
                                      builder.getF64FloatAttr(value));
  }

  FailureOr<Running> overKeys() {
    Location loc = attention.output.getLoc();
    std::optional<int64_t> count = getConstantIntValue(keys);
    OpFoldResult zero = builder.getIndexAttr(0);
    if (count && *count <= keyTile)
      return step({zero, keys}, std::nullopt);
    // One whole tile and a rest: a loop would have a single turn.
    if (count && !band && *count < 2 * keyTile) {
      OpFoldResult whole = builder.getIndexAttr(keyTile);
      FailureOr<Running> first = step({zero, whole}, std::nullopt);
      return failed(first)
                 ? first
                 : step({whole, builder.getIndexAttr(*count - keyTile)},
                        *first);
    }
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
    OpFoldResult first = zero, last = end;
    if (band && count)
      std::tie(first, last) = visibleTiles(loc, *count);
    auto loop = builder.create<scf::ForOp>(
        loc, asIndex(first), asIndex(last),
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
    auto fill = [&](scf::ForOp loop, Cut columns) -> LogicalResult {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      if (!columns.offset) {
        columns.offset = loop.getInductionVar();
        columns.size = tileSize(builder, loc, end, columns.offset, keyTile);
      }
      FailureOr<Running> next = step(columns, unpack(loop.getRegionIterArgs()));
      if (failed(next))
        return failure();
      builder.create<scf::YieldOp>(loc, values(*next));
      return success();
    };
    if (failed(fill(loop, {})))
      return failure();
    Running done = unpack(loop.getResults());
    if (!count || *count % keyTile == 0)
      return done;
    Cut rest = {end, builder.getIndexAttr(*count % keyTile)};
    if (!band)
      return step(rest, done);
    // Once, or not at all.
    auto once = builder.create<scf::ForOp>(loc, asIndex(end),
                                           asIndex(visibleEnd(loc, *count)),
                                           asIndex(rest.size), values(done));
    if (failed(fill(once, rest)))
      return failure();
    return unpack(once.getResults());
  }

  //===--------------------------------------------------------------------===//
  // What the mask hides: decision::keySteps, as index arithmetic
  //===--------------------------------------------------------------------===//

  /// The place of the rows at hand plus `constant`.
  AffineExpr rowsPlus(int64_t constant) {
    if (std::optional<int64_t> known = getConstantIntValue(rows.offset))
      return builder.getAffineConstantExpr(*known + constant);
    return builder.getAffineDimExpr(0) + constant;
  }

  OpFoldResult least(Location loc, ArrayRef<AffineExpr> of) {
    return affine::makeComposedFoldedAffineMin(
        builder, loc, AffineMap::get(1, 0, of, builder.getContext()),
        {rows.offset});
  }

  /// One behind the last key that one of the rows sees.
  OpFoldResult visibleEnd(Location loc, int64_t count) {
    SmallVector<AffineExpr> ends = {
        builder.getAffineConstantExpr(std::min(count, band->to))};
    if (band->rowTo != decision::KeyBand::far)
      ends.push_back(rowsPlus(rowTile - 1 + band->rowTo));
    return least(loc, ends);
  }

  /// The range of whole tiles of keys that some of the rows see.
  std::pair<OpFoldResult, OpFoldResult> visibleTiles(Location loc,
                                                     int64_t count) {
    auto down = [&](AffineExpr key) { return key.floorDiv(keyTile) * keyTile; };
    auto constant = [&](int64_t value) {
      return builder.getAffineConstantExpr(value);
    };
    SmallVector<AffineExpr> begins = {constant(0)},
                            ends = {constant(count / keyTile * keyTile)};
    if (band->from != -decision::KeyBand::far)
      begins.push_back(down(constant(band->from)));
    if (band->rowFrom != -decision::KeyBand::far)
      begins.push_back(down(rowsPlus(band->rowFrom)));
    if (band->to != decision::KeyBand::far)
      ends.push_back(down(constant(band->to + keyTile - 1)));
    if (band->rowTo != decision::KeyBand::far)
      ends.push_back(down(rowsPlus(rowTile - 1 + band->rowTo + keyTile - 1)));
    OpFoldResult begin = affine::makeComposedFoldedAffineMax(
        builder, loc, AffineMap::get(1, 0, begins, builder.getContext()),
        {rows.offset});
    return {begin, least(loc, ends)};
  }

  /// A constant, made once for all steps: before the loop, so that its buffer
  /// is not taken by another in between.
  Value number(Location loc, double value, Type element) override {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(body);
    return builder.create<tw::FullOp>(loc, RankedTensorType::get({}, element),
                                      value);
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
  const target::Target &target;
  int64_t rowTile = 1, keyTile = 1;
  Block *body = nullptr; ///< of the grid
  OpFoldResult keys;     ///< number of them
  Sizes batch;           ///< place in the batch, one index a dimension
  std::optional<decision::KeyBand> band;
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
