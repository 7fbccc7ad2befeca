//===- Mutants.h - kernels with one thing wrong -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <random>
#include <string>

namespace tilewright::test {

/// Small operators whose kernels for ascend-a3 have few instructions.
std::vector<std::string> mutantSources();

/// Leaves only one dispatch of `kernel`, over a grid of at most 2 in each
/// dimension.
void keepOnly(mlir::ModuleOp module, llvm::StringRef kernel);

/// Changes one thing about the kernel named in every way known (drops,
/// doubles and moves events, changes their ids and pipes, shifts and shrinks
/// buffers, takes a buffer for another of its type, drops, reorders and moves
/// instructions, starts by accumulating) and calls `visit(what, module)` for
/// each; the module is as before afterwards. Those the IR's verifier refuses
/// are left out. `visit` gives false to end.
void forEachMutant(
    mlir::ModuleOp module, llvm::StringRef kernel,
    const std::function<bool(const std::string &, mlir::ModuleOp)> &visit);

/// What the three judges say of a module of one program.
struct Verdicts {
  bool known = true;   ///< the truth could be found out
  std::string truth;   ///< empty: right in every order
  std::string checker; ///< errors only
  std::string interpreter;
  size_t instructions = 0; ///< of the longest task, with loops unrolled
  bool agree() const {
    return truth.empty() == checker.empty() &&
           truth.empty() == interpreter.empty();
  }
};

/// `schedules`: how many each task is interpreted under.
Verdicts judge(mlir::ModuleOp module, const target::Target &target,
               int schedules, size_t maxStates = 200000);

} // namespace tilewright::test
