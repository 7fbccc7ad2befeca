//===- GraphBuilder.h - a module of any stage as a graph --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/inspect/GraphDraft.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

namespace tilewright::inspect {

/// The operations of `modules`, which are one program, and what flows between
/// them: functions, scopes, grids, loops and kernels as groups, views (slices,
/// subviews) as part of the edge they narrow, index arithmetic left out. A
/// scope stands inside the function that calls it, once for each call, which
/// binds the relative keys on its operations; it may be in another module than
/// its callers. Linear in what is drawn.
///
/// Node ids come from keys: the node of an operation has the operation's key as
/// its id at every stage, so that it keeps its place from pass to pass. They do
/// not depend on what part of the graph is told.
GraphDraft draftGraph(llvm::ArrayRef<mlir::ModuleOp> modules);

/// The whole of it, written out.
model::Graph buildGraph(mlir::ModuleOp module);

} // namespace tilewright::inspect
