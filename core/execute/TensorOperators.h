//===- TensorOperators.h - reference semantics of tw operators --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Tensor/TensorDialect.h"
#include "core/execute/CompareTensors.h"
#include "core/execute/HostTensor.h"
#include "mlir/IR/Operation.h"
#include <atomic>
#include <memory>

namespace tilewright::execute {

using TensorRef = std::shared_ptr<const HostTensor>;

/// What a long evaluation looks at.
struct EvaluateOptions {
  const std::atomic<bool> *cancel = nullptr;
};

/// Runs one `tw` operator: everything in double, rounded once to the result's
/// element type. `operands` holds a tensor for each tensor operand (null for
/// others), `sizes` the values of index operands. Runs on the caller's TBB
/// arena. Throws RunError: TW0511 (memory), TW0510 (no such operator), TW0516
/// (sizes of `?` that differ), TW0519 (cancelled).
HostTensor evaluateOperator(mlir::Operation *op,
                            llvm::ArrayRef<TensorRef> operands,
                            llvm::ArrayRef<int64_t> sizes,
                            const EvaluateOptions &options = {});

/// |A| |B|, k and underflow of a `tw.matmul`.
MatmulBound matmulBound(mlir::Operation *op, llvm::ArrayRef<TensorRef> operands,
                        const EvaluateOptions &options = {});

/// MatmulBound::underflow of a `tw.matmul`: 2^-126 for each of its k steps and
/// for each unit of the largest sum along k of |A|, and of |B|.
double matmulUnderflow(mlir::Operation *op, llvm::ArrayRef<TensorRef> operands);

/// The element of an MLIR type, index as i64. Throws RunError TW0510 for
/// others.
Element elementOfType(mlir::Type type);

/// A zeroed tensor; throws RunError TW0511.
HostTensor makeTensor(Element element, std::vector<int64_t> shape);

/// Throws RunError TW0519 if cancelled.
void throwIfCancelled(const EvaluateOptions &options);

/// Fills `result` from blocks: `fill(begin, values)` gives the elements
/// [begin, begin + values.size()), in parallel.
void fillBlocks(HostTensor &result, const EvaluateOptions &options,
                llvm::function_ref<void(int64_t, std::span<double>)> fill);

/// a x b summed in double: matrices are the last two dimensions of each view
/// in turn, leading ones are batches, broadcast by strides of 0.
struct BatchedMatmul {
  std::vector<int64_t> batch;
  int64_t m = 0, n = 0, k = 0;
  std::vector<int64_t> lhsBatchStrides, rhsBatchStrides;
  int64_t lhsRow = 0, lhsColumn = 0, rhsRow = 0, rhsColumn = 0;
};
/// `acc` may be null. The result is rounded to `element`.
HostTensor evaluateMatmul(const BatchedMatmul &shape, const HostTensor &lhs,
                          const HostTensor &rhs, const HostTensor *acc,
                          Element element, bool magnitudes,
                          const EvaluateOptions &options);

/// The product of a `tw.matmul` for other values than its own: `operands` are
/// those it has, `lhs`, `rhs` and `acc` (or null) tensors of the same shapes.
HostTensor multiplyAs(mlir::Operation *op, llvm::ArrayRef<TensorRef> operands,
                      const HostTensor &lhs, const HostTensor &rhs,
                      const HostTensor *acc, Element element, bool magnitudes,
                      const EvaluateOptions &options);

/// `input` reduced over `axes` to a tensor of `shape`.
HostTensor evaluateReduce(tw::ReduceKind kind, llvm::ArrayRef<int64_t> axes,
                          std::vector<int64_t> shape, Element element,
                          const HostTensor &input,
                          const EvaluateOptions &options);

} // namespace tilewright::execute
