//===- MemoryMapBuilder.h - the memory map of a Block graph -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/MemoryMap.h"
#include "core/target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::inspect {

/// The buffers of every kernel of `module`, a Block graph with offsets, in
/// address and time, against what `target`'s levels hold. `pass` is left empty.
/// n log n in the instructions. Buffers without an offset are left out:
/// `hasOffsets` tells whether there are any.
model::MemoryMap buildMemoryMap(mlir::ModuleOp module,
                                const target::Target &target);

/// Whether `module` has kernels and all their buffers have offsets.
bool hasOffsets(mlir::ModuleOp module);

} // namespace tilewright::inspect
