//===- ChooseTiles.h - fix the tile sizes of every scope --------*- C++ -*-===//
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
#include <map>

namespace tilewright::pass {

struct ChooseTilesOptions {
  decision::PinsFile pins;
  /// Share of every memory level that defaults may use, by scope function; 1
  /// where absent. Set lower when `allocate-onchip` failed on a default.
  std::map<std::string, double> budgets;
  decision::MissingKey missing; ///< of pins whose key no operation has
};

/// Dictionary kind -> value on a scope's function: pins that later passes obey.
/// `buffers`: dictionary operand ("0", "1"; "all") -> copies; `merge`: blocks.
inline constexpr llvm::StringLiteral pinsAttrName = "tile.pins";

struct ChosenTiles {
  std::vector<model::Decision> decisions;     ///< one an instance, by key
  std::vector<decision::TiledScope> scopes;   ///< one an instance
  std::vector<model::Diagnostic> diagnostics; ///< refused and unused pins
};

/// Puts `tile.sizes` on the root of every scope: what is pinned where that is
/// legal, else the default. Instances of one scope that are pinned apart get
/// functions of their own. A pin that cannot be obeyed is a warning (TW02xx),
/// one whose key is gone TW0206; neither stops the compilation.
mlir::FailureOr<ChosenTiles> chooseTiles(mlir::ModuleOp module,
                                         const target::Target &target,
                                         const ChooseTilesOptions &options);

/// Warnings of pins are emitted on the scopes' roots.
std::unique_ptr<mlir::Pass>
createChooseTilesPass(TargetPtr target = nullptr,
                      ChooseTilesOptions options = {});

} // namespace tilewright::pass
