//===- OverrideText.h - a person's text in place of a pass's IR -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "core/model/Override.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// What makes the IR of a function or kernel another one than it was. Names
/// (its own, of what it calls, of the source's values) and places do not count;
/// the contents of constants do. Holds between processes.
std::string partFingerprint(mlir::Operation *part);

/// The IR that a person wrote for a part.
struct WrittenPart {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< holds `op` and nothing else
  mlir::Operation *op = nullptr;
  /// The locations operations shall have once the part is known to be right;
  /// until then they have their places in the text.
  std::vector<std::pair<mlir::Operation *, mlir::Location>> locations;

  /// Gives all operations their locations.
  void locate();
};

/// Reads the text of `override`, which stands for `now`: of the IR its base was
/// printed from, under whatever names. What the text leaves as its base has it
/// stays as it is in `now`: keys and places, names of functions called, and
/// constants too large to be shown. None and `problem` (without a place in the
/// source) if the text is wrong (TW0243), takes a constant that is not shown
/// away or makes one up (TW0244), or changes what is seen from outside
/// (TW0245).
std::optional<WrittenPart> writePart(const model::Override &override,
                                     mlir::Operation *now,
                                     model::Diagnostic &problem);

/// Line of a location in the text of an override; 0 if it has none.
unsigned lineInText(mlir::Location location);

/// "line 12 of its text (`%h = …`)"; empty for line 0.
std::string lineOfText(const std::string &text, unsigned line);

} // namespace tilewright
