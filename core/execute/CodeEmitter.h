//===- CodeEmitter.h - machine code from LLVM dialect modules ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/CpuFeatures.h"
#include "core/model/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <variant>

namespace tilewright::execute {

enum class CodeKind {
  Llvm,     ///< LLVM IR as text, after optimisation
  Assembly, ///< as text
  Object    ///< an ELF object, position independent
};

/// Code for `cpu` from a module in the LLVM dialect. What is emitted is already
/// in registers and vectors, so only cheap passes of LLVM run on it, but the
/// code generator works at its best. Error: TW0444.
std::variant<std::string, model::Diagnostic>
emitCode(mlir::ModuleOp module, const CpuFeatures &cpu, CodeKind kind);

} // namespace tilewright::execute
