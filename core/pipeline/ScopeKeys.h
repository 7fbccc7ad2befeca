//===- ScopeKeys.h - scope-relative keys and what they stand for -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace tilewright {

/// For one scope: the bindings of each call of it, in order.
using ScopeBindings = llvm::SmallVector<mlir::ArrayAttr>;

/// Bindings of every scope called in `program`, by the scope's symbol.
llvm::StringMap<ScopeBindings> collectBindings(mlir::ModuleOp program);

/// What a relative key stands for, one a call; itself if it is no relative key.
std::vector<std::string> boundKeys(llvm::StringRef key,
                                   const ScopeBindings &bindings);

/// `text` with the relative keys in it replaced by what they stand for in the
/// first call.
std::string boundText(std::string text, const ScopeBindings &bindings);

/// Replaces the relative keys below `root` (`$3`, `$3.row_max`) by the keys
/// they stand for; where a scope has several instances an operation gets the
/// keys of all of them.
void bindKeys(mlir::Operation *root, const ScopeBindings &bindings);

} // namespace tilewright
