//===- Report.h - diagnostics for a person ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "core/tools/tilewright/SourceFile.h"
#include <vector>

namespace tilewright::tool {

/// One diagnostic as text:
///
///   ffn.mlir:5:11: error: … [TW0101]
///     %gate = tw.matmul %x, %w_gate : …
///             ^~~~~~~~~
///     hint: …
///
/// `source` may be null; long lines are cut around the place.
std::string formatDiagnostic(const model::Diagnostic &diagnostic,
                             const SourceFile *source, bool color);

/// Prints to standard error, at most 50; says how many more there are.
void printDiagnostics(const std::vector<model::Diagnostic> &diagnostics,
                      const SourceFile *source);

bool hasError(const std::vector<model::Diagnostic> &diagnostics);

} // namespace tilewright::tool
