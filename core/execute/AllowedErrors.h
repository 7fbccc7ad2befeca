//===- AllowedErrors.h - how far a result may be off ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An error carried through the operators that follow, to first order. For
// every value there is a tensor of the largest absolute difference between what
// a compiled program may compute and what the interpreter does: nothing for
// inputs and constants, and for an operator what its operands' differences
// become by it plus what it adds by rounding:
//
//   matmul        (c |A| + E_A) (|B| + E_B) + |A| E_B + E_acc + underflow, with
//                 c = 4 eps sqrt(k), eps = 2^-24 (Higham, Accuracy and
//                 Stability of Numerical Algorithms, 2nd ed., section 3.5, with
//                 the square root for errors of either sign)
//   elementwise   the largest change of the result when each operand moves to
//                 either end of its range
//   sum, mean     the sum of the errors and 4 eps sqrt(n) of the magnitudes'
//   prod          prod (|x| + E) - prod |x|, n eps of it for its roundings, and
//                 2^-126 prod max(1, |x| + E) for one flushed to zero on the
//                 way
//   max, min      the largest error
//   softmax       p_i (E_i + sum_j p_j E_j)
//   norms         by the derivatives of x s(x): see the .cpp
//   gelu          written out as x/2 (1 + erf(x/sqrt(2))): for x < 0 the sum
//                 cancels and leaves the roundings of erf next to -1
//   sigmoid, silu written out with 1 / (1 + e^-x): e^-x is infinite from
//                 x = -88.7 on, the quotient 0
//   data movement moved alike
//
// and with each result one unit in the last place of a 16-bit type, or of f32
// one for arithmetic and eight for functions such as exp.
//
// A program may round a 16-bit value between two operators or keep it in f32;
// both are within this.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/TensorOperators.h"

namespace tilewright::execute {

/// What is known of one value: exactly the same everywhere (no tensor), a
/// largest absolute difference (f64, of the value's shape), or nothing.
struct AllowedError {
  bool known = false;
  TensorRef tensor;

  static AllowedError exact() { return {true, nullptr}; }
};

/// What holds for `result`, which `op` made of `operands`, those being off by
/// up to `errors`. Unknown where the operator's is not worked out
/// (compare) or an operand's is not known. Throws as evaluateOperator does.
AllowedError allowedError(mlir::Operation *op,
                          llvm::ArrayRef<TensorRef> operands,
                          llvm::ArrayRef<AllowedError> errors,
                          const HostTensor &result,
                          const EvaluateOptions &options = {});

} // namespace tilewright::execute
