//===- TileDialect.h - the Tile graph ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Tile/BoundKeys.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "core/dialect/Tile/TileDialect.h.inc"
#include "core/dialect/Tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "core/dialect/Tile/TileAttributes.h.inc"

#define GET_OP_CLASSES
#include "core/dialect/Tile/TileOps.h.inc"

namespace tilewright::tile {

/// Unit attribute on a function: it is a scope.
inline constexpr llvm::StringLiteral scopeAttrName = "tile.scope";
/// Array of strings on the call of a scope; entry i is what `$i` stands for.
inline constexpr llvm::StringLiteral bindingsAttrName = "tile.bindings";
/// Array of strings on the call of a scope with several results: their keys.
inline constexpr llvm::StringLiteral resultsAttrName = "tile.results";
/// Dictionary level -> dimension -> size on the operation that roots a scope.
inline constexpr llvm::StringLiteral sizesAttrName = "tile.sizes";
/// On the root of a scope: into how many parts its rows are cut that are
/// reduced side by side. Integer attribute; absent: not cut.
inline constexpr llvm::StringLiteral splitAttrName = "tile.split";

/// Shape of an r x c matrix held in `layout`: 2-D, or 3-D for `packed`.
/// Dynamic sizes stay dynamic.
llvm::SmallVector<int64_t> physicalShape(LayoutAttr layout,
                                         llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::tile
