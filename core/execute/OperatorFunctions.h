//===- OperatorFunctions.h - functions of elementwise operators -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace tilewright::execute {

using UnaryFunction = double (*)(double);
using BinaryFunction = double (*)(double, double);

/// What a `tw` operator does to each element, in double; null if it is none
/// that takes one operand, or two.
UnaryFunction unaryFunction(mlir::Operation *op);
BinaryFunction binaryFunction(mlir::Operation *op);

} // namespace tilewright::execute
