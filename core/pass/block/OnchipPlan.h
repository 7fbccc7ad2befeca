//===- OnchipPlan.h - room for on-chip buffers ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BufferLife.h"
#include "core/target/Target.h"

namespace tilewright::pass {

using block::BufferLife;
using block::usesOfBuffer;

/// The buffers of one level with their offsets, and how far they reach.
struct LevelPlan {
  std::string level;
  llvm::SmallVector<BufferLife, 8> buffers;
  int64_t top = 0;
  int64_t usable = 0;
  bool mayOverflow = false; ///< a cache that is too small is only slow

  bool fits() const { return mayOverflow || top <= usable; }
};

/// Offsets for all buffers of `kernel`, level by level; nothing is changed.
/// TW0309 if a buffer lies at a level the target lacks.
mlir::FailureOr<llvm::SmallVector<LevelPlan, 4>>
planOnchip(block::KernelOp kernel, const target::Target &target);

} // namespace tilewright::pass
