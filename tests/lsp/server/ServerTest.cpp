//===- ServerTest.cpp - sessions over real standard input and output ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Server.h"
#include "lsp/client/Client.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/CodeActions.h"
#include "lsp/server/Tcp.h"
#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <deque>
#include <fstream>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>

using namespace tilewright::lsp;

namespace {

constexpr auto patience = std::chrono::seconds(20);

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

Json at(const std::string &uri, int line, int character) {
  return {{"textDocument", {{"uri", uri}}},
          {"position", {{"line", line}, {"character", character}}}};
}

Json range(int l0, int c0, int l1, int c1) {
  return {{"start", {{"line", l0}, {"character", c0}}},
          {"end", {{"line", l1}, {"character", c1}}}};
}

} // namespace

TEST_CASE("a session from initialize to exit") {
  Session session;
  const Json &capabilities = session.initializeResult["capabilities"];
  CHECK(capabilities["positionEncoding"] == "utf-16");
  CHECK(capabilities["textDocumentSync"]["change"] == 2);
  CHECK(capabilities["hoverProvider"] == true);
  CHECK(session.initializeResult["serverInfo"]["name"] == "tilewright-lsp");
  CHECK(session.client->shutdown(patience).clean());
}

TEST_CASE("exit without shutdown, and a client that goes away, give 1") {
  Session session;
  session.note("exit", nullptr);
  auto status = session.client->process().wait(patience);
  REQUIRE(status);
  CHECK(status->code == 1);
}

TEST_CASE("requests before initialize and after shutdown are refused") {
  Session session(nullptr);
  Response early = session.response("tilewright/targets", Json::object());
  REQUIRE(early.error);
  CHECK(early.error->code == ErrorCode::ServerNotInitialized);
  session.ask("initialize", {{"capabilities", Json::object()}});
  session.ask("shutdown", nullptr);
  Response late = session.response("tilewright/targets", Json::object());
  REQUIRE(late.error);
  CHECK(late.error->code == ErrorCode::InvalidRequest);
  session.note("exit", nullptr);
  CHECK(session.client->process().wait(patience)->code == 0);
}

TEST_CASE("positions are converted in the negotiated encoding") {
  // "a", an emoji (4 bytes, 2 units, 1 code point), "b".
  std::string uri = "file:///t.mlir", text = "x\na\xF0\x9F\x98\x80"
                                             "b\n";
  auto check = [&](Json encodings, const char *name, int characterOfB) {
    Session session(Json::object(), encodings);
    CHECK(session.initializeResult["capabilities"]["positionEncoding"] == name);
    session.open(uri, text);
    Json hover = session.ask("textDocument/hover", at(uri, 1, characterOfB));
    CHECK(hover["contents"]["value"] == "at 7");
    CHECK(hover["range"] == range(1, characterOfB, 1, characterOfB + 1));
    Json places = session.ask("textDocument/definition", at(uri, 1, 0));
    REQUIRE(places.size() == 1);
    CHECK(places[0]["range"] == range(1, 0, 1, 1));
    Json symbols = session.ask("textDocument/documentSymbol",
                               {{"textDocument", {{"uri", uri}}}});
    CHECK(symbols[0]["name"] == "f");
    CHECK(symbols[0]["range"] == range(0, 0, 2, 0));
    CHECK(symbols[0]["children"][0]["kind"] == 25);
  };
  check(nullptr, "utf-16", 3);
  check({"utf-32", "utf-8"}, "utf-8", 5);
  check({"utf-32"}, "utf-32", 2);
}

TEST_CASE("incremental edits reach the engine as they were made") {
  Session session;
  std::string uri = "file:///t.mlir";
  session.open(uri, "one\r\ntw\xC3\xB6\r\nthree");
  session.change(uri, 2,
                 {{{"range", range(1, 3, 1, 3)}, {"text", "!\n4"}},
                  {{"range", range(0, 0, 1, 0)}, {"text", ""}}});
  Json ir = session.ask("tilewright/ir", {{"uri", uri}, {"stage", "tile"}});
  CHECK(ir["text"] == "// tile\ntw\xC3\xB6!\n4\r\nthree");
  CHECK(ir["documentVersion"] == 2);
  session.change(uri, 3, {{{"text", "whole"}}});
  ir = session.ask("tilewright/ir", {{"uri", uri}, {"stage", "tile"}});
  CHECK(ir["text"] == "// tile\nwhole");
}

TEST_CASE("diagnostics follow the text, for its newest version only") {
  Session session({{"diagnosticsDelay", 50}});
  std::string uri = "file:///t.mlir";
  session.open(uri, "fine\n@wrong 2\n");
  Json first = session.nextDiagnostics();
  CHECK(first["version"] == 1);
  REQUIRE(first["diagnostics"].size() == 1);
  CHECK(first["diagnostics"][0]["range"] == range(1, 0, 1, 1));
  CHECK(first["diagnostics"][0]["code"] == "TW0198");
  CHECK(first["diagnostics"][0]["severity"] == 1);
  CHECK(first["diagnostics"][0]["source"] == "tilewright");
  // A burst of edits is checked once.
  for (int version = 2; version <= 30; ++version)
    session.change(uri, version,
                   {{{"range", range(0, 0, 0, 0)}, {"text", "x"}}});
  session.change(uri, 31, {{{"text", "mended"}}});
  // (More than once if this machine is so busy that the burst takes long.)
  Json second = session.nextDiagnostics();
  int64_t last = second["version"].get<int64_t>();
  for (int checks = 1; last != 31; ++checks) {
    REQUIRE(checks < 15);
    second = session.nextDiagnostics();
    CHECK(second["version"] > last);
    last = second["version"].get<int64_t>();
  }
  CHECK(second["diagnostics"].empty());
  session.note("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
  CHECK(session.nextDiagnostics()["diagnostics"].empty());
  CHECK(session.client->shutdown(patience).clean());
  std::lock_guard lock(session.mutex);
  CHECK(session.published.empty());
}

TEST_CASE("what compiling found stays until the next compilation") {
  // Nothing is compiled unasked: what the client asks for tells of it.
  Session session({{"diagnosticsDelay", 0}, {"compileDelay", -1}});
  std::string uri = "file:///later.mlir";
  session.open(uri, "one\ntwo @later three\n");
  CHECK(session.nextDiagnostics()["diagnostics"].empty());
  session.ask("tilewright/stages", {{"uri", uri}});
  Json found = session.nextDiagnostics()["diagnostics"];
  REQUIRE(found.size() == 1);
  CHECK(found[0]["code"] == "TW0197");
  CHECK(found[0]["range"] == range(1, 4, 1, 10));

  // A line before it, and a word on its line: it moves along.
  session.change(uri, 2,
                 {{{"range", range(0, 3, 0, 3)}, {"text", "\nnew"}},
                  {{"range", range(2, 0, 2, 3)}, {"text", "seventy"}}});
  Json moved = session.nextDiagnostics();
  CHECK(moved["version"] == 2);
  REQUIRE(moved["diagnostics"].size() == 1);
  CHECK(moved["diagnostics"][0]["range"] == range(2, 8, 2, 14));
  // Beside what reading finds, which stops the compiler.
  session.change(uri, 3,
                 {{{"range", range(0, 0, 0, 0)}, {"text", "@wrong 1\n"}}});
  Json both = session.nextDiagnostics()["diagnostics"];
  REQUIRE(both.size() == 2);
  CHECK(both[0]["code"] == "TW0198");
  CHECK(both[1]["range"] == range(3, 8, 3, 14));
  session.change(uri, 4, {{{"range", range(0, 0, 1, 0)}, {"text", ""}}});
  REQUIRE(session.nextDiagnostics()["diagnostics"].size() == 1);

  SECTION("an edit of its place takes it away") {
    session.change(uri, 5, {{{"range", range(2, 9, 2, 10)}, {"text", ""}}});
    CHECK(session.nextDiagnostics()["diagnostics"].empty());
  }
  SECTION("so does the next compilation") {
    session.change(uri, 5, {{{"range", range(0, 0, 0, 0)}, {"text", "x"}}});
    CHECK(session.nextDiagnostics()["diagnostics"].size() == 1);
    session.change(uri, 6, {{{"text", "mended"}}});
    CHECK(session.nextDiagnostics()["diagnostics"].empty());
  }
  SECTION("and another target") {
    session.ask("tilewright/setTarget", {{"target", "ascend-a3"}});
    CHECK(session.nextDiagnostics()["diagnostics"].empty());
  }
}

TEST_CASE("a client that can is asked to watch the pins") {
  Session session(Json::object(), nullptr, /*watches=*/true);
  {
    std::unique_lock lock(session.mutex);
    REQUIRE(session.changed.wait_for(
        lock, patience, [&] { return !session.registered.empty(); }));
    const Json &asked = session.registered.front()["registrations"];
    REQUIRE(asked.size() == 1);
    CHECK(asked[0]["method"] == "workspace/didChangeWatchedFiles");
    CHECK(asked[0]["registerOptions"]["watchers"][0]["globPattern"] ==
          "**/*.pins.json");
  }
  // The text beside the file is checked again: the list is told anew, since
  // nothing was told of this check yet.
  session.open("file:///t.mlir", "text");
  session.nextDiagnostics();
  session.note("workspace/didChangeWatchedFiles",
               {{"changes",
                 {{{"uri", "file:///u.mlir.pins.json"}, {"type", 2}},
                  {{"uri", "file:///t.mlir.pins.json"}, {"type", 1}}}}});
  CHECK(session.nextDiagnostics()["uri"] == "file:///t.mlir");
}

TEST_CASE("a client that cannot watch files is not asked to") {
  Session session;
  session.open("file:///t.mlir", "text");
  session.nextDiagnostics();
  std::lock_guard lock(session.mutex);
  CHECK(session.registered.empty());
}

TEST_CASE("a text that kills the engine is told so, in its place") {
  Session session;
  session.open("file:///bad.mlir", "@crash-open");
  Json told = session.nextDiagnostics();
  CHECK(told["uri"] == "file:///bad.mlir");
  CHECK(told["diagnostics"][0]["code"] == "TW0601");
  session.open("file:///good.mlir", "good");
  CHECK(session.nextDiagnostics()["diagnostics"].empty());
  Response bad =
      session.response("textDocument/hover", at("file:///bad.mlir", 0, 0));
  REQUIRE(bad.error);
  CHECK(bad.error->message.find("/bad.mlir") != std::string::npos);
  CHECK(session.ask("textDocument/hover", at("file:///good.mlir", 0, 0))
            .is_object());
}

TEST_CASE("requests are concurrent and cancellable") {
  Session session;
  session.open("file:///slow.mlir", "@slow 15000");
  session.open("file:///quick.mlir", "quick");
  std::promise<Response> slow;
  int64_t id = session.client->connection().request(
      "tilewright/run", {{"uri", "file:///slow.mlir"}},
      [&](Response r) { slow.set_value(std::move(r)); });
  Json stages =
      session.ask("tilewright/stages", {{"uri", "file:///quick.mlir"}});
  CHECK(stages["schema"] == "tilewright/stages");
  session.client->connection().cancel(id);
  auto future = slow.get_future();
  REQUIRE(future.wait_for(std::chrono::seconds(5)) ==
          std::future_status::ready);
  CHECK(future.get().error->code == ErrorCode::RequestCancelled);
}

TEST_CASE("an edit overtakes what is compiled or run of the older text") {
  Session session;
  std::string uri = "file:///slow.mlir";
  session.open(uri, "@slow 15000");
  session.open("file:///other.mlir", "@slow 300");
  auto other = session.client->request("tilewright/run",
                                       {{"uri", "file:///other.mlir"}});
  std::vector<std::future<Response>> stale;
  for (const char *name :
       {"tilewright/run", "tilewright/stages", "tilewright/compile"})
    stale.push_back(session.client->request(name, {{"uri", uri}}));
  for (const char *name : {"tilewright/ir", "tilewright/graph"})
    stale.push_back(
        session.client->request(name, {{"uri", uri}, {"stage", "tile"}}));
  session.change(uri, 2, {{{"text", "mended"}}});
  for (auto &answer : stale) {
    REQUIRE(answer.wait_for(std::chrono::seconds(5)) ==
            std::future_status::ready);
    Response response = answer.get();
    REQUIRE(response.error);
    CHECK(response.error->code == ErrorCode::ContentModified);
  }
  CHECK_FALSE(other.get().error);
  CHECK(session.ask("tilewright/run", {{"uri", uri}})["documentVersion"] == 2);
}

TEST_CASE("an edit that cannot be read is told, and nothing untrue answered") {
  Session session;
  std::string uri = "file:///t.mlir";
  session.open(uri, "one two");
  session.open("file:///other.mlir", "other");
  // (Each is checked once it is open.)
  session.nextDiagnostics();
  session.nextDiagnostics();
  Json bad;
  SECTION("a position of the wrong kind, after a change that is right") {
    bad = {{{"range", range(0, 0, 0, 3)}, {"text", "1"}},
           {{"range",
             {{"start", {{"line", 0}, {"character", "x"}}},
              {"end", {{"line", 0}, {"character", 1}}}}},
            {"text", ""}}};
  }
  SECTION("no text") { bad = {{{"range", range(0, 0, 0, 3)}}}; }
  SECTION("no list") { bad = "x"; }
  session.change(uri, 2, bad);
  Json told = session.nextDiagnostics();
  CHECK(told["uri"] == uri);
  REQUIRE(told["diagnostics"].size() == 1);
  CHECK(told["diagnostics"][0]["code"] == "TW0612");
  // Later edits do not fit our text.
  session.change(uri, 3, {{{"range", range(0, 0, 0, 3)}, {"text", "1"}}});
  Json params = {{"uri", uri}, {"stage", "tile"}};
  Response refused = session.response("tilewright/ir", params);
  REQUIRE(refused.error);
  CHECK(refused.error->diagnostic().code == "TW0612");
  CHECK(session.ask("tilewright/ir", {{"uri", "file:///other.mlir"},
                                      {"stage", "tile"}})["text"] ==
        "// tile\nother");
  session.change(uri, 4, {{{"text", "whole"}}});
  CHECK(session.ask("tilewright/ir", params)["text"] == "// tile\nwhole");
  CHECK(session.nextDiagnostics()["diagnostics"].empty());
}

TEST_CASE("wrong params are answered with the field, its kind and its value") {
  Session session;
  std::string uri = "file:///t.mlir";
  session.open(uri, "text");
  auto messageOf = [&](const char *method, Json params) {
    params["uri"] = uri;
    Response response = session.response(method, std::move(params));
    REQUIRE(response.error);
    CHECK(response.error->code == ErrorCode::InvalidParams);
    CHECK(response.error->diagnostic().code == "TW0606");
    return response.error->message;
  };
  CHECK(messageOf("tilewright/run", {{"threads", "two"}}) ==
        "'threads' must be an integer; it is the string \"two\"");
  CHECK(messageOf("tilewright/run", {{"threads", 2.5}}) ==
        "'threads' must be an integer; it is 2.5");
  CHECK(messageOf("tilewright/run", {{"threads", 4294967297}}) ==
        "'threads' is out of range: 4294967297; it must be from -2147483648 "
        "to 2147483647");
  CHECK(messageOf("tilewright/run", {{"seed", -1}}) ==
        "'seed' must be an integer from 0 on; it is -1");
  CHECK(messageOf("tilewright/run", {{"check", 1}}) ==
        "'check' must be true or false; it is 1");
  CHECK(messageOf("tilewright/run", {{"inputs", {{{"name", "x"}}}}}) ==
        "'inputs[0].path' is missing");
  CHECK(messageOf("tilewright/run", {{"inputs", {3}}}) ==
        "'inputs[0]' must be an object; it is 3");
  CHECK(messageOf("tilewright/ir", {{"stage", Json::array()}}) ==
        "'stage' must be a string; it is a list");
  CHECK(messageOf("textDocument/hover",
                  {{"position", {{"line", 0}, {"character", nullptr}}}}) ==
        "'position.character' is missing");
  CHECK(messageOf("textDocument/hover", {{"position", 7}}) ==
        "'position' must be an object; it is 7");
  CHECK(messageOf("tilewright/keyAt", {{"offset", "7"}}) ==
        "'offset' must be an integer; it is the string \"7\"");
  // Null is as good as absent.
  CHECK(session.ask("tilewright/run", {{"uri", uri}, {"threads", nullptr}})
            .is_object());
}

TEST_CASE("our methods, their targets and their errors") {
  Session session({{"target", "cpu-generic"}});
  std::string uri = "file:///t.mlir";
  session.open(uri, "text");
  CHECK(session.ask("tilewright/stages", {{"uri", uri}})["target"] ==
        "cpu-generic");
  CHECK(session.ask("tilewright/stages",
                    {{"uri", uri}, {"target", "ascend-a3"}})["target"] ==
        "ascend-a3");
  CHECK(session.ask("tilewright/targets", Json::object())["current"] ==
        "cpu-generic");
  session.ask("tilewright/setTarget", {{"target", "cpu"}});
  CHECK(session.ask("tilewright/stages", {{"uri", uri}})["target"] == "cpu");
  CHECK(session.response("tilewright/setTarget", {{"target", "nowhere"}})
            .error.has_value());
  CHECK(session.ask("tilewright/targets", Json::object())["current"] == "cpu");
  CHECK(
      session
          .ask("tilewright/graph", {{"uri", uri}, {"stage", "tensor"}})["nodes"]
          .size() == 2);
  CHECK(session
            .ask("tilewright/diff",
                 {{"uri", uri}, {"from", "a"}, {"to", "b"}})["ops"]
            .size() == 1);
  Json run = session.ask("tilewright/run",
                         {{"uri", uri}, {"repeat", 3}, {"check", true}});
  CHECK(run["milliseconds"].size() == 3);
  CHECK(session.ask("tilewright/trace", {{"uri", uri}})["origin"] ==
        "measured");
  CHECK(session.ask("tilewright/compile",
                    {{"uri", uri}, {"emit", "llvm"}})["text"] == "; llvm\n");

  auto codeOf = [&](const char *method, Json params) {
    Response response = session.response(method, std::move(params));
    return response.error ? response.error->diagnostic().code : "ok";
  };
  CHECK(codeOf("tilewright/ir", {{"uri", uri}}) == "TW0606");
  CHECK(codeOf("tilewright/ir", {{"uri", 3}, {"stage", "tile"}}) == "TW0606");
  CHECK(codeOf("tilewright/ir", {{"stage", "tile"}}) == "TW0606");
  CHECK(codeOf("tilewright/ir",
               {{"uri", "file:///closed"}, {"stage", "tile"}}) == "TW0605");
  CHECK(codeOf("textDocument/hover", {{"textDocument", {{"uri", uri}}}}) ==
        "TW0606");
  session.open("file:///e.mlir", "@error three is not four");
  CHECK(codeOf("tilewright/run", {{"uri", "file:///e.mlir"}}) == "TW0199");
  CHECK(session.response("tilewright/nothing", Json::object()).error->code ==
        ErrorCode::MethodNotFound);
}

TEST_CASE("keyAt and stage documents") {
  Session session({{"ranges", "positions"}}, {"utf-8"});
  std::string uri = "file:///t.mlir";
  session.open(uri, "line\ntwo");
  Json key = session.ask(
      "tilewright/keyAt",
      {{"uri", uri}, {"position", {{"line", 1}, {"character", 1}}}});
  CHECK(key["keys"][0] == "f/y");
  CHECK(key["range"] == range(1, 1, 1, 2));
  // In the printed text: "// tile\nline\ntwo"; the fake's source range has the
  // same bytes, 9 is beyond the source's end.
  key = session.ask("tilewright/keyAt",
                    {{"uri", uri},
                     {"stage", "tile"},
                     {"position", {{"line", 1}, {"character", 1}}}});
  CHECK(key["range"] == range(1, 1, 1, 2));
  CHECK(key["source"]["range"] == range(1, 3, 1, 3));

  Json ir = session.ask("tilewright/ir", {{"uri", uri}, {"stage", "tile"}});
  CHECK(ir["spans"][0]["range"] == range(0, 0, 0, 2));
  std::string stageUri = StageUri{"tile/expand-tiles", uri}.str();
  Json content =
      session.ask("workspace/textDocumentContent", {{"uri", stageUri}});
  CHECK(content["text"] == "// tile/expand-tiles\nline\ntwo");
  CHECK(session.ask("tilewright/ir", {{"uri", stageUri}})["text"] ==
        content["text"]);
  session.open(stageUri, content["text"]);
  Json hover = session.ask("textDocument/hover", at(stageUri, 0, 0));
  CHECK(hover["contents"]["value"] == "Comes from `f/y`");
  Json places = session.ask("textDocument/definition", at(stageUri, 0, 2));
  REQUIRE(places.size() == 1);
  CHECK(places[0]["uri"] == uri);
}

TEST_CASE("progress is reported under the client's token") {
  Session session;
  session.open("file:///p.mlir", "@progress");
  session.ask("tilewright/run",
              {{"uri", "file:///p.mlir"}, {"workDoneToken", "tok"}});
  std::unique_lock lock(session.mutex);
  REQUIRE(session.changed.wait_for(
      lock, patience, [&] { return session.progress.size() >= 3; }));
  CHECK(session.progress[0]["token"] == "tok");
  CHECK(session.progress[0]["value"]["kind"] == "begin");
  CHECK(session.progress[1]["value"]["kind"] == "report");
  CHECK(session.progress[1]["value"]["percentage"] == 90);
  CHECK(session.progress[2]["value"]["kind"] == "end");
}

TEST_CASE("a 5 MB document opens and edits") {
  Session session;
  std::string text;
  while (text.size() < 5000000)
    text +=
        "  %c = tw.matmul %a, %b : (tensor<512x512xf32>) -> tensor<1xf32>\n";
  session.open("file:///big.mlir", text);
  for (int i = 0; i < 20; ++i)
    session.change(
        "file:///big.mlir", 2 + i,
        {{{"range", range(30000 + i, 3, 30000 + i, 4)}, {"text", "d"}}});
  Json hover =
      session.ask("textDocument/hover", at("file:///big.mlir", 30000, 3));
  CHECK(hover["range"] == range(30000, 3, 30000, 4));
}

TEST_CASE("over TCP a session needs the token") {
  ChildProcess::Options options;
  options.program = SERVER;
  options.arguments = {"--tcp", "0"};
  options.environment = {{"TILEWRIGHT_ENGINE", FAKE_ENGINE}};
  std::string error;
  auto process = ChildProcess::spawn(options, error);
  REQUIRE(process);
  auto output = process->takeStream();
  std::string text;
  char buffer[256];
  while (text.find("token ") == std::string::npos || text.back() != '\n') {
    size_t got = output->read(buffer, sizeof buffer);
    REQUIRE(got > 0);
    text.append(buffer, got);
  }
  int port = std::stoi(text.substr(text.find(':') + 1));
  std::string token = text.substr(text.find("token ") + 6, 32);

  auto attempt = [&](const std::string &with) {
    int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    REQUIRE(::connect(fd, reinterpret_cast<sockaddr *>(&address),
                      sizeof address) == 0);
    Connection connection(std::make_unique<FdStream>(fd, fd, true));
    std::thread reader([&] { connection.run(); });
    std::promise<Response> answer;
    connection.request(
        "initialize",
        {{"capabilities", Json::object()},
         {"initializationOptions", {{"tilewright", {{"token", with}}}}}},
        [&](Response r) { answer.set_value(std::move(r)); });
    Response response = answer.get_future().get();
    connection.stop();
    reader.join();
    return !response.error;
  };
  CHECK_FALSE(attempt("wrong"));
  CHECK(attempt(token));
}

TEST_CASE("every method is documented") {
  std::ifstream file(TILEWRIGHT_SOURCE_DIR "/docs/protocol.md");
  std::stringstream text;
  text << file.rdbuf();
  Server server(std::make_unique<FdStream>(0, 1, false), Server::Options());
  std::vector<std::string> methods = server.methods();
  CHECK(methods.size() > 20);
  for (const std::string &name : methods) {
    INFO(name);
    CHECK(text.str().find("`" + name + "`") != std::string::npos);
  }
  for (const char *name : {method::diagnostics, method::hover,
                           method::definition, method::symbols}) {
    INFO(name);
    CHECK(text.str().find(std::string("`") + name + "`") != std::string::npos);
  }
}

TEST_CASE("lenses say what can be done with functions and tiles") {
  std::string uri = "file:///t.mlir";
  auto titlesOf = [](const Json &lenses) {
    std::vector<std::string> titles;
    for (const Json &lens : lenses)
      titles.push_back(lens["command"]["title"]);
    return titles;
  };
  Json of = {{"textDocument", {{"uri", uri}}}};
  using Titles = std::vector<std::string>;
  SECTION("to a client that runs nothing itself only what the server does") {
    Session session;
    CHECK(
        session.initializeResult["capabilities"].contains("codeLensProvider"));
    session.open(uri, "text");
    Json lenses = session.ask("textDocument/codeLens", of);
    CHECK(titlesOf(lenses) == Titles{"Pin tile cache2.m=240"});
    CHECK(lenses[0]["range"] == range(0, 0, 0, 1));
    CHECK(lenses[0]["command"]["command"] == "tilewright.pin");
    CHECK(lenses[0]["command"]["arguments"] ==
          Json::array({{{"uri", uri},
                        {"key", "f/y"},
                        {"kind", "tile"},
                        {"value", {{"cache2", {{"m", 240}}}}},
                        {"pinTarget", ""}}}));
  }
  SECTION("to another what it offers, too") {
    Session session(
        {{"commands", {"tilewright.run", "tilewright.whatIf", "other"}}});
    session.open(uri, "@pinned");
    Json lenses = session.ask("textDocument/codeLens", of);
    CHECK(titlesOf(lenses) ==
          Titles{"Run", "Unpin tile cache2.m=240", "What If"});
    CHECK(lenses[0]["command"]["arguments"] == Json::array({uri, "f"}));
    CHECK(lenses[1]["command"]["command"] == "tilewright.unpin");
    CHECK(lenses[2]["command"]["arguments"] == Json::array({uri, "f/y"}));
  }
  SECTION("a client can do without") {
    Session session({{"codeLens", false}});
    session.open(uri, "text");
    CHECK(session.ask("textDocument/codeLens", of) == Json::array());
  }
  SECTION("of a stage there are none") {
    Session session;
    session.open(uri, "text");
    std::string stage = "tilewright:/tile?source=" + uri;
    session.open(stage, "text");
    CHECK(session.ask("textDocument/codeLens",
                      {{"textDocument", {{"uri", stage}}}}) == Json::array());
  }
  SECTION("of a text that is not open there is an error") {
    Session session;
    Response response = session.response("textDocument/codeLens", of);
    REQUIRE(response.error);
    CHECK(response.error->data["code"] == "TW0605");
  }
}

TEST_CASE("actions are the fixes that messages propose, and pins") {
  Session session;
  std::string uri = "file:///t.mlir";
  auto actions = [&](Json context) {
    return session.ask("textDocument/codeAction",
                       {{"textDocument", {{"uri", uri}}},
                        {"range", range(0, 0, 0, 0)},
                        {"context", std::move(context)}});
  };
  auto message = [](const char *code, const char *words) {
    return Json{{"range", range(0, 2, 0, 9)},
                {"source", "tilewright"},
                {"code", code},
                {"message", words}};
  };
  SECTION("a word") {
    session.open(uri, "text");
    Json found = actions({{"diagnostics",
                           {message("TW0020", "unknown operation 'tw.matmull'\n"
                                              "did you mean 'tw.matmul'?")}},
                          {"only", {"quickfix"}}});
    REQUIRE(found.size() == 1);
    CHECK(found[0]["title"] == "Replace by 'tw.matmul'");
    CHECK(found[0]["edit"]["changes"][uri] ==
          Json::array(
              {{{"range", range(0, 2, 0, 9)}, {"newText", "tw.matmul"}}}));
    // Of others' messages nothing is taken, and half a proposal is none.
    Json other = message("TW0020", "did you mean 'x'?");
    other["source"] = "else";
    CHECK(actions({{"diagnostics",
                    {other, message("TW0020", "did you mean 'half"),
                     message("TW0020", "did you mean ''?"), 3}},
                   {"only", {"quickfix"}}}) == Json::array());
  }
  SECTION("a pin that cannot be obeyed") {
    session.open(uri, "@badpin");
    Json found = actions(
        {{"diagnostics",
          {message("TW0201", "f/y: cache2 needs 3 of 2 MiB\ncache2.m=120 "
                             "would do")}},
         {"only", {"quickfix"}}});
    REQUIRE(found.size() == 2);
    CHECK(found[0]["title"] == "Pin cache2.m=120 cache2.n=7 instead");
    CHECK(found[0]["command"]["arguments"][0] ==
          Json({{"uri", uri},
                {"key", "f/y"},
                {"kind", "tile"},
                {"pinTarget", "*"},
                {"note", "a try"},
                {"value", {{"cache2", {{"m", 120}, {"n", 7}}}}}}));
    CHECK(found[1]["title"] == "Remove the pin tile f/y");
    CHECK(found[1]["command"]["command"] == "tilewright.unpin");
  }
  SECTION("the decisions on an operation") {
    session.open(uri, "text");
    Json found = actions({{"diagnostics", Json::array()}});
    REQUIRE(found.size() == 1);
    CHECK(found[0]["title"] == "Pin tile cache2.m=240 of f/y");
    CHECK(found[0]["kind"] == "refactor.rewrite");
    session.change(uri, 2, {{{"text", "@pinned"}}});
    found = actions({{"diagnostics", Json::array()}});
    REQUIRE(found.size() == 1);
    CHECK(found[0]["title"] == "Unpin tile cache2.m=240 of f/y");
    CHECK(actions({{"diagnostics", Json::array()},
                   {"only", {"source.organizeImports"}}}) == Json::array());
  }
  SECTION("without a range there is an error") {
    session.open(uri, "text");
    Response response = session.response("textDocument/codeAction",
                                         {{"textDocument", {{"uri", uri}}}});
    REQUIRE(response.error);
    CHECK(response.error->data["code"] == "TW0606");
  }
}

TEST_CASE("sizes that a message proposes are put into the pin") {
  Json pin = {{"L1", {{"m", 1}, {"n", 2}}}, {"L0", {{"k", 3}}}};
  CHECK(proposedSizes("too large; L1.m=16, L0.k=8 would do", pin) ==
        Json({{"L1", {{"m", 16}, {"n", 2}}}, {"L0", {{"k", 8}}}}));
  CHECK_FALSE(proposedSizes("too large", pin));
  CHECK_FALSE(proposedSizes("UB.m=16 would do", pin));
  CHECK_FALSE(proposedSizes("L1.z=16 would do", pin));
  CHECK_FALSE(proposedSizes("L1.m=many would do", pin));
  CHECK_FALSE(proposedSizes("nothing would do", pin));
  CHECK_FALSE(proposedSizes("L1.m=16 would do", Json(2)));
}

TEST_CASE("the server carries out the commands of its lenses") {
  Session session;
  std::string uri = "file:///t.mlir";
  session.open(uri, "text");
  Json commands =
      session.initializeResult["capabilities"]["executeCommandProvider"]
                              ["commands"];
  CHECK(commands == Json::array({"tilewright.pin", "tilewright.unpin"}));
  Json result = session.ask(
      "workspace/executeCommand",
      {{"command", "tilewright.pin"},
       {"arguments",
        {{{"uri", uri}, {"key", "f/y"}, {"kind", "merge"}, {"value", 2}}}}});
  CHECK(result["echo"]["value"] == 2);
  CHECK(result["changed"] == 1);
  for (const Json &wrong :
       {Json{{"command", "tilewright.gone"}, {"arguments", Json::array()}},
        Json{{"command", "tilewright.pin"}}, Json{{"command", 3}},
        Json{{"command", "tilewright.pin"}, {"arguments", {1}}},
        Json{{"command", "tilewright.pin"},
             {"arguments", {{{"key", "f/y"}}}}}}) {
    Response response = session.response("workspace/executeCommand", wrong);
    REQUIRE(response.error);
    CHECK(response.error->data["code"] == "TW0606");
  }
}

TEST_CASE("a client that cannot lay out a graph gets it drawn") {
  Session session;
  std::string uri = "file:///t.mlir";
  session.open(uri, "text");
  auto graph = [&](Json picture) {
    return session.response(
        "tilewright/graph",
        {{"uri", uri}, {"stage", "tile"}, {"picture", picture}});
  };
  Json plain = graph(nullptr).result;
  CHECK_FALSE(plain.contains("svg"));
  Json drawn =
      graph({{"theme", "dark"}, {"width", 300}, {"height", 1e9}}).result;
  auto svg = drawn["svg"].get<std::string>();
  CHECK(svg.find("data-id=\"x\"") != std::string::npos);
  CHECK(svg.find("class=\"ground\"") != std::string::npos);
  CHECK(svg.find("#ffffff") !=
        graph(Json::object()).result["svg"].get<std::string>().find("#ffffff"));
  CHECK(drawn["shown"] == Json::array({"x", "y"}));
  CHECK(drawn["open"] == Json::array());
  CHECK(drawn["nodes"] == plain["nodes"]);
  for (const Json &wrong :
       {Json(3), Json{{"theme", "pink"}}, Json{{"width", "wide"}},
        Json{{"open", {"x"}}}, Json{{"open", {{"x", 1}}}}}) {
    Response response = graph(wrong);
    REQUIRE(response.error);
    CHECK(response.error->data["code"] == "TW0606");
  }
}

TEST_CASE("completions replace the word that was begun") {
  std::string uri = "file:///t.mlir";
  Session session;
  session.open(uri, "\xC3\xB6x");
  Json list = session.ask("textDocument/completion", at(uri, 0, 2));
  CHECK(list["isIncomplete"] == false);
  REQUIRE(list["items"].size() == 3);
  const Json &attribute = list["items"][0];
  CHECK(attribute["label"] == "axis");
  CHECK(attribute["textEdit"]["range"] == range(0, 1, 0, 2));
  // A client that knows no snippets gets none.
  CHECK(attribute["textEdit"]["newText"] == "axis");
  CHECK(attribute["insertTextFormat"] == 1);
  CHECK(list["items"][1]["detail"] == "tensor<4xf32>");
  CHECK(list["items"][2]["documentation"]["value"] == "Adds.");
  std::string stage = "tilewright:/tile?source=" + uri;
  session.open(stage, "text");
  CHECK(session.ask("textDocument/completion", at(stage, 0, 1)).is_null());
  Response response =
      session.response("textDocument/completion", at("file:///no.mlir", 0, 0));
  REQUIRE(response.error);
  CHECK(response.error->data["code"] == "TW0605");
}

TEST_CASE("a client that knows snippets gets them") {
  std::string uri = "file:///t.mlir";
  Session session(nullptr);
  session.ask("initialize",
              {{"capabilities",
                {{"textDocument",
                  {{"completion",
                    {{"completionItem", {{"snippetSupport", true}}}}}}}}}});
  session.open(uri, "x");
  Json list = session.ask("textDocument/completion", at(uri, 0, 1));
  CHECK(list["items"][0]["textEdit"]["newText"] == "axis = $0");
  CHECK(list["items"][0]["insertTextFormat"] == 2);
  CHECK(list["items"][1]["textEdit"]["newText"] == "%x");
  CHECK(list["items"][1]["insertTextFormat"] == 1);
}

TEST_CASE("inlay hints say what bounds a kernel, and that it is estimated") {
  std::string uri = "file:///t.mlir";
  Session session;
  session.open(uri, "text\n\n");
  auto hints = [&](Json of) {
    return session.ask("textDocument/inlayHint",
                       {{"textDocument", {{"uri", uri}}}, {"range", of}});
  };
  Json found = hints(range(0, 0, 9, 0));
  REQUIRE(found.size() == 1);
  CHECK(found[0]["label"] == "2.5 us estimated, bound by GM");
  CHECK(found[0]["position"] == Json({{"line", 0}, {"character", 1}}));
  CHECK(hints(range(1, 0, 9, 0)) == Json::array());
  session.change(uri, 2, {{{"text", "@error no kernels"}}});
  Response response = session.response(
      "textDocument/inlayHint",
      {{"textDocument", {{"uri", uri}}}, {"range", range(0, 0, 1, 0)}});
  CHECK(response.error);
  response = session.response("textDocument/inlayHint",
                              {{"textDocument", {{"uri", uri}}}});
  REQUIRE(response.error);
  CHECK(response.error->data["code"] == "TW0606");
}

TEST_CASE("semantic tokens: all, what changed, and those of some lines") {
  std::string uri = "file:///t.mlir";
  Session session;
  session.open(uri, "%a = x.y\n%b\n");
  Json of = {{"textDocument", {{"uri", uri}}}};
  Json first = session.ask("textDocument/semanticTokens/full", of);
  CHECK(first["data"] == Json({0, 0, 2, 6, 1, 0, 5, 3, 5, 0, 1, 0, 2, 6, 0}));
  session.change(uri, 2, {{{"range", range(1, 2, 1, 2)}, {"text", "c"}}});
  Json asked = of;
  asked["previousResultId"] = first["resultId"];
  Json second = session.ask("textDocument/semanticTokens/full/delta", asked);
  CHECK(second["edits"] ==
        Json::array({{{"start", 12}, {"deleteCount", 1}, {"data", {3}}}}));
  // The client is behind: all of them.
  Json third = session.ask("textDocument/semanticTokens/full/delta", asked);
  CHECK(third["data"].size() == 15);
  asked = of;
  asked["range"] = range(1, 0, 1, 1);
  CHECK(session.ask("textDocument/semanticTokens/range", asked)["data"] ==
        Json({1, 0, 3, 6, 0}));
  Response response =
      session.response("textDocument/semanticTokens/full",
                       {{"textDocument", {{"uri", "file:///no.mlir"}}}});
  REQUIRE(response.error);
  CHECK(response.error->data["code"] == "TW0605");
}
