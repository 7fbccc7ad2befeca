//===- TargetPass.h - passes that ask the target ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/target/Target.h"
#include "core/target/TargetRegistry.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace tilewright::pass {

using TargetPtr = std::shared_ptr<const target::Target>;

/// A module pass for one target: given by a program as a pointer, or by name as
/// the option `target` ("cpu-generic" if neither).
template <typename Derived>
class TargetPass
    : public mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>> {
  using Base = mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>>;

public:
  TargetPass() = default;
  explicit TargetPass(TargetPtr machine) : machine(std::move(machine)) {}
  TargetPass(const TargetPass &other) : Base(other), machine(other.machine) {}

protected:
  mlir::LogicalResult initialize(mlir::MLIRContext *context) override {
    if (machine)
      return mlir::success();
    std::vector<model::Diagnostic> problems;
    auto registry = target::TargetRegistry::standard(problems);
    model::Diagnostic error;
    machine = registry->find(targetName, error);
    if (!machine)
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << error.message << " [" << error.code << "]";
    return mlir::success();
  }

  TargetPtr machine;
  mlir::Pass::Option<std::string> targetName{
      *this, "target",
      llvm::cl::desc("machine to compile for, by name or alias"),
      llvm::cl::init("cpu-generic")};
};

} // namespace tilewright::pass
