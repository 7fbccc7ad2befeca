//===- PassList.h - the passes in the order they run ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include "core/target/Target.h"
#include "mlir/Pass/Pass.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

/// What passes are made from. Outlives the passes.
struct PassInputs {
  const target::Target *target = nullptr;
  std::vector<model::Pin> pins;
  /// Filled by choose-tiles.
  std::vector<model::Decision> *decisions = nullptr;
  /// Part of the on-chip memory that default tiles may take; lowered when
  /// allocate-onchip did not find room.
  double budget = 1.0;
};

/// Program passes see the whole module. Scope passes see a module that holds
/// one scope, and their results are shared by scopes of the same content.
enum class PassUnit { Program, Scope };

struct PassEntry {
  std::string stage;
  std::string name; ///< with "@n" from the second time it runs
  PassUnit unit;
  std::function<std::unique_ptr<mlir::Pass>(const PassInputs &)> create;
};

/// All passes: program passes up to choose-tiles, then the scope passes, then
/// program passes again.
const std::vector<PassEntry> &passList();

} // namespace tilewright
