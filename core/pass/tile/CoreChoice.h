//===- CoreChoice.h - which kind of core computes what ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of targets that have cores of several kinds, as cube and vector. Matmuls are
// computed where the matrix unit is, everything else where elementwise
// operations are; of these
//
// - a matmul may go to the other kind, as products and their sums;
// - a conversion of what a matmul makes may go to the matmul, whose store
//   converts as it writes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/DecisionKinds.h"
#include "core/pass/tile/ScopeCost.h"
#include "core/pass/tile/ScopeGroups.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include <set>

namespace tilewright::pass {

/// Whether `cast` converts the result of a matmul, nobody else reads that, and
/// the store of the core that multiplies does it on the way to global memory;
/// `why` not otherwise, if it is given.
bool isStoredCast(mlir::Operation *cast, const target::Target &target,
                  std::string *why = nullptr);

class CoreChoice {
public:
  CoreChoice(mlir::func::FuncOp func, const target::Target &target,
             const decision::PinsFile &pins);

  /// Before scopes are formed: writes the matmuls out that are pinned to the
  /// kind of core that has no matrix unit.
  void obeyPins();
  /// Once they are: one decision of kind `core` for each operation of the
  /// source, and what is wrong with pins (TW0205, TW0233, TW0234).
  void tell(const ScopeGroups &grouping);

  std::vector<model::Decision> decisions;
  std::vector<model::Diagnostic> diagnostics;
  std::set<const model::Pin *> usedPins;

private:
  /// What was decided about a matmul before scopes were formed.
  struct Product {
    std::string refused; ///< why it cannot be written out; empty: it can
    double matrixSeconds = 0, vectorSeconds = 0;
  };

  const model::Pin *pinOf(mlir::Operation *op);
  Product weigh(mlir::Operation *matmul);
  void writeOut(mlir::Operation *matmul);
  model::Decision decide(mlir::Operation *op, const std::string &core);
  void judge(const model::Pin &pin, mlir::Operation *op,
             model::Decision &decision);

  mlir::func::FuncOp func;
  const target::Target &target;
  const decision::PinsFile &pins;
  ScopeCost cost;
  bool anyPins = false;
  std::string matmulCore, vectorCore;
  std::vector<std::string> kinds;
  llvm::StringMap<Product> products; ///< by key of the matmul
  std::set<const model::Pin *> reported;
};

} // namespace tilewright::pass
