//===- IterationViews.cpp - operands seen from an iteration ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/IterationViews.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/execute/RunError.h"

using namespace mlir;
using tilewright::tw::IterationSpace;

namespace tilewright::execute {

using Sizes = std::vector<int64_t>;

static ArrayRef<int64_t> typeShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

void throwSizes(Operation *op, const std::string &what) {
  throw RunError("TW0516",
                 "'" + op->getName().getStringRef().str() + "': " + what,
                 primaryKey(op).str(),
                 "a ? never stretches; give inputs whose sizes agree");
}

Sizes iterationSizes(Operation *op, const IterationSpace &space,
                     ArrayRef<TensorRef> operands, ArrayRef<int64_t> given) {
  Sizes sizes(space.iterators.size(), -1);
  auto join = [&](int dim, int64_t size, const std::string &who) {
    if (sizes[dim] >= 0 && sizes[dim] != size)
      throwSizes(op, who + " has " + std::to_string(size) + " along " +
                         space.names[dim] + ", others " +
                         std::to_string(sizes[dim]));
    sizes[dim] = size;
  };
  for (auto [i, map] : llvm::enumerate(space.operands))
    for (auto [d, dim] : llvm::enumerate(map))
      if (dim >= 0)
        join(dim, operands[i]->shape()[d], "operand " + std::to_string(i));
  ArrayRef<int64_t> type = typeShape(op->getResult(0));
  size_t next = 0;
  for (auto [d, dim] : llvm::enumerate(space.result)) {
    if (dim < 0)
      continue;
    if (isa<tw::FullOp>(op) && ShapedType::isDynamic(type[d])) {
      if (given[next] < 0)
        throwSizes(op, "size " + std::to_string(given[next]) +
                           " of dimension " + std::to_string(d));
      join(dim, given[next++], "an operand");
    } else if (!ShapedType::isDynamic(type[d])) {
      join(dim, type[d], "the result type");
    }
  }
  for (int64_t &size : sizes)
    if (size < 0)
      size = 1; // only stretched dimensions of 1 met here
  return sizes;
}

Sizes resultSizes(Operation *op, const IterationSpace &space,
                  const Sizes &sizes, ArrayRef<TensorRef> operands) {
  Sizes shape;
  ArrayRef<int64_t> type = typeShape(op->getResult(0));
  for (auto [d, dim] : llvm::enumerate(space.result))
    shape.push_back(dim >= 0                         ? sizes[dim]
                    : ShapedType::isDynamic(type[d]) ? operands[0]->shape()[d]
                                                     : type[d]);
  return shape;
}

StridedView broadcastView(const HostTensor &operand, ArrayRef<int> map,
                          size_t rank) {
  Sizes own = rowMajorStrides(operand.shape());
  StridedView view{0, Sizes(rank, 0)};
  for (auto [d, dim] : llvm::enumerate(map))
    if (dim >= 0)
      view.strides[dim] = own[d];
  return view;
}

} // namespace tilewright::execute
