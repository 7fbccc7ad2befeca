//===- BlockDialect.h - the Block graph -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "core/dialect/Block/BlockDialect.h.inc"
#include "core/dialect/Block/BlockEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "core/dialect/Block/BlockAttributes.h.inc"

#define GET_OP_CLASSES
#include "core/dialect/Block/BlockOps.h.inc"

namespace tilewright::block {

/// Name of global memory in every target.
inline constexpr llvm::StringLiteral globalLevel = "GM";

/// Unit attribute of an instruction whose result is written past the caches.
inline constexpr llvm::StringLiteral streamingAttrName = "block.streaming";

/// Integer attribute of a dispatch: its tasks go over strips of so many rows of
/// the grid (its last dimension but one), column by column in each. Absent or
/// 1: row by row.
inline constexpr llvm::StringLiteral orderAttrName = "block.order";

/// The level of a memref; global memory if it names none.
llvm::StringRef levelOf(mlir::MemRefType type);

/// `type` at level `level`.
mlir::MemRefType withLevel(mlir::MemRefType type, llvm::StringRef level);

/// Instructions are the operations with a `pipe` attribute slot: move, fill,
/// unary, …, generic. Events and barriers are not.
bool isInstruction(mlir::Operation *op);

/// The pipe an instruction is on; empty before one is chosen.
llvm::StringRef pipeOf(mlir::Operation *op);

/// Memrefs an instruction reads and writes. A destination that is accumulated
/// into is in both.
struct Accesses {
  llvm::SmallVector<mlir::Value, 4> reads;
  llvm::SmallVector<mlir::Value, 2> writes;
};
Accesses accessesOf(mlir::Operation *instruction);

/// The block.alloc, block.buffer, block.constant or block argument behind a
/// chain of views.
mlir::Value underlyingBuffer(mlir::Value memref);

} // namespace tilewright::block
