//===- IterationSpace.cpp - the loops an operator stands for --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/IterationSpace.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using mlir::utils::IteratorType;

namespace tilewright::tw {

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The dimensions of an operand that broadcasts to `dims` of the result,
/// aligned at the end.
static SmallVector<int> aligned(Value operand, Value result, ArrayRef<int> dims,
                                size_t drop = 0) {
  ArrayRef<int64_t> shape = shapeOf(operand).drop_back(drop);
  ArrayRef<int64_t> target = shapeOf(result).drop_back(drop);
  size_t lead = target.size() - shape.size();
  SmallVector<int> map;
  for (size_t d = 0; d < shape.size(); ++d)
    map.push_back(shape[d] == 1 && target[lead + d] != 1
                      ? IterationSpace::stretched
                      : dims[lead + d]);
  return map;
}

static SmallVector<int> firstDims(int64_t count) {
  return llvm::to_vector(llvm::seq<int>(0, count));
}

/// One parallel dimension for each of the result.
static IterationSpace elementwiseSpace(Operation *op) {
  IterationSpace space;
  Value result = op->getResult(0);
  space.result = firstDims(shapeOf(result).size());
  space.iterators.assign(space.result.size(), IteratorType::parallel);
  for (Value operand : op->getOperands()) {
    if (isa<RankedTensorType>(operand.getType()))
      space.operands.push_back(aligned(operand, result, space.result));
    else
      space.operands.emplace_back();
  }
  return space;
}

static IterationSpace matmulSpace(MatmulOp op) {
  IterationSpace space;
  int batches = op.getNumBatches();
  int m = batches, n = batches + 1, k = batches + 2;
  space.result = firstDims(batches + 2);
  space.iterators.assign(batches + 2, IteratorType::parallel);
  space.iterators.push_back(IteratorType::reduction);
  for (int b = 0; b < batches; ++b)
    space.names.push_back("b" + std::to_string(b));
  space.names.append({"m", "n", "k"});

  ArrayRef<int> batchDims = ArrayRef<int>(space.result).drop_back(2);
  auto operand = [&](Value value, int row, int column, bool transpose) {
    SmallVector<int> map = aligned(value, op.getResult(), batchDims, 2);
    map.append({transpose ? column : row, transpose ? row : column});
    space.operands.push_back(map);
  };
  operand(op.getLhs(), m, k, op.getTransposeLhs());
  operand(op.getRhs(), k, n, op.getTransposeRhs());
  if (op.getAcc())
    space.operands.push_back(space.result);
  return space;
}

static IterationSpace reduceSpace(ReduceOp op) {
  IterationSpace space;
  SmallVector<int64_t> axes = op.getNormalizedAxes();
  int rank = shapeOf(op.getInput()).size();
  space.operands.push_back(firstDims(rank));
  for (int d = 0; d < rank; ++d) {
    bool reduced = llvm::is_contained(axes, d);
    space.iterators.push_back(reduced ? IteratorType::reduction
                                      : IteratorType::parallel);
    if (!reduced)
      space.result.push_back(d);
    else if (op.getKeepdims())
      space.result.push_back(IterationSpace::whole);
  }
  return space;
}

/// All dimensions of the first operand but `axis`, of which every point needs
/// the whole; further operands lie along the axis.
static IterationSpace rowSpace(Operation *op, int axis) {
  IterationSpace space;
  int rank = shapeOf(op->getOperand(0)).size();
  for (int d = 0, next = 0; d < rank; ++d)
    space.result.push_back(d == axis ? IterationSpace::whole : next++);
  space.iterators.assign(rank - 1, IteratorType::parallel);
  space.operands.push_back(space.result);
  for (unsigned i = 1; i < op->getNumOperands(); ++i)
    space.operands.push_back({IterationSpace::whole});
  return space;
}

static IterationSpace transposeSpace(TransposeOp op) {
  IterationSpace space;
  ArrayRef<int64_t> permutation = op.getPermutation();
  space.result = firstDims(permutation.size());
  space.iterators.assign(permutation.size(), IteratorType::parallel);
  SmallVector<int> input(permutation.size());
  for (auto [d, from] : llvm::enumerate(permutation))
    input[from] = d;
  space.operands.push_back(input);
  return space;
}

IterationSpace iterationSpace(Operation *op) {
  IterationSpace space;
  if (auto matmul = dyn_cast<MatmulOp>(op))
    space = matmulSpace(matmul);
  else if (auto reduce = dyn_cast<ReduceOp>(op))
    space = reduceSpace(reduce);
  else if (auto softmax = dyn_cast<SoftmaxOp>(op))
    space = rowSpace(op, softmax.getNormalizedAxis());
  else if (isa<RmsNormOp, LayerNormOp>(op))
    space = rowSpace(op, int(shapeOf(op->getOperand(0)).size()) - 1);
  else if (auto transpose = dyn_cast<TransposeOp>(op))
    space = transposeSpace(transpose);
  else
    space = elementwiseSpace(op);
  if (space.names.empty())
    for (size_t d = 0; d < space.iterators.size(); ++d)
      space.names.push_back("d" + std::to_string(d));
  return space;
}

int64_t IterationSpace::staticSizeOf(Operation *op, int dim) const {
  for (auto [d, from] : llvm::enumerate(result))
    if (from == dim && !ShapedType::isDynamic(shapeOf(op->getResult(0))[d]))
      return shapeOf(op->getResult(0))[d];
  for (auto [i, map] : llvm::enumerate(operands))
    for (auto [d, from] : llvm::enumerate(map))
      if (from == dim && !ShapedType::isDynamic(shapeOf(op->getOperand(i))[d]))
        return shapeOf(op->getOperand(i))[d];
  return ShapedType::kDynamic;
}

OpFoldResult IterationSpace::sizeOf(OpBuilder &b, Operation *op,
                                    int dim) const {
  if (int64_t size = staticSizeOf(op, dim); !ShapedType::isDynamic(size))
    return b.getIndexAttr(size);
  for (auto [i, map] : llvm::enumerate(operands))
    for (auto [d, from] : llvm::enumerate(map))
      if (from == dim)
        return tensor::getMixedSize(b, op->getLoc(), op->getOperand(i), d);
  if (auto full = dyn_cast<FullOp>(op))
    return OpFoldResult(
        full.getDynamicSizes()[full.getType().getDynamicDimIndex(dim)]);
  // A result of `?` along which every operand is 1.
  return b.getIndexAttr(1);
}

/// Which loops of a linalg contraction are m, n and k; empty if it is none or
/// has several of a kind.
static SmallVector<std::string> contractionNames(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op))
    return {};
  auto dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.size() > 1 || dims->n.size() > 1 ||
      dims->k.size() != 1)
    return {};
  SmallVector<std::string> names(op.getNumLoops());
  for (auto [i, d] : llvm::enumerate(dims->batch))
    names[d] = "b" + std::to_string(i);
  for (unsigned d : dims->m)
    names[d] = "m";
  for (unsigned d : dims->n)
    names[d] = "n";
  names[dims->k.front()] = "k";
  return names;
}

SmallVector<std::string> iterationNames(Operation *op) {
  auto tileable = dyn_cast<TilingInterface>(op);
  if (!tileable)
    return {};
  if (isa_and_nonnull<TensorDialect>(op->getDialect()))
    return iterationSpace(op).names;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    if (auto names = contractionNames(linalgOp); !names.empty())
      return names;
  SmallVector<std::string> names;
  for (size_t d = 0; d < tileable.getLoopIteratorTypes().size(); ++d)
    names.push_back("d" + std::to_string(d));
  return names;
}

} // namespace tilewright::tw
