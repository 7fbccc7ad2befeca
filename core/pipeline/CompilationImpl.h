//===- CompilationImpl.h - what a compilation holds -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TiledScope.h"
#include "core/frontend/SourceDocument.h"
#include "core/pass/TargetPass.h"
#include "core/pipeline/Session.h"
#include "core/pipeline/Snapshot.h"
#include "mlir/IR/MLIRContext.h"
#include <map>

namespace tilewright {

/// An MLIR context shared by the compilations made in it.
using SharedContext = std::shared_ptr<mlir::MLIRContext>;

struct Compilation::Impl {
  SharedContext context;
  model::StageTable table;
  std::vector<model::Decision> decisions;
  std::vector<decision::TiledScope>
      scopes;                      ///< one a kernel, as often as it runs
  std::vector<Snapshot> snapshots; ///< one a changed pass, in order
  /// Pass name -> index in `snapshots`; a pass that changed nothing has the
  /// index of the last one that did.
  std::map<std::string, size_t> snapshotIndex;
  /// The text it was made from, read; null for what is no text.
  std::shared_ptr<const frontend::SourceSnapshot> source;
  pass::TargetPtr target;
  std::vector<model::Override> overrides; ///< it was made with
  OverrideOutcomes overrideOutcomes;      ///< of these

  /// Null if there is no such snapshot; `error` then says so.
  const Snapshot *find(const std::string &name, model::Diagnostic *error) const;
  mlir::OwningOpRef<mlir::ModuleOp>
  module(const Snapshot &snapshot,
         Snapshot::ScopeKeys keys = Snapshot::ScopeKeys::Bound) const;
};

} // namespace tilewright
