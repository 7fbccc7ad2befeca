//===- Snapshot.h - pass results that are kept -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include "core/model/Diagnostic.h"
#include "core/model/GraphPart.h"
#include "core/pipeline/AppliedOverrides.h"
#include "core/pipeline/KeptModule.h"
#include <string>
#include <vector>

namespace tilewright {

/// What a pass left, shared: a pass that changes nothing re-uses the one before
/// it.
using Kept = std::shared_ptr<const KeptModule>;

/// What one pass did to one scope.
struct ScopeStep {
  Kept module; ///< after the pass
  bool changed = false;
  double milliseconds = 0;
  int64_t operations = 0;
  std::vector<std::string> changedKeys; ///< relative to the scope
  std::vector<std::string> overrides;   ///< names of those in force behind it
};

/// A scope taken through the scope passes; shared by all instances with the
/// same content, decisions and target.
struct ScopeResult {
  std::string name;
  std::vector<ScopeStep> steps; ///< one a scope pass; fewer after an error
  std::vector<model::Decision> decisions; ///< with keys relative to the scope
  /// What passes said of it; keys are relative, ranges are not set.
  std::vector<model::Diagnostic> diagnostics;
  OverrideOutcomes overrides; ///< of those for this scope
  bool complete = false;
};

/// The graphs made of a snapshot, which compilations that share it share.
struct DrawnGraphs {
  struct Drawn {
    model::GraphPart part;
    bool execution = false; ///< as dispatches and tasks, not as its own stage
    std::shared_ptr<const model::Graph> graph;
  };
  std::mutex mutex;
  std::vector<Drawn> drawn; ///< a few, the last one asked for first
};

/// The whole program after one pass: the module that holds what is outside the
/// scopes, and the state of each scope, joined on demand.
struct Snapshot {
  std::string stage;
  std::string pass;
  Kept program;
  struct Scope {
    std::shared_ptr<const ScopeResult> result;
    size_t step = 0;
  };
  std::vector<Scope> scopes;
  Kept joined; ///< program and scopes in one module; null where not kept
  std::shared_ptr<DrawnGraphs> drawn = std::make_shared<DrawnGraphs>();

  std::string name() const { return stage + "/" + pass; }

  enum class ScopeKeys {
    Bound,   ///< replaced by all they stand for
    Relative ///< as they are, for who follows the calls
  };
  /// Program and scopes in one module. Kernels have bound keys in any case.
  mlir::OwningOpRef<mlir::ModuleOp>
  join(mlir::MLIRContext *context, ScopeKeys keys = ScopeKeys::Bound) const;
  /// Program and scopes for who only reads them and follows the calls: as they
  /// are, in several modules, while scopes are on tensors; joined with relative
  /// keys where they are not. Empty if something is damaged.
  std::vector<SharedModule> modules(mlir::MLIRContext *context) const;
};

/// Number of operations in `module`, itself not counted.
int64_t countOperations(mlir::ModuleOp module);

} // namespace tilewright
