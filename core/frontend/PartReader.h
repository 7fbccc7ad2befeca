//===- PartReader.h - single functions and kernels from a text --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::frontend {

/// A top-level function or kernel as it stands in a text.
struct TextPart {
  std::string symbol;     ///< without `@`
  model::TextRange range; ///< in the text it was cut from
  /// Its lines, as far left as can be, behind the aliases it uses: a text of
  /// its own.
  std::string text;
};

/// Cuts a text of any quality into its functions and kernels, whether a module
/// is around them or not. Resources at its end belong to none.
std::vector<TextPart> splitParts(std::string_view text);

/// Everything that is wrong with `text`, as of a source; but what it calls may
/// be defined elsewhere.
std::vector<model::Diagnostic> checkParts(mlir::MLIRContext &context,
                                          const std::string &uri,
                                          const std::string &text,
                                          const std::atomic<bool> *cancel);

/// One function or kernel, read.
struct ReadPart {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< holds `op` and nothing else
  mlir::Operation *op = nullptr;            ///< null on errors
  /// Ranges in the text.
  std::vector<model::Diagnostic> diagnostics;
};

/// Reads a text that is one part, with the same care as a source. Operations
/// have keys, of their part's symbol and their names in the text, and places in
/// the text (lines count from 1) on their locations. What they call need not
/// exist.
ReadPart readPart(mlir::MLIRContext &context, const std::string &text,
                  const std::atomic<bool> *cancel);

} // namespace tilewright::frontend
