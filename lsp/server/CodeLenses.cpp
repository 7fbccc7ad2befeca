//===- CodeLenses.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/CodeLenses.h"
#include "core/model/WhatIf.h"
#include "lsp/server/Parameters.h"
#include "lsp/server/ServerCommands.h"
#include <map>

namespace tilewright::lsp {

std::string sourceKeyOf(const std::string &key) {
  // Signs within names are percent-encoded.
  size_t segment = key.rfind('/');
  return key.substr(
      0, key.find_first_of(".#:", segment == std::string::npos ? 0 : segment));
}

std::string decisionText(const model::Decision &decision) {
  if (decision.kind == "tile") {
    try {
      return model::tileText(decision.value.get<model::TileSizes>());
    } catch (const Json::exception &) {
      // Of another form: as it is.
    }
  }
  return decision.value.is_string() ? decision.value.get<std::string>()
                                    : decision.value.dump();
}

void CodeLenses::offer(const char *command, const char *title,
                       const char *chinese, Json arguments, const Json &range,
                       Json &lenses) const {
  if (session.commands.count(command))
    lenses.push_back({{"range", range},
                      {"command",
                       {{"title", session.chinese ? chinese : title},
                        {"command", command},
                        {"arguments", std::move(arguments)}}}});
}

void CodeLenses::functionLenses(const std::string &uri, const Symbol &function,
                                const Json &range, Json &lenses) const {
  offer("tilewright.run", "Run", "运行", {uri, function.name}, range, lenses);
  offer("tilewright.verify", "Verify", "验证", {uri, function.name}, range,
        lenses);
  offer("tilewright.openStage", "Open Stage", "打开阶段", Json::array({uri}),
        range, lenses);
  offer("tilewright.showGraph", "Graph", "图", Json::array({uri}), range,
        lenses);
}

void CodeLenses::decisionLenses(const std::string &uri,
                                const model::Decision &decision,
                                const Json &range, Json &lenses) const {
  bool pinned = decision.origin == model::DecisionOrigin::Pinned;
  std::string value = "tile " + decisionText(decision);
  Json command;
  if (pinned)
    command = {{"title", (session.chinese ? "取消固定 " : "Unpin ") + value},
               {"command", ServerCommands::unpin},
               {"arguments",
                {{{"uri", uri}, {"key", decision.key}, {"kind", "tile"}}}}};
  else
    command = {{"title", (session.chinese ? "固定 " : "Pin ") + value},
               {"command", ServerCommands::pin},
               {"arguments",
                {{{"uri", uri},
                  {"key", decision.key},
                  {"kind", "tile"},
                  {"value", decision.value},
                  {"pinTarget", decision.target}}}}};
  lenses.push_back({{"range", range}, {"command", std::move(command)}});
  offer("tilewright.whatIf", "What If", "假设", {uri, decision.key}, range,
        lenses);
}

void CodeLenses::codeLens(Request request) {
  std::string uri = uriOf(request->params());
  if (!session.codeLens || !SessionState::isSource(uri)) {
    request->reply(Json::array());
    return;
  }
  TextSnapshot text = session.require(uri);
  auto answer = [this, request, uri, text](Response symbols,
                                           Response decisions) {
    if (symbols.error) {
      request->fail(*symbols.error);
      return;
    }
    Forwarder::checkVersion(symbols.result, *text);
    Json lenses = Json::array();
    std::map<std::string, Json> places; // of operations, by key
    for (const Json &item : symbols.result.value("symbols", Json::array())) {
      auto function = item.get<Symbol>();
      if (function.kind != "function")
        continue;
      functionLenses(uri, function,
                     lspRange(*text, function.selectionRange, session.encoding),
                     lenses);
      std::vector<const Symbol *> open = {&function};
      while (!open.empty()) {
        const Symbol *symbol = open.back();
        open.pop_back();
        if (!symbol->key.empty())
          places.emplace(symbol->key, lspRange(*text, symbol->selectionRange,
                                               session.encoding));
        for (const Symbol &child : symbol->children)
          open.push_back(&child);
      }
    }
    // A text that cannot be compiled has functions all the same.
    if (!decisions.error)
      for (const auto &decision : decisions.result.value("decisions", Json())
                                      .get<std::vector<model::Decision>>()) {
        // An operation made from another is at that one's place.
        auto place = places.find(sourceKeyOf(decision.key));
        if (decision.kind == "tile" && place != places.end())
          decisionLenses(uri, decision, place->second, lenses);
      }
    request->reply(std::move(lenses));
  };
  requests.fetch(request, EngineRole::Language, method::symbols,
                 DocumentParams{uri, session.target()},
                 [this, request, uri, answer](Response symbols) {
                   // What is wrong with a text is said elsewhere.
                   if (symbols.error)
                     return answer(std::move(symbols), Response());
                   requests.fetch(request, EngineRole::Compile,
                                  method::decisions,
                                  KeyParams{uri, session.target(), ""},
                                  [answer, symbols](Response decisions) {
                                    answer(symbols, std::move(decisions));
                                  });
                 });
}

void CodeLenses::registerAt(Connection &connection) {
  connection.onAsyncRequest("textDocument/codeLens", [this](Request request) {
    codeLens(std::move(request));
  });
}

} // namespace tilewright::lsp
