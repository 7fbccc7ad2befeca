//===- TensorInterpreter.h - the Tensor graph on real data ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/CompareTensors.h"
#include "core/execute/TensorOperators.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <functional>

namespace tilewright::execute {

struct TensorRunOptions {
  const std::atomic<bool> *cancel = nullptr;
  /// Called from the calling thread with the share done, 0 to 1.
  std::function<void(double)> progress;
  /// Threads to use; 0: all.
  int threads = 0;
  /// Also work out, for each result that is a matmul of inputs and constants,
  /// how far it may be off (costs one more matmul each).
  bool bounds = false;
  /// Also carry errors through every operator, for results without such a
  /// bound (several times the work; see AllowedErrors.h).
  bool carryErrors = false;
  /// Called with every tensor that an operation of a function's own block made
  /// (not those inside loops), and its bound as far as `bounds` and
  /// `carryErrors` give one. `call` is the innermost call under way; null in
  /// the function itself.
  std::function<void(mlir::OpResult result, const TensorRef &tensor,
                     const MatmulBound &bound, mlir::func::CallOp call)>
      observe;
  /// Asked first for every call whose callee has no body here: gives the
  /// results. May throw RunError.
  std::function<std::vector<TensorRef>(mlir::func::CallOp call,
                                       const std::vector<TensorRef> &arguments)>
      callMissing;
};

struct TensorRun {
  std::vector<TensorRef> results;
  /// One a result; empty where none is known (see compareTensors).
  std::vector<MatmulBound> bounds;
};

/// Runs a function of the Tensor graph, or of the Tile graph before place-tiles
/// and after: `tw`, `arith` and `math` on scalars and tensors, `linalg`,
/// `tensor`, `affine`, `scf.for`, `scf.if`, `scf.forall` (its tiles one after
/// the other), `tile.move` and calls. This is the reference: every operation
/// works in double and rounds once to its result's element type; values are let
/// go after their last use. A `tensor.empty` of floats holds NaN, so that what
/// no tile wrote does not look like a number.
///
/// Fails with TW0515 (an input's type or shape), TW0510 (an operation that is
/// not known here), TW0516 (sizes of `?` that disagree), TW0511 (memory),
/// TW0519 (cancelled). `error.key` is the operation's.
std::optional<TensorRun>
interpretTensorGraph(mlir::func::FuncOp function,
                     const std::vector<TensorRef> &inputs,
                     const TensorRunOptions &options, model::Diagnostic &error);

} // namespace tilewright::execute
