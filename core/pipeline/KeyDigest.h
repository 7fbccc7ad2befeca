//===- KeyDigest.h - which keys a pass touched ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace tilewright {

/// For each key a number that stands for the operations that carry it: their
/// names, attributes, types, and the keys of what they use. Order does not
/// count. Relative keys of scopes that `module` calls are bound. Valid in one
/// context and process only.
using KeyDigests = llvm::StringMap<uint64_t>;

KeyDigests digestByKey(mlir::ModuleOp module);

/// Keys that came, went or changed; sorted, at most `limit`.
std::vector<std::string> changedKeys(const KeyDigests &before,
                                     const KeyDigests &after,
                                     size_t limit = 1000);

} // namespace tilewright
