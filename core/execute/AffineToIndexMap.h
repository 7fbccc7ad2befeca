//===- AffineToIndexMap.h - MLIR's affine maps as index maps ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/IndexMap.h"
#include "mlir/IR/AffineMap.h"
#include <optional>

namespace tilewright::execute {

/// The same map; its inputs are the dimensions, then the symbols. Empty if an
/// expression nests deeper than an index map evaluates (64 operands waiting).
std::optional<IndexMap> toIndexMap(mlir::AffineMap map);

} // namespace tilewright::execute
