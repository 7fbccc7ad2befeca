//===- BlockSnapshot.h - any Block snapshot made executable -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <cstdint>
#include <map>
#include <string>

namespace tilewright::execute {

/// Turns one scope, after any pass of the block stage, into what
/// BlockInterpreter takes, without changing what it computes:
///
/// - a function on buffers whose last `results` arguments are written becomes a
///   `block.program`, and each `scf.forall` in it a `block.kernel` that is
///   dispatched over its grid;
/// - every `block.alloc` that has no offset yet gets one of its own, so that no
///   two of them share bytes; `levelBytes` (bytes of each level by name) grows
///   by what they take. Buffers that do have an offset keep it, and are held to
///   the capacity that `levelBytes` came with by their place below.
///
/// Throws RunError TW0561 for a module that holds neither.
void makeExecutable(mlir::ModuleOp module, unsigned results,
                    std::map<std::string, int64_t> &levelBytes);

} // namespace tilewright::execute
