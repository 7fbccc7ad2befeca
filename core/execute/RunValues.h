//===- RunValues.h - what SSA values hold during a run ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/HostTensor.h"
#include "core/execute/ScalarCode.h"
#include "core/execute/TensorOperators.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <variant>

namespace tilewright::execute {

/// A tensor that may be written in place once nobody else holds it.
using HeldTensor = std::shared_ptr<HostTensor>;
using RunValue = std::variant<Scalar, HeldTensor>;

/// The values of a function while it runs.
class RunValues {
public:
  explicit RunValues(const EvaluateOptions &options) : options(options) {}

  const EvaluateOptions &options;

  void set(mlir::Value value, RunValue held) {
    values[value] = std::move(held);
  }
  void setInteger(mlir::Value value, int64_t integer) {
    Scalar scalar;
    scalar.i = integer;
    set(value, scalar);
  }
  void setTensor(mlir::Value value, HostTensor tensor) {
    set(value, std::make_shared<HostTensor>(std::move(tensor)));
  }
  const RunValue &get(mlir::Value value) const {
    return values.find(value)->second;
  }
  bool has(mlir::Value value) const { return values.contains(value); }
  const Scalar &scalar(mlir::Value value) const {
    return std::get<Scalar>(get(value));
  }
  const HeldTensor &tensor(mlir::Value value) const {
    return std::get<HeldTensor>(get(value));
  }
  void forget(mlir::Value value) { values.erase(value); }

  /// The tensor of `value` to be written by `op`: itself if `op` is the last to
  /// see it and sees it once, else a copy.
  HeldTensor takeForWriting(mlir::Value value, mlir::Operation *op);

  /// The values of the operation's block that nobody reads after `op`.
  llvm::ArrayRef<mlir::Value> endingAt(mlir::Operation *op);

  /// Mixed static and dynamic offsets, sizes or strides as numbers.
  std::vector<int64_t> numbers(llvm::ArrayRef<mlir::OpFoldResult> mixed) const;

private:
  void findEnds(mlir::Block *block);

  llvm::DenseMap<mlir::Value, RunValue> values;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> ends;
  llvm::DenseMap<mlir::Block *, bool> known;
};

/// Runs one operation of `linalg`; false if it is none.
bool runLinalg(mlir::Operation *op, RunValues &values);

/// Runs one operation of `tensor`, `arith`, `math` or `affine`, or a
/// `tile.move`; false if it is none that is known.
bool runUpstream(mlir::Operation *op, RunValues &values);

} // namespace tilewright::execute
