//===- Connection.cpp - JSON-RPC with one peer ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Connection.h"
#include "lsp/protocol/Params.h"
#include "lsp/protocol/Utf8.h"
#include "lsp/protocol/WorkerPool.h"
#include <algorithm>
#include <map>
#include <thread>
#include <unordered_map>

namespace tilewright::lsp {

//===----------------------------------------------------------------------===//
// IncomingRequest
//===----------------------------------------------------------------------===//

IncomingRequest::IncomingRequest(Json id, std::string method, Json params,
                                 Sink sink, Notifier notifier)
    : requestId(std::move(id)), name(std::move(method)),
      parameters(std::move(params)), sink(std::move(sink)),
      notifier(std::move(notifier)) {}

IncomingRequest::~IncomingRequest() {
  if (!done)
    fail({ErrorCode::InternalError, name + " was given up without an answer",
          nullptr});
}

void IncomingRequest::throwIfCancelled() const {
  if (token.cancelled())
    throw RequestError(ErrorCode::RequestCancelled, "cancelled");
}

void IncomingRequest::reply(Json result) {
  if (!done.exchange(true))
    sink(makeResult(requestId, std::move(result)));
}

void IncomingRequest::fail(const ResponseError &error) {
  if (!done.exchange(true))
    sink(makeError(requestId, error));
}

void IncomingRequest::progress(const std::string &message,
                               std::optional<double> fraction) const {
  if (done)
    return;
  Json params = {{"id", requestId}, {"message", message}};
  if (fraction)
    params["fraction"] = *fraction;
  notifier("$/progress", std::move(params));
}

//===----------------------------------------------------------------------===//
// Connection::Impl
//===----------------------------------------------------------------------===//

namespace {

/// Collects the answers to one batch and delivers them together.
struct Batch {
  std::mutex mutex;
  Json responses = Json::array();
  size_t missing = 0;
  IncomingRequest::Sink sink;

  void add(Json response) {
    std::unique_lock lock(mutex);
    responses.push_back(std::move(response));
    if (--missing > 0)
      return;
    Json all = std::move(responses);
    lock.unlock();
    sink(std::move(all));
  }
};

} // namespace

struct Connection::Impl : std::enable_shared_from_this<Connection::Impl> {
  std::unique_ptr<ByteStream> stream;
  Options options;

  std::unordered_map<std::string, Handler> handlers;
  std::unordered_map<std::string, AsyncHandler> asyncHandlers;
  std::unordered_map<std::string, NotificationHandler> notificationHandlers;
  AsyncHandler unknownHandler;
  Gate gate;
  std::function<void(const std::string &)> protocolErrorHandler;
  std::function<void(std::string_view)> unreadableHandler;

  std::mutex mutex; // guards all below
  std::condition_variable outgoingChanged;
  std::deque<std::string> outgoing;
  bool writing = false;
  bool closed = false; ///< nothing more is sent or received
  bool unsent = false; ///< something was still to be sent then
  std::map<std::string, std::weak_ptr<IncomingRequest>> incoming;
  std::map<int64_t, ResponseHandler> pending;
  int64_t nextId = 1;

  std::thread writer;
  std::unique_ptr<WorkerPool> pool;

  void send(const Json &json) {
    std::string body = writeJson(json);
    std::string header = frameHeader(body.size());
    std::lock_guard lock(mutex);
    if (closed)
      return;
    outgoing.push_back(std::move(header));
    outgoing.push_back(std::move(body));
    outgoingChanged.notify_all();
  }

  void write() {
    std::unique_lock lock(mutex);
    while (true) {
      outgoingChanged.wait(lock, [&] { return closed || !outgoing.empty(); });
      if (outgoing.empty())
        return;
      // Small messages go out together: one wake-up of the peer.
      std::string text = std::move(outgoing.front());
      outgoing.pop_front();
      while (!outgoing.empty() &&
             text.size() + outgoing.front().size() < 65536) {
        text += outgoing.front();
        outgoing.pop_front();
      }
      writing = true;
      lock.unlock();
      bool ok = stream->write(text);
      lock.lock();
      writing = false;
      if (!ok) {
        closed = unsent = true;
        outgoing.clear();
      }
      outgoingChanged.notify_all();
    }
  }

  void protocolError(const std::string &what) {
    if (protocolErrorHandler)
      protocolErrorHandler(what);
  }

  void unreadable(std::string_view text) {
    if (unreadableHandler)
      unreadableHandler(text);
  }

  void handleText(std::string text) {
    std::string error;
    std::optional<Json> json = parseJsonInPlace(text, error);
    if (!json) {
      send(makeError(nullptr, {ErrorCode::ParseError, error, nullptr}));
      unreadable(text);
      protocolError(error);
      return;
    }
    if (!json->is_array()) {
      handleMessage(std::move(*json), nullptr);
      return;
    }
    if (json->empty()) {
      send(makeError(nullptr,
                     {ErrorCode::InvalidRequest, "an empty batch", nullptr}));
      protocolError("an empty batch");
      return;
    }
    auto batch = std::make_shared<Batch>();
    batch->sink = sink();
    // What gets an answer: requests, and what is not a message at all.
    for (const Json &item : *json) {
      bool isObject = item.is_object();
      bool request = isObject && item.contains("id") && item.contains("method");
      bool broken = !isObject || item.value("jsonrpc", Json()) != "2.0" ||
                    Message::fromJson(item).kind == Message::Kind::Invalid;
      batch->missing += request || broken;
    }
    for (Json &item : *json)
      handleMessage(std::move(item), batch);
  }

  IncomingRequest::Sink sink() {
    return [weak = weak_from_this()](Json response) {
      if (auto self = weak.lock())
        self->send(response);
    };
  }

  void handleMessage(Json json, std::shared_ptr<Batch> batch) {
    IncomingRequest::Sink out = sink();
    if (batch)
      out = [batch](Json response) { batch->add(std::move(response)); };

    Message message = Message::fromJson(std::move(json));
    switch (message.kind) {
    case Message::Kind::Invalid:
      out(makeError(message.id,
                    {ErrorCode::InvalidRequest, message.invalid, nullptr}));
      protocolError(message.invalid);
      return;
    case Message::Kind::Response:
      handleResponse(std::move(message));
      return;
    case Message::Kind::Notification:
      handleNotification(message);
      return;
    case Message::Kind::Request:
      handleRequest(std::move(message), std::move(out));
      return;
    }
  }

  void handleResponse(Message message) {
    ResponseHandler done;
    {
      std::lock_guard lock(mutex);
      auto it = message.id.is_number_integer()
                    ? pending.find(message.id.get<int64_t>())
                    : pending.end();
      if (it != pending.end()) {
        done = std::move(it->second);
        pending.erase(it);
      }
    }
    if (done)
      done({std::move(message.result), std::move(message.error)});
    else if (message.error && message.id.is_null())
      protocolError("the peer could not read a message: " +
                    message.error->message);
    else
      protocolError("a response to no request, id " + writeJson(message.id));
  }

  void handleNotification(const Message &message) {
    if (message.method == "$/cancelRequest") {
      if (!message.params.is_object() || !message.params.contains("id"))
        return;
      std::shared_ptr<IncomingRequest> request;
      {
        std::lock_guard lock(mutex);
        auto it = incoming.find(message.params["id"].dump());
        if (it != incoming.end())
          request = it->second.lock();
      }
      if (request)
        request->cancel().cancel();
      return;
    }
    auto it = notificationHandlers.find(message.method);
    if (it == notificationHandlers.end())
      return; // unknown notifications are to be ignored
    if (gate && gate(message.method))
      return;
    try {
      it->second(message.params);
    } catch (const Json::exception &e) {
      protocolError(message.method + ": " + describe(e));
    } catch (const std::exception &e) {
      protocolError(message.method + ": " + e.what());
    }
  }

  void handleRequest(Message message, IncomingRequest::Sink out) {
    std::string key = message.id.dump();
    // Deregisters before the answer goes out, so the id is free again when the
    // peer sees it.
    auto deregister = [weak = weak_from_this(), key,
                       out = std::move(out)](Json response) {
      if (auto self = weak.lock()) {
        std::lock_guard lock(self->mutex);
        self->incoming.erase(key);
      }
      out(std::move(response));
    };
    auto notifier = [weak = weak_from_this()](const std::string &method,
                                              Json params) {
      if (auto self = weak.lock())
        self->send(makeNotification(method, std::move(params)));
    };
    {
      std::unique_lock lock(mutex);
      if (incoming.count(key)) {
        lock.unlock();
        send(makeError(message.id,
                       {ErrorCode::InvalidRequest,
                        "a request with id " + key + " is still being answered",
                        nullptr}));
        return;
      }
    }
    auto request = std::make_shared<IncomingRequest>(
        message.id, message.method, std::move(message.params),
        std::move(deregister), std::move(notifier));
    {
      std::lock_guard lock(mutex);
      incoming[key] = request;
    }
    if (gate)
      if (std::optional<ResponseError> refusal = gate(message.method)) {
        request->fail(*refusal);
        return;
      }
    if (auto it = asyncHandlers.find(message.method); it != asyncHandlers.end())
      return guarded(request, [&] { it->second(request); });
    if (auto it = handlers.find(message.method); it != handlers.end()) {
      // A cancel is answered at once while the request still waits for a
      // thread.
      auto begun = std::make_shared<std::atomic<bool>>(false);
      request->cancel().onCancel([weak = std::weak_ptr(request), begun] {
        if (auto request = weak.lock(); request && !begun->exchange(true))
          request->fail({ErrorCode::RequestCancelled, "cancelled", nullptr});
      });
      pool->run([request, begun, handler = &it->second] {
        if (!begun->exchange(true))
          guarded(request, [&] { request->reply((*handler)(*request)); });
      });
      return;
    }
    if (unknownHandler)
      return guarded(request, [&] { unknownHandler(request); });
    request->fail({ErrorCode::MethodNotFound,
                   "no method " + replaceInvalidUtf8(message.method), nullptr});
  }

  template <typename Body>
  static void guarded(const std::shared_ptr<IncomingRequest> &request,
                      Body body) {
    try {
      body();
    } catch (const RequestError &e) {
      request->fail(e.error);
    } catch (const Json::exception &e) {
      request->fail({ErrorCode::InvalidParams,
                     request->method() + ": " + describe(e), nullptr});
    } catch (const std::exception &e) {
      request->fail({ErrorCode::InternalError,
                     request->method() + ": " + replaceInvalidUtf8(e.what()),
                     nullptr});
    }
  }

  /// After the stream ended.
  void end() {
    std::map<int64_t, ResponseHandler> lost;
    std::vector<std::shared_ptr<IncomingRequest>> orphans;
    {
      std::lock_guard lock(mutex);
      closed = true;
      unsent |= writing || !outgoing.empty();
      lost.swap(pending);
      for (auto &[key, weak] : incoming)
        if (auto request = weak.lock())
          orphans.push_back(std::move(request));
      outgoingChanged.notify_all();
    }
    for (auto &request : orphans)
      request->cancel().cancel();
    for (auto &[id, done] : lost)
      done({nullptr, ResponseError{ErrorCode::ConnectionClosed,
                                   "the connection ended", nullptr}});
  }
};

//===----------------------------------------------------------------------===//
// Connection
//===----------------------------------------------------------------------===//

Connection::Connection(std::unique_ptr<ByteStream> stream)
    : Connection(std::move(stream), Options()) {}

Connection::Connection(std::unique_ptr<ByteStream> stream, Options options)
    : impl(std::make_shared<Impl>()) {
  impl->stream = std::move(stream);
  impl->options = options;
  impl->pool =
      std::make_unique<WorkerPool>(options.workers, options.workerStack);
  impl->writer = std::thread([state = impl.get()] { state->write(); });
}

Connection::~Connection() {
  stop();
  impl->end();
  impl->pool.reset(); // waits for handlers; they have been cancelled
  impl->writer.join();
}

void Connection::onRequest(std::string method, Handler handler) {
  impl->handlers[std::move(method)] = std::move(handler);
}
void Connection::onAsyncRequest(std::string method, AsyncHandler handler) {
  impl->asyncHandlers[std::move(method)] = std::move(handler);
}
void Connection::onUnknownRequest(AsyncHandler handler) {
  impl->unknownHandler = std::move(handler);
}
void Connection::onNotification(std::string method,
                                NotificationHandler handler) {
  impl->notificationHandlers[std::move(method)] = std::move(handler);
}
void Connection::onGate(Gate gate) { impl->gate = std::move(gate); }
void Connection::onProtocolError(
    std::function<void(const std::string &)> handler) {
  impl->protocolErrorHandler = std::move(handler);
}
void Connection::onUnreadable(std::function<void(std::string_view)> handler) {
  impl->unreadableHandler = std::move(handler);
}

void Connection::run() {
  FrameReader reader(impl->options.bodyLimit);
  std::string buffer(65536, '\0');
  bool dead = false;
  while (!dead) {
    size_t got = impl->stream->read(buffer.data(), buffer.size());
    if (got == 0)
      break;
    reader.feed(std::string_view(buffer).substr(0, got));
    while (std::optional<Frame> next = reader.next()) {
      if (next->error.empty()) {
        impl->handleText(std::move(next->body));
        continue;
      }
      impl->send(makeError(nullptr,
                           {ErrorCode::InvalidRequest, next->error, nullptr}));
      impl->unreadable(next->body);
      impl->protocolError(next->error);
      if (next->fatal) {
        flush(std::chrono::milliseconds(500));
        dead = true;
        break;
      }
    }
  }
  impl->end();
}

void Connection::stop() { impl->stream->stop(); }

bool Connection::flush(std::chrono::milliseconds timeout) {
  std::unique_lock lock(impl->mutex);
  bool idle = impl->outgoingChanged.wait_for(lock, timeout, [&] {
    return impl->closed || (impl->outgoing.empty() && !impl->writing);
  });
  return idle && !impl->closed;
}

int64_t Connection::request(const std::string &method, Json params,
                            ResponseHandler done) {
  int64_t id;
  bool closed;
  {
    std::lock_guard lock(impl->mutex);
    id = impl->nextId++;
    closed = impl->closed;
    if (!closed)
      impl->pending.emplace(id, std::move(done));
    else
      impl->unsent = true;
  }
  if (closed)
    done({nullptr, ResponseError{ErrorCode::ConnectionClosed,
                                 "the connection has ended", nullptr}});
  else
    impl->send(makeRequest(id, method, std::move(params)));
  return id;
}

void Connection::cancel(int64_t id) {
  impl->send(makeNotification("$/cancelRequest", {{"id", id}}));
}

void Connection::notify(const std::string &method, Json params) {
  impl->send(makeNotification(method, std::move(params)));
}

bool Connection::lostOutput() const {
  std::lock_guard lock(impl->mutex);
  return impl->unsent || impl->stream->lostOutput();
}

std::vector<std::string> Connection::methods() const {
  std::vector<std::string> names;
  for (const auto &[name, handler] : impl->handlers)
    names.push_back(name);
  for (const auto &[name, handler] : impl->asyncHandlers)
    names.push_back(name);
  for (const auto &[name, handler] : impl->notificationHandlers)
    names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace tilewright::lsp
