//===- JoinProgram.h - the program of a function from its scopes -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::pass {

/// Brings what calls scopes into the form the scopes are in, so that a module
/// joined of scopes at any stage is valid:
///  - scopes on tensors: nothing is done;
///  - scopes in buffer form: the caller becomes a `block.program` that holds
///    `block.buffer`s and calls;
///  - scopes that are programs: their dispatches are inlined, relative keys are
///    bound (in kernels to the keys of all instances), the scopes go.
/// Does nothing the second time. Mixed forms of one caller are refused: TW0408.
mlir::LogicalResult joinProgram(mlir::ModuleOp module);

} // namespace tilewright::pass
