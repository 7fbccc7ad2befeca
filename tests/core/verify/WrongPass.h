//===- WrongPass.h - compiles with a pass that is wrong ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include "core/model/Verify.h"
#include "core/pipeline/PassList.h"
#include <functional>
#include <string>

/// Changes a module for the worse; false if it found nothing to change.
using Spoil = std::function<bool(mlir::ModuleOp)>;

/// A pass of its own, right behind the real one named `after`
/// ("tile/expand-tiles"), in the same unit.
struct WrongPass {
  std::string after;
  Spoil spoil;
  /// Its name in what verification says.
  std::string name() const;
};

/// Compiles `text` for `target` with `wrong` among the passes (none if its
/// `after` is empty) and `pins`, and verifies function @f on seeded inputs.
tilewright::model::VerifyResult
verifyWith(const std::string &text, const std::string &target,
           const WrongPass &wrong,
           const std::vector<tilewright::model::Pin> &pins = {});
