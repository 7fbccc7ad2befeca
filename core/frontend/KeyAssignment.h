//===- KeyAssignment.h - names for good -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives every operation and block argument of freshly read IR its key:
//
//   f                     the function @f itself
//   f/qk                  the operation that defines %qk; its first result
//   f/qk:1                its second result
//   f/x                   the argument %x
//   f/loop/qk             %qk in the region of the operation that defines %loop
//   f/if.1/a              … in the second of several regions
//   f/tw.add~1f0c…        no name, or a number: what it is and what it is made
//   f/tw.add~1f0c…@2      from; equal ones are counted
//
// A line inserted above changes no key.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilewright::frontend {

/// The names the source gives: of an operation's first result, and of a block
/// argument, without `%`. Empty for none.
struct SourceNames {
  llvm::function_ref<llvm::StringRef(mlir::Operation *)> ofOperation;
  llvm::function_ref<llvm::StringRef(mlir::BlockArgument)> ofArgument;
};

/// Keys of one function (or whatever stands at the top). Does not change the
/// IR: apply() does.
class KeyAssignment {
public:
  explicit KeyAssignment(SourceNames names) : names(names) {}

  /// Assigns for a top-level operation and all below it. `path` is the key of
  /// what encloses it; empty at the top of a file.
  void assignTop(mlir::Operation *top, llvm::StringRef path = {});
  /// Assigns for operations and arguments inside a region whose path is `path`.
  /// For the pieces a failed parse leaves; assignTop() calls it.
  void assignInside(llvm::ArrayRef<mlir::Operation *> operations,
                    llvm::ArrayRef<mlir::BlockArgument> arguments,
                    llvm::StringRef path);

  /// Empty if none was assigned.
  llvm::StringRef keyOf(mlir::Operation *op) const;
  std::string keyOf(mlir::Value value) const;

  /// Puts the keys on the locations of `top` and all below it.
  void apply(mlir::Operation *top) const;

private:
  void assignRegion(mlir::Region &region, llvm::StringRef path);
  void assignRegions(mlir::Operation *op);
  std::string unnamedSegment(mlir::Operation *op) const;
  std::string unique(std::string key);

  SourceNames names;
  size_t rootLength = 0; ///< of the function's part of the path
  llvm::DenseMap<mlir::Operation *, std::string> operationKeys;
  llvm::DenseMap<mlir::Value, std::string> argumentKeys;
  llvm::StringMap<int> used;
};

/// True for names that only count: `0`, `17`.
bool isNumberedName(llvm::StringRef name);

} // namespace tilewright::frontend
