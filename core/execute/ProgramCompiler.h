//===- ProgramCompiler.h - a block.program as a compiled program -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/CompiledProgram.h"
#include "core/execute/CpuFeatures.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::execute {

/// Compiles the block.program named `name` (the only one if empty) with its
/// kernels for `cpu`. A dispatch without dependencies of its own waits for
/// every earlier dispatch that writes what it touches, or touches what it
/// writes.
std::variant<CompiledProgram, model::Diagnostic>
compileProgram(mlir::ModuleOp module, llvm::StringRef name,
               const CpuFeatures &cpu);

} // namespace tilewright::execute
