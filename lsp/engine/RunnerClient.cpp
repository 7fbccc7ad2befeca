//===- RunnerClient.cpp - runs programs in a child process ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/RunnerClient.h"
#include "lsp/protocol/Methods.h"
#include <future>

using namespace std::chrono_literals;

namespace tilewright::engine {

/// How long a cancelled runner has to answer before it is killed. Less than a
/// front gives the engine, which would else be killed as well.
static constexpr auto cancelGrace = 600ms;

static model::Diagnostic diagnosticOf(std::string code, std::string message,
                                      std::string hint = "") {
  model::Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  return diagnostic;
}

RunnerClient::RunnerClient(std::string engine) : engine(std::move(engine)) {}

RunnerClient::~RunnerClient() = default;

pid_t RunnerClient::pid() const {
  std::lock_guard lock(mutex);
  return child ? child->process().pid() : -1;
}

std::variant<lsp::Json, model::Diagnostic>
RunnerClient::call(const std::string &what, const std::string &method,
                   lsp::Json params, const lsp::CancelToken &cancel,
                   bool again) {
  std::shared_ptr<lsp::Client> client;
  {
    std::lock_guard lock(mutex);
    if (!child) {
      again = false; // one that dies as it starts was not idle
      lsp::ChildProcess::Options options;
      options.program = engine;
      options.arguments = {"--runner"};
      std::string error;
      child = lsp::Client::spawn(options, error);
      if (!child)
        return diagnosticOf(
            "TW0622", engine + ": the runner cannot be started: " + error);
      child->connection().onNotification(
          lsp::method::progress, [this](const lsp::Json &params) {
            std::lock_guard lock(mutex);
            if (progress)
              progress(params.value("message", std::string()),
                       params.value("fraction", 0.0));
          });
      child->start();
    }
    client = child;
  }
  std::promise<lsp::Response> promise;
  std::future<lsp::Response> future = promise.get_future();
  int64_t id = client->connection().request(
      method, params, [&promise](lsp::Response response) {
        promise.set_value(std::move(response));
      });
  bool cancelSent = false, killed = false;
  auto cancelledAt = std::chrono::steady_clock::now();
  while (future.wait_for(5ms) != std::future_status::ready) {
    auto now = std::chrono::steady_clock::now();
    if (cancel.cancelled() && !cancelSent) {
      client->connection().cancel(id);
      cancelSent = true;
      cancelledAt = now;
    } else if (cancelSent && !killed && now - cancelledAt > cancelGrace) {
      client->process().kill();
      killed = true;
    }
  }
  lsp::Response response = future.get();
  if (!response.error)
    return std::move(response.result);
  bool died = response.error->code == lsp::ErrorCode::ConnectionClosed;
  std::string how;
  if (died) {
    auto status = client->process().wait(2000ms);
    how = status ? status->str() : "went away";
    std::string tail = client->process().stderrTail();
    if (!tail.empty())
      how += "; it wrote: " + tail;
    {
      std::lock_guard lock(mutex);
      child.reset(); // the next call starts another
    }
    // One that was ended while idle never read this; what it had loaded is
    // gone.
    if (again && !cancelSent && client->connection().lostOutput())
      return call(what, method, std::move(params), cancel, false);
  }
  if (cancelSent)
    return diagnosticOf("TW0621", what + ": cancelled");
  if (died)
    return diagnosticOf(
        "TW0620", what + ": the process that ran it " + how,
        "The next run starts a new process. If it happens again, check the "
        "operator with --check, and report it with its source.");
  return response.error->diagnostic();
}

std::variant<RunnerOutcome, model::Diagnostic>
RunnerClient::run(const RunnerJob &job, const lsp::CancelToken &cancel) {
  std::lock_guard lock(calls);
  auto loaded =
      call(job.what, "runner/load", {{"program", job.program}}, cancel,
           /*again=*/true);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&loaded))
    return std::move(*diagnostic);
  auto ran = call(job.what, "runner/run",
                  {{"inputs", job.inputs},
                   {"outputs", job.outputs},
                   {"threads", job.threads},
                   {"repeats", job.repeats},
                   {"trace", job.trace}},
                  cancel);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&ran))
    return std::move(*diagnostic);
  RunnerOutcome outcome;
  const auto &result = std::get<lsp::Json>(ran);
  outcome.milliseconds = result.value("milliseconds", std::vector<double>());
  outcome.threads = result.value("threads", 0);
  outcome.tasks = result.value("tasks", int64_t(0));
  return outcome;
}

std::variant<lsp::Json, model::Diagnostic>
RunnerClient::request(const std::string &what, const std::string &method,
                      lsp::Json params, const lsp::CancelToken &cancel,
                      std::function<void(const std::string &, double)> report) {
  std::lock_guard lock(calls);
  {
    std::lock_guard guard(mutex);
    progress = std::move(report);
  }
  auto answer = call(what, method, std::move(params), cancel);
  std::lock_guard guard(mutex);
  progress = nullptr;
  return answer;
}

std::variant<double, model::Diagnostic> RunnerClient::peakGflops(int threads) {
  std::lock_guard lock(calls);
  auto measured = call("measuring the peak", "runner/peak",
                       {{"threads", threads}}, lsp::CancelToken(),
                       /*again=*/true);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&measured))
    return std::move(*diagnostic);
  return std::get<lsp::Json>(measured).value("gflops", 0.0);
}

} // namespace tilewright::engine
