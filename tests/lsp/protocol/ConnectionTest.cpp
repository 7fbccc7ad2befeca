//===- ConnectionTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Connection.h"
#include <catch2/catch.hpp>
#include <future>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace tilewright::lsp;

namespace {

/// A connection under test and the raw other end.
struct Peer {
  int raw;
  std::unique_ptr<Connection> server;
  std::thread reader;
  FrameReader frames;

  explicit Peer(Connection::Options options = {}) {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    raw = ends[0];
    server = std::make_unique<Connection>(
        std::make_unique<FdStream>(ends[1], ends[1], true), options);
  }
  void start() {
    reader = std::thread([this] { server->run(); });
  }
  ~Peer() {
    ::shutdown(raw, SHUT_RDWR);
    if (reader.joinable())
      reader.join();
    server.reset();
    ::close(raw);
  }
  void sendRaw(const std::string &bytes) {
    REQUIRE(::send(raw, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }
  void send(const Json &json) { sendRaw(frame(json.dump())); }
  Json receive() {
    while (true) {
      if (auto next = frames.next())
        return Json::parse(next->body);
      char buffer[4096];
      ssize_t got = ::recv(raw, buffer, sizeof buffer, 0);
      if (got <= 0)
        return nullptr;
      frames.feed({buffer, static_cast<size_t>(got)});
    }
  }
};

Json request(const Json &id, const char *method, Json params = Json::object()) {
  return {
      {"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
}

} // namespace

TEST_CASE("wrong messages are answered and the next one works") {
  Peer peer;
  peer.server->onRequest("echo", [](IncomingRequest &r) { return r.params(); });
  peer.server->onRequest("throws", [](IncomingRequest &r) -> Json {
    return r.params().at("missing");
  });
  peer.start();

  auto expectError = [&](int code, const Json &id) {
    Json answer = peer.receive();
    INFO(answer.dump());
    REQUIRE(answer.contains("error"));
    CHECK(answer["error"]["code"] == code);
    CHECK(answer["id"] == id);
  };
  peer.sendRaw(frame("{\"half\":"));
  expectError(-32700, nullptr);
  peer.sendRaw(frame("\"\xff\""));
  expectError(-32700, nullptr);
  peer.sendRaw(frame(std::string(100000, '[')));
  expectError(-32700, nullptr);
  peer.sendRaw(frame("3"));
  expectError(-32600, nullptr);
  peer.sendRaw(frame("[]"));
  expectError(-32600, nullptr);
  peer.send({{"id", 5}, {"method", "echo"}}); // no "jsonrpc"
  expectError(-32600, 5);
  peer.send({{"jsonrpc", "2.0"}, {"id", 6}, {"method", 3}});
  expectError(-32600, 6);
  peer.send({{"jsonrpc", "2.0"}, {"id", 7}, {"method", "echo"}, {"params", 3}});
  expectError(-32600, 7);
  peer.send(request(8, "nothing"));
  expectError(-32601, 8);
  peer.send(request(9, "throws"));
  expectError(-32602, 9);
  peer.sendRaw("Content-Length: x\r\n\r\n");
  expectError(-32600, nullptr);
  peer.send({{"jsonrpc", "2.0"}, {"method", "unknown/notification"}});
  peer.send(request("text id", "echo", {{"a", 1}}));
  Json answer = peer.receive();
  CHECK(answer["id"] == "text id");
  CHECK(answer["result"]["a"] == 1);
}

TEST_CASE("a batch is answered as a batch") {
  Peer peer;
  peer.server->onRequest("echo", [](IncomingRequest &r) { return r.params(); });
  std::atomic<int> seen = 0;
  peer.server->onNotification("note", [&](const Json &) { ++seen; });
  peer.start();
  peer.send(Json::array({request(1, "echo", {{"n", 1}}),
                         {{"jsonrpc", "2.0"}, {"method", "note"}},
                         3,
                         request(2, "echo", {{"n", 2}})}));
  Json answer = peer.receive();
  REQUIRE(answer.is_array());
  CHECK(answer.size() == 3);
  CHECK(seen == 1);
}

TEST_CASE("a cancel is honoured while other handlers run") {
  Connection::Options options;
  options.workers = 2;
  Peer peer(options);
  peer.server->onRequest("wait", [](IncomingRequest &r) -> Json {
    while (true) {
      r.throwIfCancelled();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  peer.start();
  for (int id : {1, 2, 3}) // the third waits for a thread
    peer.send(request(id, "wait"));
  for (int id : {3, 1, 2}) {
    peer.send({{"jsonrpc", "2.0"},
               {"method", "$/cancelRequest"},
               {"params", {{"id", id}}}});
    Json answer = peer.receive();
    CHECK(answer["id"] == id);
    CHECK(answer["error"]["code"] == -32800);
  }
}

TEST_CASE("a request given up by its handler is answered") {
  Peer peer;
  peer.server->onAsyncRequest("drop", [](std::shared_ptr<IncomingRequest>) {});
  peer.start();
  peer.send(request(1, "drop"));
  CHECK(peer.receive()["error"]["code"] == -32603);
}

TEST_CASE("an id in use is refused, and free again afterwards") {
  Peer peer;
  std::promise<void> go;
  auto future = go.get_future().share();
  peer.server->onRequest("wait", [future](IncomingRequest &) -> Json {
    future.wait();
    return 1;
  });
  peer.start();
  peer.send(request(1, "wait"));
  peer.send(request(1, "wait"));
  CHECK(peer.receive()["error"]["code"] == -32600);
  go.set_value();
  CHECK(peer.receive()["result"] == 1);
  peer.send(request(1, "wait"));
  CHECK(peer.receive()["result"] == 1);
}

TEST_CASE("our own requests end when the peer goes away") {
  Peer peer;
  peer.start();
  std::promise<Response> first, second;
  int64_t id = peer.server->request(
      "ask", {{"q", 1}}, [&](Response r) { first.set_value(std::move(r)); });
  CHECK(peer.receive()["method"] == "ask");
  peer.send({{"jsonrpc", "2.0"}, {"id", id}, {"result", 42}});
  CHECK(first.get_future().get().result == 42);
  peer.server->request("ask", nullptr,
                       [&](Response r) { second.set_value(std::move(r)); });
  CHECK(peer.receive()["method"] == "ask");
  ::shutdown(peer.raw, SHUT_RDWR);
  Response lost = second.get_future().get();
  REQUIRE(lost.error);
  CHECK(lost.error->code == ErrorCode::ConnectionClosed);
}

TEST_CASE("a peer that reads nothing blocks neither senders nor the end") {
  Peer peer;
  peer.start();
  std::string big(1000000, 'x');
  for (int i = 0; i < 20; ++i)
    peer.server->notify("flood", {{"text", big}});
  CHECK_FALSE(peer.server->flush(std::chrono::milliseconds(20)));
  peer.server->stop();
}

TEST_CASE("notifications are handled in order before later requests") {
  Peer peer;
  int value = 0;
  peer.server->onNotification("set", [&](const Json &p) { value = p["v"]; });
  peer.server->onAsyncRequest(
      "get", [&](std::shared_ptr<IncomingRequest> r) { r->reply(value); });
  peer.start();
  for (int i = 1; i <= 50; ++i) {
    peer.send({{"jsonrpc", "2.0"}, {"method", "set"}, {"params", {{"v", i}}}});
    peer.send(request(i, "get"));
  }
  for (int i = 1; i <= 50; ++i)
    CHECK(peer.receive()["result"] == i);
}
