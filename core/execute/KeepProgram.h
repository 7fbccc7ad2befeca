//===- KeepProgram.h - one program out of a Block graph ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::execute {

/// Erases from `module` every block.program but the one named `name`, and the
/// kernels that only the others dispatch: what cannot be coded of them is no
/// fault of this one. Does nothing if there is no such program.
void keepProgram(mlir::ModuleOp module, llvm::StringRef name);

} // namespace tilewright::execute
