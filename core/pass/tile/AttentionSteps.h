//===- AttentionSteps.h - attention, some keys at a time --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pass/tile/AttentionScope.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::pass {

/// A range of one dimension.
struct Cut {
  mlir::OpFoldResult offset, size;
};

/// What is carried along the keys for some rows of queries, in f32.
struct Running {
  mlir::Value max;    ///< one a row; null where none is subtracted
  mlir::Value sum;    ///< one a row
  mlir::Value result; ///< not yet divided
};

/// Builds the steps of an online softmax (ExpandAttention.h has the formulas),
/// either on tiles or on whole tensors: what a part of an operand is, is left
/// to who derives from it.
class AttentionSteps {
public:
  AttentionSteps(Attention attention, mlir::MLIRContext *context)
      : attention(std::move(attention)), builder(context) {}
  virtual ~AttentionSteps() = default;

protected:
  /// The part of `source` at the rows and matrices at hand, at `first` of its
  /// last dimension but one and `second` of its last; a dimension of 1 is
  /// whole. Lower ranks line up at the last dimension.
  virtual mlir::Value slice(mlir::Location loc, mlir::Value source, Cut first,
                            Cut second) = 0;
  /// Of the rows at hand times `columns`, in f32.
  virtual mlir::RankedTensorType typeFor(mlir::OpFoldResult columns) = 0;
  /// A constant of rank 0.
  virtual mlir::Value number(mlir::Location loc, double value,
                             mlir::Type element) = 0;
  mlir::Value number(mlir::Location loc, double value) {
    return number(loc, value, builder.getF32Type());
  }

  /// The rows of queries, which all steps read.
  void takeQueries();
  /// Keys `columns` more; without `before` they are the first.
  mlir::FailureOr<Running> step(Cut columns, std::optional<Running> before);
  /// The division, and what was written after the second matmul.
  mlir::FailureOr<mlir::Value> finish(const Running &done);

  /// Name of the step as a suffix of keys; empty where all steps are one loop.
  std::string suffix;
  mlir::Location part(mlir::Operation *op, llvm::StringRef name);
  mlir::Location part(mlir::Operation *op);

  /// Whether the second matmul adds to the result so far itself.
  bool accumulates = true;
  Attention attention;
  mlir::OpBuilder builder;
  Cut rows;         ///< of the queries
  Cut valueColumns; ///< all of them

private:
  mlir::Value asType(mlir::Location loc, mlir::Value value, mlir::Type element);
  mlir::Value asF32(mlir::Location loc, mlir::Value value) {
    return asType(loc, value, builder.getF32Type());
  }
  mlir::FailureOr<mlir::Value> operandPart(mlir::Operation *user,
                                           mlir::Value operand, Cut columns,
                                           const mlir::IRMapping &made);
  /// `op` on parts.
  mlir::LogicalResult cloneOnParts(mlir::Operation *op, Cut columns,
                                   mlir::IRMapping &made);
  /// The factors between the shift and the exponential.
  mlir::Value centered(mlir::Value x);
  mlir::Value reduceRows(mlir::Location loc, tw::ReduceKind kind,
                         mlir::Value x);

  Cut depth; ///< columns of queries and keys
  mlir::Value queries;
};

} // namespace tilewright::pass
