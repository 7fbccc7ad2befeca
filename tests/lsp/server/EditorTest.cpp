//===- EditorTest.cpp - completions, hints and tokens ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/lsp/server/LspSession.h"

using namespace tilewright::lsp;

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
