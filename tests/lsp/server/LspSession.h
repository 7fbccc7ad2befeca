//===- LspSession.h - a client of the server in a test ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/client/Client.h"
#include <catch2/catch.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace tilewright::lsp {

inline constexpr auto patience = std::chrono::seconds(20);

/// A client of tilewright-lsp with the fake engine behind it.
struct Session {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Json> published;
  std::deque<Json> progress;
  std::deque<Json> registered;
  Json initializeResult;
  std::unique_ptr<Client> client; // last: its thread uses the rest

  explicit Session(Json initialization = Json::object(),
                   Json encodings = nullptr, bool watches = false) {
    ChildProcess::Options options;
    options.program = SERVER;
    options.environment = {{"TILEWRIGHT_ENGINE", FAKE_ENGINE}};
    std::string error;
    client = Client::spawn(options, error);
    INFO(error);
    REQUIRE(client);
    auto keep = [this](const char *method, std::deque<Json> &list) {
      client->connection().onNotification(method, [this, &list](const Json &p) {
        std::lock_guard lock(mutex);
        list.push_back(p);
        changed.notify_all();
      });
    };
    keep("textDocument/publishDiagnostics", published);
    keep("$/progress", progress);
    client->connection().onAsyncRequest(
        "client/registerCapability",
        [this](std::shared_ptr<IncomingRequest> request) {
          std::lock_guard lock(mutex);
          registered.push_back(request->params());
          changed.notify_all();
          request->reply(nullptr);
        });
    client->start();
    if (initialization.is_null())
      return;
    Json params = {{"processId", nullptr},
                   {"rootUri", nullptr},
                   {"capabilities", Json::object()},
                   {"initializationOptions", {{"tilewright", initialization}}}};
    if (!encodings.is_null())
      params["capabilities"]["general"]["positionEncodings"] = encodings;
    if (watches)
      params["capabilities"]["workspace"]["didChangeWatchedFiles"] = {
          {"dynamicRegistration", true}};
    initializeResult = ask("initialize", params);
    note("initialized", Json::object());
  }

  Response response(const std::string &method, Json params) {
    auto future = client->request(method, std::move(params));
    REQUIRE(future.wait_for(patience) == std::future_status::ready);
    return future.get();
  }
  Json ask(const std::string &method, Json params) {
    Response answer = response(method, std::move(params));
    if (answer.error)
      FAIL(method << ": " << answer.error->message);
    return answer.result;
  }
  void note(const std::string &method, Json params) {
    client->connection().notify(method, std::move(params));
  }
  void open(const std::string &uri, const std::string &text, int version = 1) {
    note("textDocument/didOpen", {{"textDocument",
                                   {{"uri", uri},
                                    {"languageId", "mlir"},
                                    {"version", version},
                                    {"text", text}}}});
  }
  void change(const std::string &uri, int version, Json changes) {
    note("textDocument/didChange",
         {{"textDocument", {{"uri", uri}, {"version", version}}},
          {"contentChanges", std::move(changes)}});
  }
  Json nextDiagnostics() {
    std::unique_lock lock(mutex);
    REQUIRE(
        changed.wait_for(lock, patience, [&] { return !published.empty(); }));
    Json next = published.front();
    published.pop_front();
    return next;
  }
};

inline Json at(const std::string &uri, int line, int character) {
  return {{"textDocument", {{"uri", uri}}},
          {"position", {{"line", line}, {"character", character}}}};
}

inline Json range(int l0, int c0, int l1, int c1) {
  return {{"start", {{"line", l0}, {"character", c0}}},
          {"end", {{"line", l1}, {"character", c1}}}};
}

} // namespace tilewright::lsp
