//===- ServerTest.cpp - the life of a session and its documents -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/lsp/server/LspSession.h"

using namespace tilewright::lsp;

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
