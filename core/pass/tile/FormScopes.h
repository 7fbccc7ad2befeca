//===- FormScopes.h - group operations into kernel families -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/DecisionKinds.h"
#include "core/pass/TargetPass.h"
#include "core/pass/tile/ScopeGroups.h"
#include "mlir/IR/BuiltinOps.h"
#include <set>

namespace tilewright::pass {

/// Groups the tensor operations of every function into scopes and outlines each
/// to a private function with `tile.scope`; what is left are calls with
/// `tile.bindings`. Keys in scopes are relative (`$0`, `$1.row_max`), so that
/// equal scopes are one function whatever they are called.
///
/// What is grouped is told by ScopeGroups.h: by profit, under the room on chip.
struct FormedScopes {
  std::vector<model::Decision>
      decisions; ///< kinds `scope`, `split_k` and `core`
  std::vector<model::Diagnostic> diagnostics; ///< refused and unused pins
  std::set<const model::Pin *> usedPins;
};
mlir::FailureOr<FormedScopes>
formScopes(mlir::ModuleOp module, const target::Target &target,
           const decision::PinsFile &pins = {},
           const decision::MissingKey &missing = {});

/// Option `pins` names a pins file; `remarks` says what was not fused and why.
std::unique_ptr<mlir::Pass> createFormScopesPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
