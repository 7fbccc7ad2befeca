//===- BlockDecoder.h - from the Block graph to its code --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/BlockCode.h"
#include "core/model/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <optional>
#include <variant>

namespace tilewright::execute {

/// Decodes the block.program named `program` (the only one if empty) and the
/// kernels it dispatches. `levelBytes` gives the size of each on-chip level of
/// the target. An operation that cannot be executed, a level the target lacks,
/// a buffer without an address or beyond its level's end is an error that names
/// the operation's key.
std::variant<BlockCode, model::Diagnostic>
decodeBlock(mlir::ModuleOp module, llvm::StringRef program,
            const std::map<std::string, int64_t> &levelBytes);

} // namespace tilewright::execute
