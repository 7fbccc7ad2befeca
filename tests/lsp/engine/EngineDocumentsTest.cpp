// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tilewright-engine itself, over its standard input and output.
#include "lsp/client/ChildProcess.h"
#include "lsp/protocol/Connection.h"
#include "lsp/protocol/Methods.h"
#include <catch2/catch.hpp>
#include <condition_variable>
#include <thread>

using namespace tilewright;
using namespace tilewright::lsp;

namespace {

class Engine {
public:
  Engine() {
    std::string error;
    ChildProcess::Options options;
    options.program = ENGINE;
    process = ChildProcess::spawn(options, error);
    INFO(error);
    REQUIRE(process);
    connection = std::make_unique<Connection>(process->takeStream());
    reader = std::thread([this] { connection->run(); });
  }
  ~Engine() {
    connection->stop();
    reader.join();
  }

  struct Answer {
    std::mutex mutex;
    std::condition_variable ready;
    std::optional<Response> response;
    Response wait() {
      std::unique_lock lock(mutex);
      REQUIRE(ready.wait_for(lock, std::chrono::seconds(60),
                             [&] { return response.has_value(); }));
      return *response;
    }
  };
  std::shared_ptr<Answer> send(const char *method, Json params,
                               int64_t *id = nullptr) {
    auto answer = std::make_shared<Answer>();
    int64_t number =
        connection->request(method, std::move(params), [answer](Response r) {
          std::lock_guard lock(answer->mutex);
          answer->response = std::move(r);
          answer->ready.notify_all();
        });
    if (id)
      *id = number;
    return answer;
  }
  Json ask(const char *method, Json params) {
    Response response = send(method, std::move(params))->wait();
    if (response.error)
      FAIL(response.error->message);
    return response.result;
  }
  void open(const std::string &text, int version = 1) {
    connection->notify(method::didOpen, OpenParams{uri, version, text});
  }

  const std::string uri = "file:///e.mlir";
  std::unique_ptr<ChildProcess> process;
  std::unique_ptr<Connection> connection;
  std::thread reader;
};

const std::string text = "func.func @f(%x: f32) -> f32 {\n"
                         "  %y = arith.addf %x, %x : f32\n"
                         "  return %y : f32\n}\n";

} // namespace

TEST_CASE("the engine answers about a document as it is edited") {
  Engine engine;
  CHECK(engine.ask(method::initialize, Json::object()).at("pid") ==
        int64_t(engine.process->pid()));
  engine.open(text);
  Json answer = engine.ask(method::diagnostics, {{"uri", engine.uri}});
  CHECK(answer.at("schema") == "tilewright/diagnostics");
  CHECK(answer.at("documentVersion") == 1);
  CHECK(answer.at("diagnostics").empty());
  int64_t generation = answer.at("generation");

  int64_t y = int64_t(text.find("%y"));
  answer = engine.ask(method::hover, {{"uri", engine.uri}, {"offset", y}});
  CHECK(answer.at("markdown").get<std::string>().find("%y: f32") !=
        std::string::npos);
  CHECK(answer.at("range").at("begin") == y);
  answer = engine.ask(method::definition,
                      {{"uri", engine.uri}, {"offset", text.rfind("%y")}});
  CHECK(answer.at("ranges").at(0).at("range").at("begin") == y);
  CHECK(answer.at("ranges").at(0).at("uri") == engine.uri);
  answer = engine.ask(method::symbols, {{"uri", engine.uri}});
  CHECK(answer.at("symbols").at(0).at("name") == "f");
  CHECK(answer.at("symbols").at(0).at("children").size() == 2);
  answer = engine.ask(method::keyAt, {{"uri", engine.uri}, {"offset", y}});
  CHECK(answer.at("keys") == Json{"f/y"});
  CHECK(answer.at("source").at("range").at("begin") == y);
  CHECK(engine.ask(method::hover, {{"uri", engine.uri}, {"offset", 100000}})
            .is_null());

  int64_t at = int64_t(text.find("addf"));
  engine.connection->notify(method::didChange,
                            ChangeParams{engine.uri, 2, {{at, at + 4, "adf"}}});
  answer = engine.ask(method::diagnostics, {{"uri", engine.uri}});
  CHECK(answer.at("documentVersion") == 2);
  CHECK(answer.at("generation") > generation);
  REQUIRE(answer.at("diagnostics").size() >= 1);
  CHECK(answer.at("diagnostics").at(0).at("code") == "TW0020");
  CHECK(answer.at("diagnostics").at(0).at("range").at("begin") ==
        int64_t(text.find("arith")));
}

TEST_CASE("what cannot be answered is an error with a code") {
  Engine engine;
  Response response =
      engine.send(method::diagnostics, {{"uri", "file:///none"}})->wait();
  REQUIRE(response.error);
  CHECK(response.error->diagnostic().code == "TW0605");
  engine.open(text);
  // An edit that does not fit breaks the document until it is sent again.
  engine.connection->notify(method::didChange,
                            ChangeParams{engine.uri, 2, {{900, 901, ""}}});
  response = engine.send(method::diagnostics, {{"uri", engine.uri}})->wait();
  REQUIRE(response.error);
  CHECK(response.error->diagnostic().code == "TW0017");
  engine.open(text, 3);
  CHECK(engine.ask(method::diagnostics, {{"uri", engine.uri}})
            .at("documentVersion") == 3);
  response = engine.send(method::hover, {{"uri", 5}})->wait();
  CHECK(response.error);
  engine.connection->notify(method::didClose, CloseParams{engine.uri});
  response =
      engine.send(method::hover, {{"uri", engine.uri}, {"offset", 0}})->wait();
  CHECK(response.error);
}

TEST_CASE("bytes that are not UTF-8 come through as text that is") {
  Engine engine;
  // A front repairs texts before sending; a name in quotes may still be odd.
  engine.open("func.func @\"\xC3\xA9\"() {\n  return\n}\n");
  Json symbols = engine.ask(method::symbols, {{"uri", engine.uri}});
  CHECK(symbols.at("symbols").at(0).at("name") == "\xC3\xA9");
}

TEST_CASE("a long reading is cancelled and the engine goes on") {
  Engine engine;
  std::string large;
  for (int f = 0; f < 300; ++f) {
    large += "func.func @f" + std::to_string(f) +
             "(%x: f32) -> f32 {\n"
             "  %v0 = arith.addf %x, %x : f32\n";
    for (int i = 1; i < 300; ++i)
      large += "  %v" + std::to_string(i) + " = arith.mulf %v" +
               std::to_string(i - 1) + ", %x : f32\n";
    large += "  return %v299 : f32\n}\n";
  }
  engine.open(large);
  int64_t id = 0;
  auto answer = engine.send(method::diagnostics, {{"uri", engine.uri}}, &id);
  engine.connection->cancel(id);
  Response response = answer->wait();
  REQUIRE(response.error);
  CHECK(response.error->code == ErrorCode::RequestCancelled);
  CHECK(engine.ask(method::diagnostics, {{"uri", engine.uri}})
            .at("diagnostics")
            .empty());
}
