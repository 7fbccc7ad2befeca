//===- EngineSession.cpp - one command's talk with the engine -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/client/Locate.h"
#include <csignal>
#include <cstdio>
#include <future>
#include <unistd.h>

namespace tilewright::tool {

namespace {

sigset_t heldBack() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    ::sigaddset(&set, signal);
  return set;
}

/// One line at the bottom of a terminal that goes away again.
class ProgressLine {
public:
  ProgressLine() : shown(::isatty(2)) {}
  ~ProgressLine() { clear(); }

  void show(const std::string &message, std::optional<double> fraction) {
    if (!shown)
      return;
    std::string text = printable(message).substr(0, 100);
    if (fraction)
      text += " " + std::to_string(static_cast<int>(*fraction * 100)) + " %";
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    dirty = true;
  }
  void clear() {
    if (dirty)
      std::fputs("\r\033[K", stderr);
    dirty = false;
  }

private:
  bool shown;
  std::atomic<bool> dirty = false;
};

} // namespace

struct EngineSession::Impl {
  std::unique_ptr<lsp::EngineSupervisor> engines;
  ProgressLine progress;
  std::thread signals;
  std::mutex mutex;
  int64_t call = -1; ///< in flight
  bool interrupted = false;
  bool ending = false;
  sigset_t maskBefore;

  void watchSignals() {
    sigset_t set = heldBack();
    while (true) {
      int signal = 0;
      ::sigwait(&set, &signal);
      std::lock_guard lock(mutex);
      if (ending)
        return;
      if (interrupted) {
        engines->killAll();
        ::_exit(exitInterrupted);
      }
      interrupted = true;
      if (call >= 0)
        engines->cancel(call);
    }
  }
};

EngineSession::EngineSession() : impl(std::make_unique<Impl>()) {
  // Every thread started from here on inherits this, so that signals reach
  // watchSignals() alone.
  sigset_t set = heldBack();
  ::pthread_sigmask(SIG_BLOCK, &set, &impl->maskBefore);
  lsp::EngineSupervisor::Options options;
  options.engine.program = lsp::locateEngine();
  // Nobody who pressed Ctrl-C waits a second.
  options.cancelGrace = std::chrono::milliseconds(300);
  impl->engines = std::make_unique<lsp::EngineSupervisor>(std::move(options));
  impl->signals = std::thread([state = impl.get()] { state->watchSignals(); });
}

EngineSession::~EngineSession() {
  {
    std::lock_guard lock(impl->mutex);
    impl->ending = true;
  }
  ::pthread_kill(impl->signals.native_handle(), SIGHUP); // wakes sigwait()
  impl->signals.join();
  impl->engines.reset();
  ::pthread_sigmask(SIG_SETMASK, &impl->maskBefore, nullptr);
}

void EngineSession::open(const SourceFile &source) {
  impl->engines->open(lsp::TextDocument(source.uri, 1, source.text),
                      source.pins);
}

lsp::Json EngineSession::ask(const char *method, lsp::Json params) {
  auto promise = std::make_shared<std::promise<lsp::Response>>();
  std::future<lsp::Response> answer = promise->get_future();
  lsp::EngineSupervisor::Call call;
  call.role = lsp::EngineRole::Compile;
  call.method = method;
  call.params = std::move(params);
  call.progress = [state = impl.get()](const std::string &message,
                                       std::optional<double> fraction) {
    state->progress.show(message, fraction);
  };
  call.done = [promise](lsp::Response response) {
    promise->set_value(std::move(response));
  };
  {
    std::lock_guard lock(impl->mutex);
    impl->call = impl->engines->call(std::move(call));
    if (impl->interrupted)
      impl->engines->cancel(impl->call);
  }
  lsp::Response response = answer.get();
  impl->progress.clear();
  bool interrupted;
  {
    std::lock_guard lock(impl->mutex);
    impl->call = -1;
    interrupted = impl->interrupted;
  }
  if (interrupted)
    throw Failure(lsp::ResponseError{lsp::ErrorCode::RequestCancelled,
                                     "interrupted", nullptr},
                  exitInterrupted);
  if (response.error)
    throw Failure(std::move(*response.error));
  return std::move(response.result);
}

} // namespace tilewright::tool
