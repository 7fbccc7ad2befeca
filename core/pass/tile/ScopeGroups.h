//===- ScopeGroups.h - which operations are one scope -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/KeyBand.h"
#include "core/decision/PinsFile.h"
#include "core/model/Decision.h"
#include "core/model/Diagnostic.h"
#include "core/pass/tile/ScopeSpace.h"
#include "core/target/Target.h"
#include "mlir/IR/Block.h"

namespace tilewright::pass {

/// Operations that become one scope.
struct ScopeGroup {
  llvm::SmallVector<unsigned> ops; ///< indices in `ScopeGroups::ops`, ascending
  ScopeSpace space;
  bool attention = false; ///< AttentionScope.h
  std::optional<decision::KeyBand> visibleKeys = std::nullopt; ///< of its mask
};

struct ScopeGroups {
  std::vector<mlir::Operation *> ops; ///< all operations of the block
  /// In an order in which each follows those it reads.
  std::vector<ScopeGroup> groups;
  /// One of kind `scope` for each group that holds several operations or was
  /// refused others: what is fused and why, and what is not and why.
  std::vector<model::Decision> decisions;
  /// Pins that could not be obeyed.
  std::vector<model::Diagnostic> diagnostics;
  std::vector<const model::Pin *> usedPins;
};

/// The key of an operation without the part of it: "attention/p" of
/// "attention/p.row_max".
llvm::StringRef baseKey(llvm::StringRef key);

/// Groups the operations of `block` by profit: a group joins what it reads, or
/// what reads the same, where the joined scope is estimated to take no longer,
/// each with the tiles that are best for it, and tiles of it fit on chip. Time
/// grows with the operations times the groups that lie between a value and its
/// readers, of which at most 2,048 are looked at.
ScopeGroups groupOperations(mlir::Block &block, const target::Target &target,
                            const decision::PinsFile &pins);

} // namespace tilewright::pass
