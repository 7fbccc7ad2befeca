//===- NamedPrinter.h - IR as text, with the source's names -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Stage.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright::inspect {

struct PrintLimits {
  int64_t bytes = int64_t(64) << 20; ///< the text is cut behind a line
  int64_t constantElements = 4096;   ///< larger constants are elided
};

/// The text of `root` (verified, not changed) as MLIR prints it, with values
/// named as in the source: the last part of their key. Parses again to the same
/// IR unless cut or elided. A span per operation names its keys. `stage` and
/// `pass` are left empty. Near linear.
model::PrintedStage printNamed(mlir::Operation *root,
                               const PrintLimits &limits = {});

/// As above, with each operation's range in the text, in print order.
model::PrintedStage printNamed(
    mlir::Operation *root, const PrintLimits &limits,
    std::vector<std::pair<mlir::Operation *, model::TextRange>> &operations);

/// The name, without `%`, that printNamed gives each value below `root`.
llvm::DenseMap<mlir::Value, std::string> printedNames(mlir::Operation *root);

} // namespace tilewright::inspect
