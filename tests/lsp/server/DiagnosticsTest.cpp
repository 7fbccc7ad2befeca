//===- DiagnosticsTest.cpp - what the server finds wrong, and when --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/lsp/server/LspSession.h"

using namespace tilewright::lsp;

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
