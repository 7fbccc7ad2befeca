//===- ActionsTest.cpp - lenses, actions and their commands ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/CodeActions.h"
#include "tests/lsp/server/LspSession.h"

using namespace tilewright::lsp;

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
