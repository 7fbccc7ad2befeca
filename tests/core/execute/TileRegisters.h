//===- TileRegisters.h - AMX's tile registers in software -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace tilewright::test {

/// Replaces the intrinsics on tile registers in lowered kernels by calls of
/// functions that do what the manual says, on registers of the thread; so that
/// kernels that use them run on any machine. Returns how many there were.
int playTileRegisters(mlir::ModuleOp kernels);

/// What the played registers were asked that the real ones refuse: use without
/// a form, a form that is none, memory that is not readable as whole rows.
struct TileRegisterFaults {
  static void clear();
  /// Empty if there were none.
  static std::string text();
};

} // namespace tilewright::test
