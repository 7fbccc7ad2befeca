//===- Forwarder.h - requests handed on to the engines ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/WorkerPool.h"
#include "lsp/server/ResultNews.h"
#include "lsp/server/SessionState.h"

namespace tilewright::lsp {

/// Turns a client's request into a call of an engine and the engine's result
/// into an answer, with progress, cancellation, and edits that overtake it.
/// Thread safe.
class Forwarder {
public:
  explicit Forwarder(SessionState &session) : session(session) {}

  /// Of what is new; told as answers come.
  ResultNews &news() const { return resultNews; }

  using Convert = std::function<Json(Json result)>;
  /// Sends the call and answers `request` with what `convert` makes of its
  /// result. With `of` the answer must be about that text: it is given up when
  /// the document is edited. A `convert` that takes long is run `on` threads of
  /// its own, so that other answers do not wait for it.
  void forward(Request request, EngineRole role, const char *name, Json params,
               Convert convert, TextSnapshot of = nullptr,
               WorkerPool *on = nullptr);

  /// Sends a call that is one step on the way to answering `request`. What
  /// `then` throws becomes the answer.
  void fetch(Request request, EngineRole role, const char *name, Json params,
             std::function<void(Response response)> then);

  /// Fetches the printed text of `params.stage` and goes on with it.
  void withPrinted(Request request, TextSnapshot of, const Json &params,
                   std::function<void(TextSnapshot printed)> then);

  /// Gives up what the compiler does for an older text of `uri`: the requests
  /// get ContentModified.
  void overtake(const std::string &uri);

  /// Whether the compiler works on something the client asked about `uri`.
  bool isBusy(const std::string &uri) const;

  /// Throws RequestError ContentModified if the answer is about another text
  /// than the one the client asked about.
  static void checkVersion(const Json &result, const TextDocument &text);

private:
  /// A call about a document that an edit of it makes stale.
  struct InFlight {
    std::string uri;
    int64_t id; ///< -1: not sent yet
    std::shared_ptr<std::atomic<bool>> overtaken;
  };

  SessionState &session;
  mutable ResultNews resultNews;
  mutable std::mutex mutex;
  std::vector<InFlight> calls; ///< guarded by `mutex`
};

} // namespace tilewright::lsp
