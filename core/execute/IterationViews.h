//===- IterationViews.h - operands seen from an iteration -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What evaluates a `tw` operator walks over the points of its iteration space;
// here is how many there are along each dimension and where operands lie.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Tensor/IterationSpace.h"
#include "core/execute/StridedCopy.h"
#include "core/execute/TensorOperators.h"

namespace tilewright::execute {

/// Throws RunError TW0516: sizes of `?` that disagree in `op`.
[[noreturn]] void throwSizes(mlir::Operation *op, const std::string &what);

/// The sizes of the iteration dimensions, all operands agreeing on them.
/// `given`: the values of index operands. Throws RunError TW0516.
std::vector<int64_t> iterationSizes(mlir::Operation *op,
                                    const tw::IterationSpace &space,
                                    llvm::ArrayRef<TensorRef> operands,
                                    llvm::ArrayRef<int64_t> given);

/// The shape of the result for iteration dimensions of `sizes`.
std::vector<int64_t> resultSizes(mlir::Operation *op,
                                 const tw::IterationSpace &space,
                                 const std::vector<int64_t> &sizes,
                                 llvm::ArrayRef<TensorRef> operands);

/// How an elementwise operand is seen from a result of `rank` dimensions;
/// `map` gives the dimension each of the operand's runs along, -1 for none.
StridedView broadcastView(const HostTensor &operand, llvm::ArrayRef<int> map,
                          size_t rank);

} // namespace tilewright::execute
