//===- KernelAccess.cpp - what a kernel touches of its arguments ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/KernelAccess.h"
#include "core/pass/tile/TileSize.h"
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
    std::reverse(chain.begin(), chain.end());
    ArrayRef<int64_t> rootShape = cast<MemRefType>(root.getType()).getShape();
    // First the whole argument may be seen under another shape.
    SmallVector<int64_t> shape(rootShape);
    auto isShape = [](Operation *op) {
      return isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op);
    };
    auto cuts = llvm::find_if_not(chain, isShape);
    if (cuts != chain.begin())
      shape = llvm::to_vector(
          cast<MemRefType>((*std::prev(cuts))->getResult(0).getType())
              .getShape());
    unsigned dimensions = shape.size();
    SmallVector<AffineExpr> offset(dimensions,
                                   getAffineConstantExpr(0, context));
    SmallVector<int64_t> size(shape), stride(dimensions, 1);
    SmallVector<unsigned> along =
        llvm::to_vector(llvm::seq<unsigned>(0, dimensions));
    for (Operation *op : llvm::make_range(cuts, chain.end())) {
      auto view = dyn_cast<memref::SubViewOp>(op);
      if (!view)
        break; // another shape of a part: what was found so far
      llvm::SmallBitVector dropped = view.getDroppedDims();
      SmallVector<unsigned> kept;
      for (unsigned d = 0; d < along.size(); ++d) {
        unsigned at = along[d];
        AffineExpr from = exprOf(view.getMixedOffsets()[d]);
        std::optional<int64_t> count = upperBound(view.getMixedSizes()[d]);
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
    SmallVector<Interval> seen;
    for (unsigned d = 0; d < dimensions; ++d)
      seen.push_back(overLoops(offset[d], size[d]));
    SmallVector<Interval> region =
        cuts == chain.begin() ? seen : inShape(seen, shape, rootShape);
    SmallVector<Interval> &all = touched[index];
    if (all.empty()) {
      all = std::move(region);
      return;
    }
    for (auto [known, more] : llvm::zip(all, region))
      known = hull(known, more);
  }

  /// A region of `shape` in the dimensions of `root`, both row-major over the
  /// same elements: dimensions whose sizes multiply to the same are taken
  /// together, and where several of `shape` make up one of `root` the region is
  /// the hull there. Anything else is whole.
  SmallVector<Interval> inShape(ArrayRef<Interval> region,
                                ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> root) {
    SmallVector<Interval> result(root.size());
    size_t r = 0, d = 0;
    while (r < root.size() && d < shape.size()) {
      size_t firstRoot = r, first = d;
      int64_t rootSize = root[r++], size = shape[d++];
      while (rootSize != size) {
        if (rootSize < size && r < root.size())
          rootSize *= root[r++];
        else if (size < rootSize && d < shape.size())
          size *= shape[d++];
        else
          return SmallVector<Interval>(root.size()); // no elements
      }
      // Ones behind belong to either; they must not stand for themselves.
      while (d < shape.size() && shape[d] == 1)
        ++d;
      while (r < root.size() && root[r] == 1)
        ++r;
      size_t wide = firstRoot;
      unsigned wides = 0;
      for (size_t i = firstRoot; i < r; ++i)
        if (root[i] != 1)
          wide = i, ++wides;
      if (wides > 1)
        continue;
      AffineExpr lower = getAffineConstantExpr(0, context);
      int64_t stride = 1, extent = 1;
      bool known = true;
      for (size_t i = d; i-- > first;) {
        known &= bool(region[i].lower);
        if (!known)
          break;
        lower = lower + region[i].lower * stride;
        extent += (region[i].size - 1) * stride;
        stride *= shape[i];
      }
      if (known)
        result[wide] = {simplifyAffineExpr(lower, rank, 0),
                        std::max<int64_t>(0, extent)};
    }
    return result;
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
