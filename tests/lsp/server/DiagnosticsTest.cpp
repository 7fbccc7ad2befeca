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

TEST_CASE("a text is read once at a time, and then as it is") {
  Session session({{"diagnosticsDelay", 0}, {"compileDelay", -1}});
  std::string uri = "file:///slow.mlir";
  session.open(uri, "@counted\n@slow 1000\n");
  // Each is old enough that the next one is no part of a burst.
  const int last = 20;
  for (int version = 2; version <= last; ++version) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    session.change(uri, version,
                   {{{"range", range(0, 0, 0, 0)}, {"text", "x"}}});
  }
  Json found = session.nextDiagnostics();
  while (found["version"] != last)
    found = session.nextDiagnostics();
  REQUIRE(found["diagnostics"].size() == 1);
  // The first, the newest, and one between where this machine is slow.
  CHECK(std::stoi(found["diagnostics"][0]["message"].get<std::string>()) <= 3);

  // Closed and opened again while it is read: what is told of the older text
  // under the same version is not taken for the newer one's.
  session.change(uri, last + 1, {{{"text", "@wrong 1\n@slow 500\n"}}});
  session.note("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
  session.open(uri, "mended", last + 1);
  do
    found = session.nextDiagnostics();
  while (!found.contains("version"));
  CHECK(found["version"] == last + 1);
  CHECK(found["diagnostics"].empty());
}

TEST_CASE("edits come in while diagnostics are told") {
  // Two locks taken in two orders once stopped the server here.
  Session session({{"diagnosticsDelay", 1}, {"compileDelay", -1}});
  std::string uri = "file:///busy.mlir";
  session.open(uri, "@wrong 1\n");
  const int last = 4000;
  for (int version = 2; version <= last; ++version) {
    session.change(
        uri, version,
        {{{"text", version % 2 && version != last ? "@wrong 1" : "right"}}});
    if (version % 8 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  Json found = session.nextDiagnostics();
  while (found["version"] != last)
    found = session.nextDiagnostics();
  CHECK(found["diagnostics"].empty());
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

TEST_CASE("what was compiled before it was read does not stay") {
  Session session({{"diagnosticsDelay", 0}, {"compileDelay", -1}});
  std::string uri = "file:///t.mlir";
  session.open(uri, "@readslowly 1500\n@wrong 3\nthird\n");
  auto stages = session.ask("tilewright/stages", {{"uri", uri}});
  REQUIRE(stages["diagnostics"].size() == 1);
  session.change(uri, 2, {{{"range", range(1, 1, 1, 6)}, {"text", "right"}}});
  Json found = session.nextDiagnostics();
  while (found["version"] != 2)
    found = session.nextDiagnostics();
  CHECK(found["diagnostics"].empty());
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
