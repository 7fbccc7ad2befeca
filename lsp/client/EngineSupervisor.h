//===- EngineSupervisor.h - engines that may die ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/client/Client.h"
#include "lsp/protocol/Methods.h"
#include <array>
#include <map>

namespace tilewright::lsp {

/// Which of a front's two engines: one must stay quick while the other
/// compiles.
enum class EngineRole { Language, Compile };

/// Keeps the texts and two engines, each started when first needed. The death
/// or hang of an engine costs the request that caused it and no other:
///  - of several requests in flight it cannot be told which one it was, so they
///    are sent again one by one to new engines, and only those under which an
///    engine dies again fail;
///  - what an engine had not read when it died is sent again: a request after
///  the
///    death of an idle engine is answered;
///  - an engine is given only the documents that its requests are about, so a
///    text that kills engines harms no request about another.
/// A failed request gets a ResponseError whose diagnostic names document and
/// method: TW0601 (died), TW0602 (hung), TW0603 (cannot be started), TW0604
/// (broke the protocol). Thread-safe.
class EngineSupervisor {
public:
  struct Options {
    ChildProcess::Options engine;
    /// A cancel unanswered for so long kills the engine; for so long again for
    /// each MiB of the text that the request is about. Neither this nor a
    /// call's timeout counts time in which the front itself did not run, and
    /// up to four times as much in which the engine waited for a processor.
    std::chrono::milliseconds cancelGrace{1000};
    /// Gets each end of an engine, how and at work on what, for a log. Any
    /// thread.
    std::function<void(const std::string &what)> onEvent;
  };

  explicit EngineSupervisor(Options options);
  /// Kills the engines; calls in flight end with ConnectionClosed.
  ~EngineSupervisor();
  EngineSupervisor(const EngineSupervisor &) = delete;
  EngineSupervisor &operator=(const EngineSupervisor &) = delete;

  // The texts. A change is passed on at once to engines that have the document.
  void open(const std::string &uri, int64_t version, std::string text) {
    open(TextDocument(uri, version, std::move(text)));
  }
  /// `pins`: path of its pins file; empty for the one beside it.
  void open(TextDocument text, std::string pins = {});
  void change(const std::string &uri, int64_t version,
              const std::vector<ByteEdit> &edits);
  void close(const std::string &uri);

  struct Call {
    EngineRole role = EngineRole::Language;
    std::string method;
    Json params; ///< `params.uri` is the document it is about, if any
    /// After so long the request counts as hung; 0 = it may take for ever.
    std::chrono::milliseconds timeout{0};
    /// May be empty. Any thread.
    std::function<void(const std::string &message,
                       std::optional<double> fraction)>
        progress;
    /// Called exactly once, from any thread, never from within call().
    std::function<void(Response response)> done;
  };
  /// Returns a number for cancel().
  int64_t call(Call call);
  /// The call ends as cancelled (or with its result, if that was faster) within
  /// the grace period. Unknown numbers are ignored.
  void cancel(int64_t id);
  /// For callers that wait.
  Response callAndWait(EngineRole role, const std::string &method, Json params);

  /// Process id of a running engine; -1 if there is none just now.
  pid_t enginePid(EngineRole role) const;
  /// How often an engine has been started.
  int starts(EngineRole role) const;
  /// Kills both engines and all they have started; calls in flight are failed.
  /// For a front that is about to exit.
  void killAll();

private:
  struct Impl;
  std::shared_ptr<Impl> impl;
};

} // namespace tilewright::lsp
