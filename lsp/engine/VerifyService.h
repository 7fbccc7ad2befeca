//===- VerifyService.h - which pass first gave wrong numbers ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Verify.h"
#include "lsp/engine/CompileService.h"
#include "lsp/engine/RunnerClient.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::engine {

/// Hands every snapshot of a compilation, and for a CPU target the compiled
/// code, to a runner process of its own, where they are run on the same inputs
/// and compared. Thread safe.
class VerifyService {
public:
  /// `engine`: path of tilewright-engine, started as the runner.
  VerifyService(CompileService &compiler, std::string engine);

  /// What exists of a compilation that an error stopped is verified, too.
  /// Throws RequestError.
  model::VerifyResult verify(const lsp::IncomingRequest &request,
                             const lsp::VerifyParams &params);

private:
  CompileService &compiler;
  RunnerClient runner;
};

/// Registers verify.
void registerVerifyMethod(lsp::Connection &connection, VerifyService &service);

} // namespace tilewright::engine
