//===- CpuLowering.h - kernels as LLVM dialect functions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/CpuFeatures.h"
#include "core/model/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <string>
#include <variant>

namespace tilewright::execute {

/// A module of llvm.func kernels, `void(ptr buffers, ptr grid, ptr scratch)`,
/// named as the block.kernel they come from.
struct LoweredKernels {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::map<std::string, int64_t> scratchBytes; ///< by kernel
};

/// Dialects and translations that lowering needs in a context.
void registerCpuDialects(mlir::DialectRegistry &registry);

/// Emits every block.kernel of `module` as loops over vectors (scf, vector,
/// math, arith and llvm operations): the first step of lowerKernels.
std::variant<LoweredKernels, model::Diagnostic>
emitKernels(mlir::ModuleOp module, const CpuFeatures &cpu);

/// Lowers every block.kernel of `module`, which stays as it is, to the LLVM
/// dialect. Errors: TW0430 (an operation that is not compiled), TW0431 (a
/// buffer without an address), TW0440-TW0443.
std::variant<LoweredKernels, model::Diagnostic>
lowerKernels(mlir::ModuleOp module, const CpuFeatures &cpu);

/// `emit-cpu-kernels` and `lower-cpu-kernels`: the same as passes that replace
/// the module's contents, for tilewright-opt. Options: cpu=host|generic.
void registerCpuPasses();

} // namespace tilewright::execute
