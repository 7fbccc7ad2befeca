//===- LanguageRequests.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/LanguageRequests.h"
#include "lsp/protocol/Completion.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/Parameters.h"
#include <algorithm>
#include <map>

namespace tilewright::lsp {

static void dropKeys(Symbol &symbol) {
  symbol.key.clear();
  for (Symbol &child : symbol.children)
    dropKeys(child);
}

Json LanguageRequests::places(const Json &result,
                              const TextSnapshot &text) const {
  Json places = Json::array();
  for (const Json &item : result.value("ranges", Json::array())) {
    auto place = item.get<Place>();
    TextSnapshot other =
        place.uri == text->uri() ? text : session.documents.find(place.uri);
    if (other)
      places.push_back(
          {{"uri", place.uri},
           {"range", lspRange(*other, place.range, session.encoding)}});
  }
  return places;
}

void LanguageRequests::answerSource(Request request, TextSnapshot text,
                                    int64_t offset) {
  auto stage = StageUri::parse(text->uri());
  TextSnapshot source = session.require(stage->source);
  requests.forward(
      request, EngineRole::Compile, method::keyAt,
      KeyAtParams{stage->source, session.target(), offset, stage->stage},
      [this, source](Json result) -> Json {
        Json of = result.is_object() ? result.value("source", Json()) : Json();
        if (of.is_null())
          return Json::array();
        auto range = of.at("range").get<model::TextRange>();
        return Json::array(
            {{{"uri", source->uri()},
              {"range", lspRange(*source, range, session.encoding)}}});
      },
      source);
}

/// In a stage from a use to its definition there, and from a definition or
/// anything else to the source it comes from.
void LanguageRequests::definition(Request request) {
  texts.with(
      request, uriOf(request->params()), [this, request](TextSnapshot text) {
        int64_t offset = offsetOf(request->params(), *text, session.encoding);
        requests.fetch(
            request, EngineRole::Language, method::definition,
            OffsetParams{text->uri(), session.target(), offset},
            [this, request, text, offset](Response response) {
              if (response.error)
                return request->fail(*response.error);
              Forwarder::checkVersion(response.result, *text);
              Json ranges = response.result.value("ranges", Json::array());
              bool itself =
                  ranges.empty() ||
                  std::any_of(ranges.begin(), ranges.end(), [&](const Json &r) {
                    auto place = r.get<Place>();
                    return place.uri == text->uri() &&
                           place.range.begin <= offset &&
                           offset <= place.range.end;
                  });
              if (itself && StageUri::parse(text->uri()))
                return answerSource(request, text, offset);
              request->reply(places(response.result, text));
            });
      });
}

/// In a stage always to the source, else as definition().
void LanguageRequests::declaration(Request request) {
  if (!StageUri::parse(uriOf(request->params())))
    return definition(request);
  texts.with(
      request, uriOf(request->params()), [this, request](TextSnapshot text) {
        answerSource(request, text,
                     offsetOf(request->params(), *text, session.encoding));
      });
}

void LanguageRequests::documentSymbol(Request request) {
  texts.with(
      request, uriOf(request->params()), [this, request](TextSnapshot text) {
        requests.forward(
            request, EngineRole::Language, method::symbols,
            DocumentParams{text->uri(), session.target()},
            [this, text](Json result) -> Json {
              Forwarder::checkVersion(result, *text);
              Json symbols = Json::array();
              for (const Json &item : result.value("symbols", Json::array())) {
                auto symbol = item.get<Symbol>();
                // Names in a stage are no keys of the source.
                if (!SessionState::isSource(text->uri()))
                  dropKeys(symbol);
                symbols.push_back(lspSymbol(symbol, *text, session.encoding));
              }
              return symbols;
            });
      });
}

void LanguageRequests::prepareRename(Request request) {
  std::string uri = uriOf(request->params());
  if (!SessionState::isSource(uri)) {
    request->reply(nullptr);
    return;
  }
  TextSnapshot text = session.require(uri);
  int64_t offset = offsetOf(request->params(), *text, session.encoding);
  requests.forward(
      request, EngineRole::Language, method::rename,
      RenameParams{text->uri(), offset, ""}, [this, text](Json result) -> Json {
        Forwarder::checkVersion(result, *text);
        return {{"range",
                 lspRange(*text, result.at("range").get<model::TextRange>(),
                          session.encoding)},
                {"placeholder", result.at("name")}};
      });
}

/// What makes `after` of `before`, as one edit.
static Json singleEdit(const std::string &uri, const std::string &before,
                       const std::string &after, PositionEncoding encoding) {
  size_t most = std::min(before.size(), after.size());
  size_t begin = 0, end = 0;
  while (begin < most && before[begin] == after[begin])
    ++begin;
  while (end < most - begin &&
         before[before.size() - 1 - end] == after[after.size() - 1 - end])
    ++end;
  // At borders of characters.
  auto inside = [](const std::string &text, size_t at) {
    return at < text.size() &&
           (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  while (begin > 0 && inside(before, begin))
    --begin;
  while (end > 0 && inside(before, before.size() - end))
    --end;
  model::TextRange range{int64_t(begin), int64_t(before.size() - end)};
  return {{"range", lspRange(TextDocument(uri, 0, before), range, encoding)},
          {"newText", after.substr(begin, after.size() - end - begin)}};
}

/// One edit of everything that goes by the name: the source, its pins and its
/// overrides, so that a client does all of it or nothing.
void LanguageRequests::rename(Request request) {
  TextSnapshot text = session.require(uriOf(request->params()));
  int64_t offset = offsetOf(request->params(), *text, session.encoding);
  std::string name = stringField(request->params(), "newName");
  if (name.empty())
    refuse("TW0606", "'newName' is missing", text->uri());
  if (!SessionState::isSource(text->uri()))
    refuse("TW0615", "the text of a stage follows from the source",
           text->uri());
  requests.forward(
      request, EngineRole::Language, method::rename,
      RenameParams{text->uri(), offset, name},
      [this, text](Json result) -> Json {
        Forwarder::checkVersion(result, *text);
        Json changes = Json::object(), documents = Json::array();
        auto add = [&](const std::string &uri, const Json &version,
                       Json edits) {
          if (edits.empty())
            return;
          changes[uri] = edits;
          documents.push_back(
              {{"textDocument", {{"uri", uri}, {"version", version}}},
               {"edits", std::move(edits)}});
        };
        Json edits = Json::array();
        for (const Json &edit : result.at("edits"))
          edits.push_back(
              {{"range",
                lspRange(*text, edit.at("range").get<model::TextRange>(),
                         session.encoding)},
               {"newText", edit.at("newText")}});
        add(text->uri(), text->version(), std::move(edits));
        for (const Json &file : result.at("files")) {
          auto uri = file.at("uri").get<std::string>();
          add(uri, nullptr,
              Json::array({singleEdit(uri, file.at("before"), file.at("after"),
                                      session.encoding)}));
        }
        if (session.versionedEdits)
          return {{"documentChanges", std::move(documents)}};
        return {{"changes", std::move(changes)}};
      });
}

void LanguageRequests::completion(Request request) {
  std::string uri = uriOf(request->params());
  if (!SessionState::isSource(uri)) {
    request->reply(nullptr); // nothing is written there
    return;
  }
  TextSnapshot text = session.require(uri);
  int64_t offset = offsetOf(request->params(), *text, session.encoding);
  requests.forward(
      request, EngineRole::Language, method::completion,
      OffsetParams{text->uri(), session.target(), offset},
      [this, text](Json result) -> Json {
        Forwarder::checkVersion(result, *text);
        // CompletionItemKind: Function for operations, as most editors draw it
        // apart from Method and Variable.
        static const std::map<std::string, int> kinds = {
            {"operation", 3}, {"value", 6},      {"function", 2},
            {"type", 25},     {"attribute", 10}, {"alias", 21}};
        auto found = result.get<CompletionResult>();
        Json range = lspRange(*text, found.range, session.encoding);
        Json items = Json::array();
        for (const CompletionEntry &entry : found.entries) {
          auto kind = kinds.find(entry.kind);
          bool snippet = session.snippets && !entry.insert.empty();
          Json item = {{"label", entry.label},
                       {"kind", kind == kinds.end() ? 1 : kind->second},
                       {"insertTextFormat", snippet ? 2 : 1},
                       {"textEdit",
                        {{"range", range},
                         {"newText", snippet ? entry.insert : entry.label}}}};
          if (!entry.detail.empty())
            item["detail"] = entry.detail;
          if (!entry.documentation.empty())
            item["documentation"] = {{"kind", "markdown"},
                                     {"value", entry.documentation}};
          items.push_back(std::move(item));
        }
        // All of them are there: what is typed on narrows them in the client.
        return {{"isIncomplete", false}, {"items", std::move(items)}};
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
  async("textDocument/definition", &LanguageRequests::definition);
  async("textDocument/declaration", &LanguageRequests::declaration);
  async("textDocument/documentSymbol", &LanguageRequests::documentSymbol);
  async("textDocument/prepareRename", &LanguageRequests::prepareRename);
  async("textDocument/rename", &LanguageRequests::rename);
  async("textDocument/completion", &LanguageRequests::completion);
  async("workspace/textDocumentContent",
        &LanguageRequests::textDocumentContent);
}

} // namespace tilewright::lsp
