//===- LanguageRequests.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/LanguageRequests.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/Parameters.h"

namespace tilewright::lsp {

bool LanguageRequests::askStage(
    Request request, const TextDocument &text, int64_t offset,
    std::function<Json(const Json &result, const TextDocument &source)>
        convert) {
  auto stage = StageUri::parse(text.uri());
  if (!stage)
    return false;
  TextSnapshot source = session.require(stage->source);
  requests.forward(
      request, EngineRole::Compile, method::keyAt,
      KeyAtParams{stage->source, session.target(), offset, stage->stage},
      [convert = std::move(convert), source](Json result) {
        return convert(result.is_object() ? result : Json::object(), *source);
      },
      source);
  return true;
}

void LanguageRequests::hover(Request request) {
  TextSnapshot text = session.require(uriOf(request->params()));
  int64_t offset = offsetOf(request->params(), *text, session.encoding);
  auto keys = [this, text](const Json &result, const TextDocument &) -> Json {
    if (result.value("keys", Json()).empty())
      return nullptr;
    std::string words = "Comes from";
    for (const Json &key : result["keys"])
      words += " `" + key.get<std::string>() + "`";
    return {{"contents", {{"kind", "markdown"}, {"value", words}}},
            {"range", lspRange(*text, result.value("range", model::TextRange()),
                               session.encoding)}};
  };
  if (askStage(request, *text, offset, keys))
    return;
  requests.forward(
      request, EngineRole::Language, method::hover,
      OffsetParams{text->uri(), session.target(), offset},
      [this, text](Json result) -> Json {
        if (result.is_null())
          return nullptr;
        Forwarder::checkVersion(result, *text);
        auto hover = result.get<HoverResult>();
        return {{"contents", {{"kind", "markdown"}, {"value", hover.markdown}}},
                {"range", lspRange(*text, hover.range, session.encoding)}};
      });
}

void LanguageRequests::definition(Request request) {
  TextSnapshot text = session.require(uriOf(request->params()));
  int64_t offset = offsetOf(request->params(), *text, session.encoding);
  // From a stage's text to the source line it comes from.
  auto sourceOf = [this](const Json &result,
                         const TextDocument &source) -> Json {
    if (result.value("source", Json()).is_null())
      return Json::array();
    auto range = result["source"].at("range").get<model::TextRange>();
    return Json::array(
        {{{"uri", source.uri()},
          {"range", lspRange(source, range, session.encoding)}}});
  };
  if (askStage(request, *text, offset, sourceOf))
    return;
  requests.forward(
      request, EngineRole::Language, method::definition,
      OffsetParams{text->uri(), session.target(), offset},
      [this, text](Json result) -> Json {
        Forwarder::checkVersion(result, *text);
        Json places = Json::array();
        for (const Json &item : result.value("ranges", Json::array())) {
          auto place = item.get<Place>();
          TextSnapshot other = place.uri == text->uri()
                                   ? text
                                   : session.documents.find(place.uri);
          if (other)
            places.push_back(
                {{"uri", place.uri},
                 {"range", lspRange(*other, place.range, session.encoding)}});
        }
        return places;
      });
}

void LanguageRequests::documentSymbol(Request request) {
  std::string uri = uriOf(request->params());
  TextSnapshot text = session.require(uri);
  if (!SessionState::isSource(uri)) {
    request->reply(Json::array());
    return;
  }
  requests.forward(
      request, EngineRole::Language, method::symbols,
      DocumentParams{uri, session.target()}, [this, text](Json result) -> Json {
        Forwarder::checkVersion(result, *text);
        Json symbols = Json::array();
        for (const Json &item : result.value("symbols", Json::array()))
          symbols.push_back(
              lspSymbol(item.get<Symbol>(), *text, session.encoding));
        return symbols;
      });
}

/// LSP 3.18's way to read a stage document.
void LanguageRequests::textDocumentContent(Request request) {
  std::string uri = uriOf(request->params());
  auto stage = StageUri::parse(uri);
  if (!stage)
    refuse("TW0607", "not a stage document: " + uri, uri);
  TextSnapshot source = session.require(stage->source);
  requests.forward(
      request, EngineRole::Compile, method::ir,
      StageParams{stage->source, session.target(), stage->stage},
      [](Json result) -> Json { return {{"text", result.at("text")}}; },
      source);
}

void LanguageRequests::registerAt(Connection &connection) {
  auto async = [&](const char *name,
                   void (LanguageRequests::*handler)(Request)) {
    connection.onAsyncRequest(name, [this, handler](Request request) {
      (this->*handler)(std::move(request));
    });
  };
  async("textDocument/hover", &LanguageRequests::hover);
  async("textDocument/definition", &LanguageRequests::definition);
  async("textDocument/documentSymbol", &LanguageRequests::documentSymbol);
  async("workspace/textDocumentContent",
        &LanguageRequests::textDocumentContent);
}

} // namespace tilewright::lsp
