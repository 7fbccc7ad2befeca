//===- AttributeSyntax.h - attributes as a person writes them ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace tilewright::tw {

/// The attribute dictionary of a `tw` operator, without type suffixes:
/// `{kind = sum, axes = [-1], keepdims, epsilon = 1.0e-05}`. What builtin
/// syntax writes longer (`array<i64: -1>`, `#tw.reduce_kind<sum>`) is read too.
mlir::ParseResult parseAttributes(mlir::OpAsmParser &parser,
                                  mlir::NamedAttrList &attributes);
void printAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     mlir::DictionaryAttr attributes);

} // namespace tilewright::tw
