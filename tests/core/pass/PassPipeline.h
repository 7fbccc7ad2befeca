//===- PassPipeline.h - sources through the passes, for tests ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pass/TargetPass.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright::test {

/// A context with every dialect the passes make.
std::unique_ptr<mlir::MLIRContext> makeContext();

pass::TargetPtr targetNamed(const char *name);

/// Parses `text` and gives every operation of its functions a key, as reading a
/// source does.
mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context,
                                        const std::string &text);

/// All passes, from source to build-tasks.
std::vector<std::unique_ptr<mlir::Pass>>
passesFor(const pass::TargetPtr &target);

/// Runs them one by one; `after` sees the module after each. The name of the
/// pass that failed, or empty.
std::string runPasses(mlir::ModuleOp module, const pass::TargetPtr &target,
                      const std::function<void(llvm::StringRef)> &after);

/// Every file of resources/examples.
std::vector<std::string> exampleSources();

/// Operators that between them use every kind of scope.
std::vector<std::string> sampleSources();

} // namespace tilewright::test
