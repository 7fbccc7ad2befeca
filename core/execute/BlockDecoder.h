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

struct KernelCodes {
  BlockCode code; ///< without a program
  std::vector<RoutineCode> programs;
};

/// Decodes every kernel, dispatched or not, and every program. Errors as above.
std::variant<KernelCodes, model::Diagnostic>
decodeKernels(mlir::ModuleOp module,
              const std::map<std::string, int64_t> &levelBytes);

} // namespace tilewright::execute
