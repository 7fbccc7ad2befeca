//===- KernelAccess.cpp - what a kernel touches of its arguments ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/KernelAccess.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

/// Elements [lower, lower + size) of one dimension; null `lower`: all of it.
struct Interval {
  AffineExpr lower;
  int64_t size = 0;
};

class AccessAnalysis {
public:
  explicit AccessAnalysis(block::KernelOp kernel)
      : kernel(kernel), context(kernel.getContext()),
        rank(kernel.getGridRank()) {
    Block &body = kernel.getBody().front();
    for (unsigned i = 0; i < rank; ++i)
      dims[body.getArgument(kernel.getNumBuffers() + i)] = i;
    touched.resize(kernel.getNumBuffers());
    reads.resize(kernel.getNumBuffers(), false);
    written.resize(kernel.getNumBuffers(), false);
  }

  ArrayAttr run() {
    kernel.getBody().walk([&](Operation *op) {
      block::Accesses accesses = block::accessesOf(op);
      for (Value value : accesses.reads)
        touch(value, false);
      for (Value value : accesses.writes)
        touch(value, true);
    });
    SmallVector<Attribute> result;
    for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
      auto type = cast<MemRefType>(kernel.getArgumentTypes()[i]);
      SmallVector<AffineExpr> lower;
      SmallVector<int64_t> sizes;
      for (int64_t d = 0; d < type.getRank(); ++d) {
        Interval interval = i < touched.size() && d < int64_t(touched[i].size())
                                ? touched[i][d]
                                : Interval();
        if (!interval.lower)
          interval = {getAffineConstantExpr(0, context), type.getDimSize(d)};
        lower.push_back(interval.lower);
        sizes.push_back(interval.size);
      }
      auto mode = !written[i] ? block::AccessMode::Read
                  : reads[i]  ? block::AccessMode::ReadWrite
                              : block::AccessMode::Write;
      result.push_back(block::AccessAttr::get(
          context, mode, AffineMap::get(rank, 0, lower, context), sizes));
    }
    return ArrayAttr::get(context, result);
  }

private:
  /// An index as an expression over grid coordinates and, behind them, the
  /// induction variables of loops.
  AffineExpr exprOf(OpFoldResult index) {
    if (std::optional<int64_t> constant = getConstantIntValue(index))
      return getAffineConstantExpr(*constant, context);
    auto value = cast<Value>(index);
    if (auto it = dims.find(value); it != dims.end())
      return getAffineDimExpr(it->second, context);
    if (auto apply = value.getDefiningOp<affine::AffineApplyOp>()) {
      SmallVector<AffineExpr> operands;
      for (Value operand : apply.getMapOperands()) {
        AffineExpr expr = exprOf(operand);
        if (!expr)
          return nullptr;
        operands.push_back(expr);
      }
      AffineMap map = apply.getAffineMap();
      return map.getResult(0).replaceDimsAndSymbols(
          ArrayRef(operands).take_front(map.getNumDims()),
          ArrayRef(operands).drop_front(map.getNumDims()));
    }
    auto argument = dyn_cast<BlockArgument>(value);
    auto loop = argument
                    ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                    : nullptr;
    if (!loop || loop.getInductionVar() != value)
      return nullptr;
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!lower || !upper || !step || *step < 1 || *upper <= *lower)
      return nullptr;
    unsigned dim = rank + loops.size();
    dims[value] = dim;
    loops.push_back({*lower, *lower + (*upper - *lower - 1) / *step * *step});
    return getAffineDimExpr(dim, context);
  }

  /// From the first to the last turn of every loop.
  Interval overLoops(AffineExpr offset, int64_t size) {
    if (!offset)
      return {};
    SmallVector<AffineExpr> first, last;
    for (unsigned d = 0; d < rank; ++d) {
      first.push_back(getAffineDimExpr(d, context));
      last.push_back(getAffineDimExpr(d, context));
    }
    for (auto [lower, upper] : loops) {
      first.push_back(getAffineConstantExpr(lower, context));
      last.push_back(getAffineConstantExpr(upper, context));
    }
    AffineExpr from = simplifyAffineExpr(offset.replaceDims(first), rank, 0);
    AffineExpr to = simplifyAffineExpr(offset.replaceDims(last), rank, 0);
    auto extra =
        dyn_cast<AffineConstantExpr>(simplifyAffineExpr(to - from, rank, 0));
    if (!extra || extra.getValue() < 0)
      return {};
    return {from, extra.getValue() + size};
  }

  static std::optional<int64_t> largest(OpFoldResult size) {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      return constant;
    auto min = cast<Value>(size).getDefiningOp<affine::AffineMinOp>();
    if (!min)
      return std::nullopt;
    std::optional<int64_t> least;
    for (AffineExpr expr : min.getMap().getResults())
      if (auto constant = dyn_cast<AffineConstantExpr>(expr))
        least =
            std::min(least.value_or(constant.getValue()), constant.getValue());
    return least;
  }

  void touch(Value memref, bool write) {
    Value root = block::underlyingBuffer(memref);
    auto argument = dyn_cast<BlockArgument>(root);
    if (!argument || argument.getOwner()->getParentOp() != kernel ||
        argument.getArgNumber() >= kernel.getNumBuffers())
      return;
    unsigned index = argument.getArgNumber();
    (write ? written : reads)[index] = true;

    // Views from the argument inwards.
    SmallVector<Operation *> chain;
    for (Value view = memref; view != root;) {
      chain.push_back(view.getDefiningOp());
      view = cast<ViewLikeOpInterface>(view.getDefiningOp()).getViewSource();
    }
    int64_t rootRank = cast<MemRefType>(root.getType()).getRank();
    SmallVector<AffineExpr> offset(rootRank, getAffineConstantExpr(0, context));
    SmallVector<int64_t> size(cast<MemRefType>(root.getType()).getShape());
    SmallVector<int64_t> stride(rootRank, 1);
    SmallVector<unsigned> along(rootRank);
    for (int64_t d = 0; d < rootRank; ++d)
      along[d] = d;
    for (Operation *op : llvm::reverse(chain)) {
      auto view = dyn_cast<memref::SubViewOp>(op);
      if (!view)
        break; // another shape of the same elements: what was found so far
      llvm::SmallBitVector dropped = view.getDroppedDims();
      SmallVector<unsigned> kept;
      for (unsigned d = 0; d < along.size(); ++d) {
        unsigned at = along[d];
        AffineExpr from = exprOf(view.getMixedOffsets()[d]);
        std::optional<int64_t> count = largest(view.getMixedSizes()[d]);
        std::optional<int64_t> step =
            getConstantIntValue(view.getMixedStrides()[d]);
        if (!from || !offset[at] || !step)
          offset[at] = nullptr;
        else
          offset[at] = offset[at] + from * stride[at];
        if (count && step)
          size[at] =
              std::max<int64_t>(0, (*count - 1) * *step + 1) * stride[at];
        if (step)
          stride[at] *= *step;
        if (!dropped[d])
          kept.push_back(at);
      }
      along = std::move(kept);
    }
    SmallVector<Interval> region;
    for (int64_t d = 0; d < rootRank; ++d)
      region.push_back(overLoops(offset[d], size[d]));
    SmallVector<Interval> &all = touched[index];
    if (all.empty()) {
      all = std::move(region);
      return;
    }
    for (auto [known, more] : llvm::zip(all, region))
      known = hull(known, more);
  }

  Interval hull(Interval a, Interval b) {
    if (!a.lower || !b.lower)
      return {};
    auto apart = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(b.lower - a.lower, rank, 0));
    if (!apart)
      return {};
    int64_t shift = apart.getValue();
    if (shift < 0)
      return {b.lower, std::max(b.size, a.size - shift)};
    return {a.lower, std::max(a.size, b.size + shift)};
  }

  block::KernelOp kernel;
  MLIRContext *context;
  unsigned rank;
  llvm::DenseMap<Value, unsigned> dims;
  SmallVector<std::pair<int64_t, int64_t>> loops; ///< first, last value
  SmallVector<SmallVector<Interval>> touched;
  SmallVector<bool> reads, written;
};

} // namespace

ArrayAttr accessOf(block::KernelOp kernel) {
  return AccessAnalysis(kernel).run();
}

} // namespace tilewright::pass
