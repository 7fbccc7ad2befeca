//===- ElementGroup.h - instructions that share one loop nest ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/KernelEmitter.h"

namespace tilewright::execute {

/// Where a statement takes an operand from.
struct ElementOperand {
  MemoryView view;    ///< with the shape of the group; stride 0 where stretched
  int statement = -1; ///< an earlier statement whose result it is; -1: memory
};

/// One instruction of a group: element by element, or a reduction over the last
/// axis (then `dest` keeps its own shape).
struct ElementStatement {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<ElementOperand, 3> operands;
  MemoryView dest;
  mlir::Value destRoot;
  bool stored = true; ///< false: nothing outside the group reads it
  bool isReduce() const { return mlir::isa<block::ReduceOp>(op); }
};

/// Whether two allocs share bytes.
bool shareBytes(mlir::Value a, mlir::Value b);

struct KernelEmitter::Group {
  llvm::SmallVector<Index, 4> sizes;
  /// What the first loop over the next row will read: on its way from memory
  /// while this one computes.
  llvm::SmallVector<MemoryView, 2> upcoming;
  int64_t lanes = 1; ///< that the innermost loop does at a time
  std::vector<ElementStatement> statements;
};

} // namespace tilewright::execute
