//===- CompilationSource.h - a text read once, to be compiled ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <atomic>
#include <map>
#include <string>

namespace tilewright::frontend {

/// What a compilation needs of a text; nothing in it refers to the text.
struct CompilationSource {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null on errors
  std::vector<model::Diagnostic> diagnostics;
  /// Key -> where the operation's or argument's name is written.
  std::map<std::string, model::TextRange, std::less<>> keyRanges;
  double milliseconds = 0; ///< measured: lexing, parsing, verifying, keys
};

/// Reads `text` in `context`. `cancel` may be null; when it is set the module
/// is null and there may be no diagnostic.
CompilationSource readForCompilation(const std::string &uri,
                                     const std::string &text,
                                     mlir::MLIRContext *context,
                                     const std::atomic<bool> *cancel = nullptr);

} // namespace tilewright::frontend
