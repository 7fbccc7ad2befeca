//===- ElementsBytes.h - constants as bytes ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/Element.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>
#include <span>
#include <vector>

namespace tilewright::execute {

/// The element of an MLIR type; empty for types that cannot be executed. Index
/// counts as i64.
std::optional<Element> elementOf(mlir::Type type);

/// Writes the elements of `value`, row-major, as they lie in memory to `into`,
/// which is of their size. False if the attribute is of a kind, or the element
/// of a type, that is not read; nothing is written then.
bool writeElements(mlir::ElementsAttr value, std::span<std::byte> into);

/// The elements of `value`, row-major, as they lie in memory. Empty optional if
/// the attribute is of a kind, or the element of a type, that is not read.
std::optional<std::vector<std::byte>> bytesOf(mlir::ElementsAttr value);

} // namespace tilewright::execute
