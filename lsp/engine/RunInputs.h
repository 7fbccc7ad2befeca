//===- RunInputs.h - what a request asks to be run --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/CpuFeatures.h"
#include "core/execute/TensorOperators.h"
#include "core/target/Target.h"
#include "lsp/protocol/Message.h"
#include "lsp/protocol/Methods.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <variant>

namespace tilewright::engine {

/// Ends a request with `error`, about `uri` if it names no other document.
[[noreturn]] void refuse(model::Diagnostic error, const std::string &uri,
                         lsp::ErrorCode code = lsp::ErrorCode::RequestFailed);

template <typename T>
T orRefuse(std::variant<T, model::Diagnostic> value, const std::string &uri) {
  if (auto *error = std::get_if<model::Diagnostic>(&value))
    refuse(std::move(*error), uri);
  return std::move(std::get<T>(value));
}

/// A target whose code runs on this machine has a CPU's features.
bool runsHere(const target::Target &target);
execute::CpuFeatures cpuOf(const target::Target &target);

/// Beyond this a run is a mistake.
inline constexpr int maxThreads = 1024;
/// Throws RequestError TW0555 unless it is from 0 (all processors) to
/// maxThreads.
void checkThreads(int threads, const std::string &uri);

/// The public function of `module` named `name`; the first if it is empty.
/// Throws RequestError TW0551.
mlir::func::FuncOp findRunFunction(mlir::ModuleOp module,
                                   const std::string &name,
                                   const std::string &uri);

/// Says which public functions of `module` besides `function`, which was `done`
/// ("run"), were left out (TW0558); empty if there are none.
std::optional<model::Diagnostic> noteOtherFunctions(mlir::ModuleOp module,
                                                    mlir::func::FuncOp function,
                                                    const std::string &done,
                                                    const std::string &uri);

/// A tensor for each argument: from its .npy file, else seeded. Throws
/// RequestError TW0552 (no tensor of known shape), TW0553 (no such argument)
/// and what reading files may say.
std::vector<execute::TensorRef>
makeRunInputs(mlir::func::FuncOp function,
              const std::vector<lsp::RunInput> &files, uint64_t seed,
              const std::string &uri);

} // namespace tilewright::engine
