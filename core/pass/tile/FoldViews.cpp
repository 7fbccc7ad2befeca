//===- FoldViews.cpp - reshapes and transposes that move nothing ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/FoldViews.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;

namespace tilewright::pass {

static bool isReturned(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::ReturnLike>();
  });
}

bool isView(Operation *op) {
  auto whole = [](Value value) {
    return cast<RankedTensorType>(value.getType()).hasStaticShape();
  };
  // A tile of a grid is no whole tensor.
  if (!isa_and_nonnull<func::FuncOp>(op->getParentOp()) || op->use_empty() ||
      isReturned(op))
    return false;
  if (auto reshape = dyn_cast<tw::ReshapeOp>(op)) {
    Operation *from = reshape.getInput().getDefiningOp();
    return whole(reshape.getInput()) && whole(reshape.getResult()) &&
           !(from && roleOf(from) == OpRole::Fill);
  }
  if (auto transpose = dyn_cast<tw::TransposeOp>(op)) {
    ArrayRef<int64_t> order = transpose.getPermutation();
    int64_t rank = order.size();
    Operation *from = transpose.getInput().getDefiningOp();
    return rank >= 2 && !(from && roleOf(from) == OpRole::Fill) &&
           (order[rank - 1] == rank - 1 || order[rank - 2] == rank - 1) &&
           llvm::all_of(op->getUses(), [](OpOperand &use) {
             return isa<tw::MatmulOp>(use.getOwner()) &&
                    use.getOperandNumber() < 2;
           });
  }
  return false;
}

/// One dimension, through which two shapes of the same elements meet.
static Value flattened(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 1)
    return value;
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  SmallVector<ReassociationIndices> groups;
  if (type.getRank() == 0)
    return builder.create<tensor::ExpandShapeOp>(loc, flat, value, groups);
  groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  return builder.create<tensor::CollapseShapeOp>(loc, flat, value, groups);
}

static Value reshaped(OpBuilder &builder, Location loc, Value value,
                      RankedTensorType to) {
  Value flat = flattened(builder, loc, value);
  if (to.getRank() == 1)
    return flat;
  SmallVector<ReassociationIndices> groups;
  if (to.getRank() == 0)
    return builder.create<tensor::CollapseShapeOp>(loc, to, flat, groups);
  groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, to.getRank())));
  return builder.create<tensor::ExpandShapeOp>(loc, to, flat, groups);
}

static void throughTranspose(tw::TransposeOp transpose);

/// `slice` of a transpose as a slice of what is transposed, then transposed
/// itself if dimensions of more than one element changed their order.
static void throughTranspose(tensor::ExtractSliceOp slice,
                             tw::TransposeOp transpose) {
  OpBuilder builder(slice);
  ArrayRef<int64_t> order = transpose.getPermutation();
  unsigned rank = order.size();
  SmallVector<OpFoldResult> offsets(rank), sizes(rank), strides(rank);
  llvm::SmallBitVector droppedBefore = slice.getDroppedDims();
  llvm::SmallBitVector dropped(rank);
  for (unsigned d = 0; d < rank; ++d) {
    offsets[order[d]] = slice.getMixedOffsets()[d];
    sizes[order[d]] = slice.getMixedSizes()[d];
    strides[order[d]] = slice.getMixedStrides()[d];
    dropped[order[d]] = droppedBefore[d];
  }
  auto type = slice.getType();
  // Dimensions of the tile in the order they have in the source.
  SmallVector<int64_t> place(rank, -1), shape, permutation(type.getRank());
  for (unsigned from = 0; from < rank; ++from)
    if (!dropped[from])
      place[from] = shape.size(), shape.push_back(0);
  unsigned at = 0;
  for (unsigned d = 0; d < rank; ++d)
    if (!droppedBefore[d]) {
      permutation[at] = place[order[d]];
      shape[place[order[d]]] = type.getDimSize(at);
      ++at;
    }
  Value made = builder.create<tensor::ExtractSliceOp>(
      slice.getLoc(), RankedTensorType::get(shape, type.getElementType()),
      transpose.getInput(), offsets, sizes, strides);
  if (!llvm::is_sorted(permutation))
    made = builder.create<tw::TransposeOp>(transpose.getLoc(), type, made,
                                           permutation);
  slice.replaceAllUsesWith(made);
  slice.erase();
  // Cuts of the cut: the transpose sinks to whoever computes.
  if (auto sunk = made.getDefiningOp<tw::TransposeOp>())
    throughTranspose(sunk);
}

static void throughTranspose(tw::TransposeOp transpose) {
  for (Operation *user : llvm::make_early_inc_range(transpose->getUsers()))
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
      throughTranspose(slice, transpose);
}

/// A matmul reads its operand transposed rather than a transposed operand.
static void intoMatmul(tw::MatmulOp matmul) {
  auto fold = [&](OpOperand &operand) {
    auto transpose = operand.get().getDefiningOp<tw::TransposeOp>();
    if (!transpose || transpose.getPermutation() != ArrayRef<int64_t>{1, 0})
      return false;
    operand.set(transpose.getInput());
    return true;
  };
  if (fold(matmul.getLhsMutable()))
    matmul.setTransposeLhs(!matmul.getTransposeLhs());
  if (fold(matmul.getRhsMutable()))
    matmul.setTransposeRhs(!matmul.getTransposeRhs());
}

void foldViews(func::FuncOp scope) {
  SmallVector<Operation *> views;
  for (Operation &op : scope.front())
    if (isa<tw::ReshapeOp, tw::TransposeOp>(op))
      views.push_back(&op);
  if (views.empty())
    return;
  // Users before what they view, so that a slice goes through all of them.
  for (Operation *op : llvm::reverse(views))
    if (auto transpose = dyn_cast<tw::TransposeOp>(op))
      throughTranspose(transpose);
  for (Operation *op : views)
    if (auto reshape = dyn_cast<tw::ReshapeOp>(op)) {
      OpBuilder builder(op);
      reshape.getResult().replaceAllUsesWith(
          reshaped(builder, op->getLoc(), reshape.getInput(),
                   reshape.getResult().getType()));
    }
  scope.walk([](tw::MatmulOp matmul) { intoMatmul(matmul); });
  scope.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isa<tw::TransposeOp, tw::ReshapeOp>(op) && op->use_empty())
      op->erase();
  });
}

} // namespace tilewright::pass
