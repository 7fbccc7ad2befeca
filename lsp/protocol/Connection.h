//===- Connection.h - JSON-RPC with one peer --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/ByteStream.h"
#include "lsp/protocol/Cancel.h"
#include "lsp/protocol/Framing.h"
#include "lsp/protocol/Message.h"
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tilewright::lsp {

/// A request the peer sent. Answer it once, from any thread, now or later; the
/// first answer counts. One that is dropped unanswered is answered with an
/// internal error, so that nobody waits in vain.
class IncomingRequest {
public:
  /// Delivers the response.
  using Sink = std::function<void(Json response)>;
  /// Delivers a notification (progress).
  using Notifier = std::function<void(const std::string &method, Json params)>;

  IncomingRequest(Json id, std::string method, Json params, Sink sink,
                  Notifier notifier);
  ~IncomingRequest();
  IncomingRequest(const IncomingRequest &) = delete;
  IncomingRequest &operator=(const IncomingRequest &) = delete;

  const Json &id() const { return requestId; }
  const std::string &method() const { return name; }
  const Json &params() const { return parameters; }
  /// Set by `$/cancelRequest` and when the peer goes away.
  const CancelToken &cancel() const { return token; }
  /// Throws RequestError(RequestCancelled) if cancelled.
  void throwIfCancelled() const;

  void reply(Json result);
  void fail(const ResponseError &error);
  /// Sends `$/progress {id, message, fraction?}`; `fraction` is 0 to 1.
  void progress(const std::string &message,
                std::optional<double> fraction = std::nullopt) const;
  bool answered() const { return done; }

private:
  Json requestId;
  std::string name;
  Json parameters;
  Sink sink;
  Notifier notifier;
  CancelToken token;
  std::atomic<bool> done = false;
};

/// A response to a request of ours: a result, or an error.
struct Response {
  Json result;
  std::optional<ResponseError> error;
};

/// Both ends of JSON-RPC over one stream: answers the peer's requests and sends
/// our own. Threads: run() reads; notifications are handled in order in that
/// thread; blocking request handlers run in a pool, so a cancel is seen while
/// they work; one more thread writes, so that no sender ever waits for a slow
/// peer. Everything but the on…() setters is thread-safe.
///
/// What peers send wrongly is answered, never fatal, as long as frames can be
/// told apart: bad JSON with -32700, bad messages with -32600; batches are
/// answered as batches.
class Connection {
public:
  struct Options {
    int workers = 4;        ///< threads for blocking handlers
    size_t workerStack = 0; ///< bytes; 0 = the system's default
    int64_t bodyLimit = FrameReader::defaultLimit;
  };

  explicit Connection(std::unique_ptr<ByteStream> stream);
  Connection(std::unique_ptr<ByteStream> stream, Options options);
  /// Stops, cancels what runs and waits for its end.
  ~Connection();
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  // Set before run().

  /// Blocking: runs in the pool; what it returns is the result, a RequestError
  /// it throws the error.
  using Handler = std::function<Json(IncomingRequest &request)>;
  void onRequest(std::string method, Handler handler);
  /// Runs in the reading thread and must return at once; answers when it likes.
  using AsyncHandler =
      std::function<void(std::shared_ptr<IncomingRequest> request)>;
  void onAsyncRequest(std::string method, AsyncHandler handler);
  /// For every request no handler is registered for.
  void onUnknownRequest(AsyncHandler handler);
  using NotificationHandler = std::function<void(const Json &params)>;
  /// Runs in the reading thread, in order with the other messages.
  void onNotification(std::string method, NotificationHandler handler);
  /// Looks at every incoming request before its handler; an error refuses it.
  using Gate =
      std::function<std::optional<ResponseError>(const std::string &method)>;
  void onGate(Gate gate);
  /// The peer broke the protocol (text for a log). The peer was told already
  /// where that makes sense.
  void onProtocolError(std::function<void(const std::string &what)> handler);
  /// Gets each message that could not be read, as far as it came: whoever keeps
  /// a state by messages may learn from it what was lost. Before
  /// onProtocolError's handler.
  void onUnreadable(std::function<void(std::string_view text)> handler);

  /// Reads until the stream ends or stop(). Afterwards every request in flight,
  /// either way, has been failed or cancelled.
  void run();
  /// Makes run() return soon. What was queued for writing may get lost: flush()
  /// first.
  void stop();
  /// Waits until everything sent so far is written; false on timeout or when
  /// the peer is gone.
  bool flush(std::chrono::milliseconds timeout);

  using ResponseHandler = std::function<void(Response response)>;
  /// Sends a request. `done` is called exactly once, from the reading thread,
  /// or from here if the connection has ended. Returns the id.
  int64_t request(const std::string &method, Json params, ResponseHandler done);
  /// Asks the peer to give a request up; its response still comes.
  void cancel(int64_t id);
  void notify(const std::string &method, Json params);

  /// After run(): whether the peer surely went away before it had read all that
  /// was sent.
  bool lostOutput() const;

  /// Methods with a handler, sorted.
  std::vector<std::string> methods() const;

private:
  struct Impl;
  std::shared_ptr<Impl> impl;
};

} // namespace tilewright::lsp
