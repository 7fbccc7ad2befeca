//===- OperationDiff.h - two snapshots compared by key ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diff.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::inspect {

/// What became of each operation from `before` to `after`, which may live in
/// different contexts. Operations are matched by key, then by name, then by
/// order; one has changed if its name, attributes, types, or what its operands
/// come from changed, and moved if it stands in another operation or among its
/// matched neighbours in another order. Names of values and positions in the
/// text do not count. `text` is a unified diff of both printed; `from` and `to`
/// are left empty. At most 10,000 operations are listed.
model::Diff diffOperations(mlir::ModuleOp before, mlir::ModuleOp after);

} // namespace tilewright::inspect
