//===- OperationRoles.h - what an operation is for a reader -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace tilewright::inspect {

enum class Role {
  Compute,  ///< the work itself
  Plumbing, ///< slices, casts, index arithmetic: how work is cut, not work
  Constant,
  Move,
  Buffer,
  Sync,
  Dispatch,
  Grid,
  Loop,
  Function,
  Scope,
  Kernel,
  Program,
  Module,
  Terminator
};

Role roleOf(mlir::Operation *op);
/// True for the roles whose operations enclose others.
bool isGroup(Role role);

} // namespace tilewright::inspect
