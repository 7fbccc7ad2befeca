//===- PassList.h - the passes in the order they run ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/DecisionKinds.h"
#include "core/decision/TiledScope.h"
#include "core/model/Decision.h"
#include "core/model/Diagnostic.h"
#include "core/pass/TargetPass.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

/// What passes are made from and what some of them say besides.
struct PassInputs {
  pass::TargetPtr target;
  decision::PinsFile pins;
  /// Share of on-chip memory that default tiles of a scope may take; lowered
  /// when allocate-onchip did not find room.
  std::map<std::string, double> budgets;

  std::vector<model::Decision> formedDecisions;     ///< by form-scopes
  std::vector<model::Diagnostic> formedDiagnostics; ///< its pins
  std::vector<model::Decision> decisions; ///< by choose-tiles, then by scopes
  std::vector<decision::TiledScope> tiledScopes; ///< by choose-tiles
  decision::MissingKey missing; ///< what is known of pins' keys
  /// By the passes over the scope in work; its keys are relative.
  std::vector<model::Decision> scopeDecisions;
  std::vector<model::Diagnostic> diagnostics; ///< refused and unused pins
};

/// Program passes see the whole module. Scope passes see a module that holds
/// one scope, and their results are shared by scopes of the same content.
enum class PassUnit { Program, Scope };

struct PassEntry {
  std::string stage;
  std::string name; ///< with "@n" from the second time it runs
  PassUnit unit;
  std::function<std::unique_ptr<mlir::Pass>(PassInputs &)> create;
};

/// All passes: program passes up to choose-tiles, then the scope passes, then
/// program passes again.
const std::vector<PassEntry> &passList();

/// Position of choose-tiles in `passes`: what to go back to when tiles did not
/// fit.
size_t chooseTilesPosition(const std::vector<PassEntry> &passes);

} // namespace tilewright
