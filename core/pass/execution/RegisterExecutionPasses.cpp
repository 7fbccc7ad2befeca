//===- RegisterExecutionPasses.cpp - the execution stage's passes by name -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/RegisterPasses.h"
#include "core/pass/execution/BuildTasks.h"

void tilewright::registerExecutionPasses() {
  mlir::registerPass([] { return pass::createBuildTasksPass(); });
}
