//===- TensorDialect.h - the Tensor graph -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Tensor/OperatorHooks.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "core/dialect/Tensor/TensorDialect.h.inc"
#include "core/dialect/Tensor/TensorEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "core/dialect/Tensor/TensorAttributes.h.inc"

#define GET_OP_CLASSES
#include "core/dialect/Tensor/TensorOps.h.inc"

namespace tilewright {

/// Makes the `tw` dialect, and the upstream ones its rewrites make, loadable.
void registerTensorDialect(mlir::DialectRegistry &registry);

namespace tw {

/// An operator of one operand that works element by element (not a cast).
bool isUnary(mlir::Operation *op);
/// An operator of two operands that works element by element (not a compare).
bool isBinary(mlir::Operation *op);
/// A unary or binary one, a cast, a compare or a select.
bool isElementwise(mlir::Operation *op);

} // namespace tw
} // namespace tilewright
