//===- KeyFuser.h - keys carried through rewrites ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::pass {

/// Listens to a rewriter and gives every operation that replaces another that
/// one's keys too, which upstream's rewrites drop. Keys are collected while the
/// rewriting goes on and put on at the end, so that the cost stays near linear
/// when one operation replaces very many.
///
///   KeyFuser fuser(root);
///   IRRewriter rewriter(context, &fuser);   // or
///   GreedyRewriteConfig::listener … rewrite … fuser.finish(root);
class KeyFuser : public mlir::RewriterBase::Listener {
public:
  /// Remembers the locations of the constants below `root`: the greedy driver
  /// moves those to the top of a function, takes their locations away and tells
  /// no listener.
  explicit KeyFuser(mlir::Operation *root);

  using Listener::notifyOperationReplaced;
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;
  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::ValueRange replacement) override;
  void notifyOperationErased(mlir::Operation *op) override;

  /// Puts the collected keys on their operations, and gives operations made
  /// without a key that of a user (see repairKeys). To be called once.
  void finish(mlir::Operation *root);

private:
  /// What an operation took the place of.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Location, 1>> owed;
  llvm::DenseMap<mlir::Operation *, mlir::Location> constants;
  bool keyless = false;
};

} // namespace tilewright::pass
