//===- StageAttention.cpp - attention in chunks of keys -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/StageAttention.h"
#include "core/dialect/Key.h"
#include "core/pass/tile/AttentionSteps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

class AttentionStager : AttentionSteps {
public:
  explicit AttentionStager(Attention attention)
      : AttentionSteps(std::move(attention), attention.output->getContext()) {
    accumulates = false;
  }

  LogicalResult run(int64_t chunk) {
    builder.setInsertionPoint(attention.result.getDefiningOp());
    ArrayRef<int64_t> shape = attention.scores.getType().getShape();
    int64_t keys = shape.back();
    auto whole = [&](int64_t size) {
      return Cut{builder.getIndexAttr(0), builder.getIndexAttr(size)};
    };
    rows = whole(shape[shape.size() - 2]);
    valueColumns = whole(attention.output.getType().getShape().back());
    takeQueries();
    std::optional<Running> running;
    for (int64_t from = 0, i = 0; from < keys; from += chunk, ++i) {
      suffix = ".keys" + std::to_string(i);
      FailureOr<Running> next =
          step({builder.getIndexAttr(from),
                builder.getIndexAttr(std::min(chunk, keys - from))},
               running);
      if (failed(next))
        return failure();
      running = *next;
    }
    suffix.clear();
    FailureOr<Value> result = finish(*running);
    if (failed(result))
      return failure();
    attention.result.replaceAllUsesWith(*result);
    for (Operation *op : llvm::reverse(attention.ops))
      op->erase();
    return success();
  }

private:
  Value slice(Location loc, Value source, Cut first, Cut second) override {
    RankedTensorType type = typeOf(source);
    int64_t rank = type.getRank();
    SmallVector<int64_t> offsets(rank, 0), sizes(type.getShape());
    auto cut = [&](int64_t d, Cut range) {
      if (d < 0 || type.getDimSize(d) == 1)
        return;
      offsets[d] = *getConstantIntValue(range.offset);
      sizes[d] = *getConstantIntValue(range.size);
    };
    cut(rank - 2, first);
    cut(rank - 1, second);
    if (ArrayRef<int64_t>(sizes) == type.getShape())
      return source;
    return builder.create<tw::SliceOp>(
        loc, RankedTensorType::get(sizes, type.getElementType()), source,
        builder.getDenseI64ArrayAttr(offsets),
        builder.getDenseI64ArrayAttr(sizes), nullptr);
  }

  RankedTensorType typeFor(OpFoldResult columns) override {
    SmallVector<int64_t> shape(attention.scores.getType().getShape());
    shape.back() = *getConstantIntValue(columns);
    return RankedTensorType::get(shape, builder.getF32Type());
  }

  Value number(Location loc, double value, Type element) override {
    return builder.create<tw::FullOp>(loc, RankedTensorType::get({}, element),
                                      value);
  }
};

/// Keys of one chunk; 0 where whole rows will do.
int64_t chunkOf(int64_t keys, const target::Target &target) {
  const target::Placement *vector = target.placement("elementwise");
  if (!vector || vector->result.empty())
    return 0;
  // A row is held a few times over: scores, mask, weights. Four rows of a chunk
  // are something to compute side by side.
  constexpr int64_t copies = 3, elementBytes = 4, rowsOfChunk = 4,
                    granule = 128, mostChunks = 64;
  int64_t fits = target.usableBytes(vector->result.front().level) /
                 (copies * elementBytes);
  int64_t longest = fits / rowsOfChunk / granule * granule;
  if (longest <= 0 || keys * 2 <= fits)
    return 0;
  int64_t chunks = (keys + longest - 1) / longest;
  if (chunks > mostChunks)
    return 0;
  int64_t even = (keys + chunks - 1) / chunks;
  return (even + granule - 1) / granule * granule;
}

} // namespace

void stageAttentions(func::FuncOp func, const target::Target &target) {
  const target::Placement *matmul = target.placement("matmul");
  const target::Placement *vector = target.placement("elementwise");
  if (!matmul || !vector || matmul->core == vector->core)
    return;
  SmallVector<tw::MatmulOp> matmuls(func.getOps<tw::MatmulOp>());
  for (tw::MatmulOp output : matmuls) {
    AttentionMatch match = matchAttention(output);
    if (!match.attention)
      continue;
    for (Operation *op : match.attention->ops)
      for (Type type : op->getResultTypes())
        if (!cast<RankedTensorType>(type).hasStaticShape())
          return;
    int64_t keys = match.attention->scores.getType().getShape().back();
    if (int64_t chunk = chunkOf(keys, target); chunk && chunk < keys)
      (void)AttentionStager(std::move(*match.attention)).run(chunk);
  }
}

} // namespace tilewright::pass
