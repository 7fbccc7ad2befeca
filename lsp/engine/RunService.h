//===- RunService.h - runs compiled operators and checks them ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Run.h"
#include "lsp/engine/CompileService.h"
#include "lsp/engine/ExperimentService.h"
#include "lsp/engine/RunnerClient.h"
#include "lsp/protocol/Methods.h"
#include "profiler/Statistics.h"

namespace tilewright::engine {

/// Runs what CompileService compiles. For a CPU target the code runs in the
/// runner process; for others the Block interpreter executes it, and no time is
/// reported. Thread safe.
class RunService {
public:
  /// `engine`: path of tilewright-engine, started as the runner.
  RunService(CompileService &compiler, std::string engine);

  /// Throws RequestError.
  model::RunResult run(const lsp::IncomingRequest &request,
                       const lsp::RunParams &params);
  /// What the last run of a document recorded, analysed; throws RequestError
  /// (TW0631) if there was none. With `key` only what that operation took.
  lsp::Json trace(const std::string &uri, const std::string &key = "");
  /// Compiles and emits code; the result of tilewright/compile.
  lsp::Json compile(const lsp::IncomingRequest &request,
                    const lsp::CompileParams &params);

private:
  struct LastRun {
    std::string path; ///< Chrome JSON, if it was asked for
    std::shared_ptr<const profiler::TraceStore> trace;
    int64_t documentVersion = 0;
    int64_t generation = 0;
    /// Of the trace, once somebody has asked.
    std::shared_ptr<const std::vector<profiler::KernelStatistics>> kernels;
  };

  CompileService &compiler;
  RunnerClient runner;
  std::mutex mutex; ///< guards `last`
  std::map<std::string, LastRun> last;
};

/// Registers run, trace and compile. What they are asked to record goes to
/// `experiments`.
void registerRunMethods(lsp::Connection &connection, RunService &service,
                        CompileService &compiler,
                        ExperimentService &experiments);

} // namespace tilewright::engine
