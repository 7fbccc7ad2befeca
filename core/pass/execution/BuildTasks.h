//===- BuildTasks.h - what waits for what -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/TargetPass.h"
#include <string>
#include <vector>

namespace tilewright::pass {

/// Joins the scopes of a module into one program a function and puts
/// `dependencies` on its dispatches: for each pair that share a buffer, one of
/// them writing, the tasks of the earlier one whose region may overlap, as
/// affine bounds over the later one's grid. Where the bounds cannot be stated
/// the whole grid is waited for. Cost: pairs that share buffers, never tasks.
mlir::LogicalResult buildTasks(mlir::ModuleOp module);

/// Dependencies of one program, replacing those it had.
void setDependencies(block::ProgramOp program);

std::unique_ptr<mlir::Pass> createBuildTasksPass();

/// Tasks of one dispatch.
struct DispatchCount {
  std::string kernel;
  std::vector<std::string> keys;
  std::vector<int64_t> grid;
  int64_t tasks = 0;
};
std::vector<DispatchCount> countTasks(block::ProgramOp program);

} // namespace tilewright::pass
