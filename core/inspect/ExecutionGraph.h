//===- ExecutionGraph.h - dispatches and what waits for what ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Execution graph is kept compactly: one node a dispatch with its grid, one
// edge a dependency with the range of tasks waited for. Its text is read-only.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/GraphPart.h"
#include "core/model/Stage.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace tilewright::inspect {

/// `expr` over grid coordinates g0, g1, …; symbols become s0, s1, …
model::Expr toExpr(mlir::AffineExpr expr);

/// Dispatches of every block.program of `module`, with the buffers between
/// them as edge types and task counts as metrics.
model::Graph buildExecutionGraph(mlir::ModuleOp module);
/// The same to be told in part. `module` must stay as it is as long as this is
/// used.
std::unique_ptr<model::GraphSource> draftExecutionGraph(mlir::ModuleOp module);

/// The same as text: each dispatch with its grid, what a task reads and writes,
/// and the tasks it waits for.
model::PrintedStage printExecution(mlir::ModuleOp module);

} // namespace tilewright::inspect
