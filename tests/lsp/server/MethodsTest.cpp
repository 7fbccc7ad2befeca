//===- MethodsTest.cpp - our methods, and what is wrong with params -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Methods.h"
#include "lsp/protocol/LanguageFeatures.h"
#include "lsp/server/Server.h"
#include "tests/lsp/server/LspSession.h"
#include <fstream>
#include <sstream>

using namespace tilewright::lsp;

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

TEST_CASE("nothing runs where the client does not say it is trusted") {
  std::string uri = "file:///t.mlir";
  auto codeOf = [&](Session &session, const char *method) {
    Response response = session.response(method, {{"uri", uri}});
    if (!response.error)
      return std::string("ran");
    CHECK(response.error->code == ErrorCode::RequestFailed);
    CHECK(response.error->message.find(method) != std::string::npos);
    CHECK(!response.error->diagnostic().hint.empty());
    return response.error->diagnostic().code;
  };
  for (const Json &word : {Json(false), Json("yes"), Json(1)}) {
    Session session({{"trusted", word}});
    session.open(uri, "text");
    CHECK(codeOf(session, "tilewright/run") == "TW0619");
    CHECK(codeOf(session, "tilewright/verify") == "TW0619");
    // Nothing else is refused.
    for (const char *name : {"tilewright/stages", "tilewright/trace",
                             "tilewright/decisions", "tilewright/compile"})
      CHECK(session.ask(name, {{"uri", uri}}).is_object());
    // A setting may come with the folder: no word of the user.
    session.note("workspace/didChangeConfiguration",
                 {{"settings", {{"tilewright", {{"trusted", true}}}}}});
    session.note("tilewright/setTrust", {{"trusted", "yes"}});
    session.note("tilewright/setTrust", nullptr);
    CHECK(codeOf(session, "tilewright/run") == "TW0619");
    session.note("tilewright/setTrust", {{"trusted", true}});
    CHECK(codeOf(session, "tilewright/run") == "ran");
    CHECK(codeOf(session, "tilewright/verify") == "ran");
    session.note("tilewright/setTrust", {{"trusted", false}});
    CHECK(codeOf(session, "tilewright/verify") == "TW0619");
  }
  for (const Json &word : {Json(true), Json()}) {
    Session session({{"trusted", word}});
    session.open(uri, "text");
    CHECK(codeOf(session, "tilewright/run") == "ran");
  }
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
  for (const char *name :
       {method::diagnostics, method::hover, method::definition, method::symbols,
        method::references, method::folding, method::selection,
        method::signature, method::format, method::calls}) {
    INFO(name);
    CHECK(text.str().find(std::string("`") + name + "`") != std::string::npos);
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
  // No more is asked for than can be drawn, and the picture's wishes are kept.
  CHECK_FALSE(plain["echo"].contains("atMost"));
  CHECK(drawn["echo"]["atMost"] == 2000);
  CHECK_FALSE(drawn["echo"].contains("picture"));
  Json chosen = graph({{"open", {{"x", true}, {"y", false}}}}).result["echo"];
  CHECK(chosen["open"] == Json::array({"x"}));
  CHECK(chosen["closed"] == Json::array({"y"}));
  Json given = session.ask("tilewright/graph", {{"uri", uri},
                                                {"stage", "tile"},
                                                {"atMost", 5},
                                                {"open", {"y"}},
                                                {"picture", Json::object()}});
  CHECK(given["echo"]["atMost"] == 5);
  CHECK(given["echo"]["open"] == Json::array({"y"}));
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
