//===- MissingData.h - constants whose values are not there -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/SourceDocument.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::frontend {

/// What printers write for values they leave out.
inline constexpr llvm::StringLiteral leftOutValues = "__elided__";

/// MLIR names a resource `r_39` that texts read before in the same context
/// named `r` as well; the name as it stands in `text`.
llvm::StringRef writtenResource(llvm::StringRef name, llvm::StringRef text);

/// Makes `entry`, about a constant with `leftOutValues`, say that (TW0024).
void describeMissingData(model::Diagnostic &entry);

/// Tells (TW0024) of each constant of `module`, made from `source`, that names
/// a resource without data: one left out when the text was printed, or of a
/// section that was cut off. MLIR takes it for a constant like any other. False
/// if there is none.
bool reportMissingData(mlir::ModuleOp module, const SourceSnapshot &source,
                       std::vector<model::Diagnostic> &diagnostics);

} // namespace tilewright::frontend
