//===- RunnerClient.h - runs programs in a child process --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "lsp/client/Client.h"
#include "lsp/protocol/Cancel.h"
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::engine {

/// What to run. All paths are files that both processes reach.
struct RunnerJob {
  std::string what;    ///< names the input in errors: "swiglu_ffn of ffn.mlir"
  std::string program; ///< written by CompiledProgram::write
  std::vector<std::string> inputs;  ///< .npy, one an argument
  std::vector<std::string> outputs; ///< .npy to write, one a result
  int threads = 0;                  ///< 0: all processors
  int repeats = 1;
  std::string
      trace; ///< where to write a tilewright/trace document; may be empty
};

struct RunnerOutcome {
  std::vector<double> milliseconds; ///< one a repeat, measured
  int threads = 0;
  int64_t tasks = 0;
};

/// Keeps one runner process, started when first needed. If it dies, the call
/// under way ends with TW0620, which names the job and how the runner ended,
/// and the next call starts another. Thread-safe; calls wait for each other.
class RunnerClient {
public:
  /// `engine`: path of tilewright-engine.
  explicit RunnerClient(std::string engine);
  ~RunnerClient();

  /// Loads and runs. A cancelled job ends within a second, if need be by the
  /// runner's death, with TW0621.
  std::variant<RunnerOutcome, model::Diagnostic>
  run(const RunnerJob &job, const lsp::CancelToken &cancel);

  /// Measured f32 flop/s (in 1e9) of multiply-add on registers, all `threads`.
  std::variant<double, model::Diagnostic> peakGflops(int threads);

  /// Any other method; `progress` is called with what the runner reports, from
  /// another thread. Errors as for run().
  std::variant<lsp::Json, model::Diagnostic>
  request(const std::string &what, const std::string &method, lsp::Json params,
          const lsp::CancelToken &cancel,
          std::function<void(const std::string &message, double fraction)>
              progress = {});

  /// Process id of the runner; -1 if none runs just now.
  pid_t pid() const;

private:
  std::string engine;
  std::mutex calls;
  mutable std::mutex mutex; ///< guards `child` and `progress`
  std::shared_ptr<lsp::Client> child;
  std::function<void(const std::string &, double)> progress;

  /// With `again` a call that a runner died before reading is sent to the next.
  std::variant<lsp::Json, model::Diagnostic>
  call(const std::string &what, const std::string &method, lsp::Json params,
       const lsp::CancelToken &cancel, bool again = false);
};

} // namespace tilewright::engine
