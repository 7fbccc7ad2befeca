//===- KeptModule.h - a module kept for later -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <mutex>
#include <string>

namespace tilewright {

/// A module that is read by several at once, and changed by none.
using SharedModule = std::shared_ptr<const mlir::OwningOpRef<mlir::ModuleOp>>;

/// A fresh module from `bytes`; null if they are damaged.
mlir::OwningOpRef<mlir::ModuleOp> readBytecode(llvm::StringRef bytes,
                                               mlir::MLIRContext *context);

/// What a pass left, immutable. It is a clone at first, which costs a tenth of
/// writing it out, so that nobody who waits for a compilation waits for that,
/// and stays one while it is likely to be asked for (LiveModules.h); `settle`
/// makes it bytecode, a tenth of the size and tied to no context.
/// Thread safe.
class KeptModule {
public:
  /// Clones `module`. The clone is of the module's context, which must be owned
  /// by `context`.
  KeptModule(mlir::ModuleOp module, std::shared_ptr<mlir::MLIRContext> context);
  ~KeptModule();

  /// A fresh module in `context`.
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::MLIRContext *context) const;
  /// To be read only: the module itself where it is still one of `context`,
  /// else a fresh one. Null if the bytecode is damaged.
  SharedModule shared(mlir::MLIRContext *context) const;
  /// Writes the bytecode and lets go of the clone, if that is not done yet.
  void settle() const;
  /// Settled, the bytecode; valid as long as this.
  const std::string &bytecode() const;
  /// Number of operations, the module itself not counted.
  int64_t operations() const { return operationCount; }
  /// Bytes of memory: of the bytecode, or what the clone takes, estimated from
  /// its operations.
  size_t size() const;

private:
  struct Clone {
    std::shared_ptr<mlir::MLIRContext> owner; ///< goes after the module
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };
  mutable std::mutex mutex;
  mutable std::shared_ptr<const Clone> clone; ///< null once settled
  mutable std::string bytes;                  ///< empty until settled
  int64_t operationCount = 0;
};

} // namespace tilewright
