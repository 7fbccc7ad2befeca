//===- FormScopes.h - group operations into kernel families -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pass/TargetPass.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::pass {

/// Groups the tensor operations of every function into scopes and outlines each
/// to a private function with `tile.scope`; what is left are calls with
/// `tile.bindings`. Keys in scopes are relative (`$0`, `$1.row_max`), so that
/// equal scopes are one function whatever they are called.
///
/// A scope has at most one matmul, or is one attention (AttentionScope.h).
/// Elementwise operations join what they read
/// if no element is then computed twice and no cycle of scopes arises; after a
/// matmul only on targets whose matrix unit also computes elementwise.
mlir::LogicalResult formScopes(mlir::ModuleOp module,
                               const target::Target &target);

std::unique_ptr<mlir::Pass> createFormScopesPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
