//===- StageDocumentsTest.cpp - stages as documents -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Uri.h"
#include "tests/lsp/server/LspSession.h"

using namespace tilewright::lsp;

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
  CHECK(hover["contents"]["value"] == "at 0\n\nComes from `f/y`");
  // The fake defines everything where it stands: on to the source.
  for (const char *method :
       {"textDocument/definition", "textDocument/declaration"}) {
    Json places = session.ask(method, at(stageUri, 0, 2));
    REQUIRE(places.size() == 1);
    CHECK(places[0]["uri"] == uri);
  }
}

TEST_CASE("a stage that the client has not opened is read all the same") {
  Session session(Json::object(), {"utf-8"});
  std::string uri = "file:///t.mlir";
  std::string stageUri = StageUri{"tile", uri}.str();
  Response early = session.response("textDocument/hover", at(stageUri, 0, 0));
  REQUIRE(early.error);
  CHECK(early.error->data["code"] == "TW0605");
  session.open(uri, "line\ntwo");
  // "// tile\nline\ntwo": byte 9 is the second of its second line.
  Json hover = session.ask("textDocument/hover", at(stageUri, 1, 1));
  CHECK(hover["contents"]["value"] == "at 9\n\nComes from `f/y`");
  CHECK(hover["range"] == range(1, 1, 1, 2));
  // What follows from an edit of the source is asked about next.
  session.change(uri, 2, {{{"text", "\nline\ntwo"}}});
  hover = session.ask("textDocument/hover", at(stageUri, 2, 1));
  CHECK(hover["contents"]["value"] == "at 10\n\nComes from `f/y`");
  CHECK(session.ask("textDocument/documentSymbol",
                    {{"textDocument", {{"uri", stageUri}}}})[0]["name"] == "f");
  // More stages than are kept, and the first again.
  for (int i = 0; i < 12; ++i)
    session.ask("textDocument/hover",
                at(StageUri{"tile/pass" + std::to_string(i), uri}.str(), 0, 0));
  CHECK(session.ask("textDocument/hover", at(stageUri, 0, 0)).is_object());
}
