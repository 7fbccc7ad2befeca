//===- BufferLife.h - when on-chip buffers are alive ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"

namespace tilewright::block {

/// A buffer and when it lives: from its first to its last use, positions in
/// program order, over all of a loop that it is used in but not made in.
struct BufferLife {
  AllocOp alloc;
  unsigned number = 0; ///< in program order
  unsigned first = 0, last = 0;
  int64_t bytes = 0;
  int64_t offset = 0;
  bool used = true; ///< false: nothing touches it; it lives where it is made
};

/// First and last position of every operation of a kernel in program order: a
/// loop spans those of its body, any other operation has one.
using ProgramPositions =
    llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>>;
ProgramPositions positionsIn(KernelOp kernel);

/// The lives of all buffers of `kernel`, in program order. `offset` is the
/// alloc's, or 0 if it has none yet.
llvm::SmallVector<BufferLife> livesIn(KernelOp kernel,
                                      const ProgramPositions &positions);

/// What uses a buffer or any view of it, views themselves aside.
llvm::SmallVector<mlir::Operation *> usesOfBuffer(mlir::Value buffer);

/// Bytes of a memref, each element rounded up to whole bytes.
int64_t bytesOf(mlir::MemRefType type);

} // namespace tilewright::block
