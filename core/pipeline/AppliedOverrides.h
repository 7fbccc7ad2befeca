//===- AppliedOverrides.h - overrides put in force --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "core/model/Override.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// What became of one override.
struct OverrideOutcome {
  enum Kind { NotReached, InForce, Conflicting, Stale, Refused, Elsewhere };
  Kind kind = NotReached;
  /// Why it is not in force, without a place in the source; of those that
  /// cannot be.
  std::optional<model::Diagnostic> problem;
};

/// Outcomes by the name of the override.
using OverrideOutcomes = std::map<std::string, OverrideOutcome>;

/// The overrides of one compilation, put in the place of what passes leave.
class AppliedOverrides {
public:
  AppliedOverrides(std::vector<model::Override> overrides, std::string target);

  bool empty() const { return overrides.empty(); }
  const std::vector<model::Override> &all() const { return overrides; }

  /// To be called behind each pass: over the whole program, or, with `scope`,
  /// over that scope in a module of its own. Puts what is written for it in
  /// place of what the pass left, each if that is still what it was written
  /// for and the result is right by all verifiers. The names of those it did.
  std::vector<std::string> apply(const std::string &pass, mlir::ModuleOp module,
                                 llvm::StringRef scope);

  /// Behind the last pass that concerns `scope`: those of the scope that met
  /// nothing are stale.
  OverrideOutcomes outcomesOf(llvm::StringRef scope) const;
  /// What was found when the scope was compiled before.
  void take(const OverrideOutcomes &known);

  /// What makes the result of a scope another one; empty if nothing is written
  /// for it.
  std::string contentFor(llvm::StringRef scope) const;

  OverrideOutcomes outcomes; ///< so far

private:
  void applyOne(const model::Override &override, mlir::ModuleOp module);

  std::vector<model::Override> overrides;
};

/// `overrides` that the passes before choose-tiles obey.
std::vector<model::Override>
formingOverrides(const std::vector<model::Override> &overrides);

} // namespace tilewright
