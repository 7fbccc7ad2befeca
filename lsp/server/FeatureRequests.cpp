//===- FeatureRequests.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/FeatureRequests.h"
#include "lsp/protocol/Params.h"
#include "lsp/server/Parameters.h"
#include <algorithm>

namespace tilewright::lsp {

void FeatureRequests::ask(Request request, const std::string &uri,
                          const char *name,
                          std::function<Json(TextSnapshot)> make,
                          Answer answer) {
  texts.with(request, uri,
             [this, request, name, make = std::move(make),
              answer = std::move(answer)](TextSnapshot text) {
               requests.forward(request, EngineRole::Language, name, make(text),
                                [text, answer](Json result) -> Json {
                                  Forwarder::checkVersion(result, *text);
                                  return answer(result, text);
                                });
             });
}

void FeatureRequests::askAt(Request request, const char *name, Answer answer) {
  ask(
      request, uriOf(request->params()), name,
      [this, request](TextSnapshot text) -> Json {
        return OffsetParams{
            text->uri(), session.target(),
            offsetOf(request->params(), *text, session.encoding)};
      },
      std::move(answer));
}

void FeatureRequests::references(Request request) {
  bool declaration = true;
  if (!request->params().is_object())
    refuse("TW0606", "params must be an object");
  if (auto context = request->params().find("context");
      context != request->params().end() && context->is_object())
    declaration = context->value("includeDeclaration", Json(true)) != false;
  askAt(request, method::references,
        [this, declaration](const Json &result, TextSnapshot text) -> Json {
          Json places = Json::array();
          for (const ReferencePlace &place :
               result.get<ReferencesResult>().places)
            if (declaration || !place.definition)
              places.push_back(
                  {{"uri", text->uri()}, {"range", range(*text, place.range)}});
          return places;
        });
}

void FeatureRequests::documentHighlight(Request request) {
  askAt(request, method::references,
        [this](const Json &result, TextSnapshot text) -> Json {
          Json places = Json::array();
          for (const ReferencePlace &place :
               result.get<ReferencesResult>().places)
            places.push_back({{"range", range(*text, place.range)},
                              {"kind", place.write ? 3 : 2}});
          return places;
        });
}

void FeatureRequests::foldingRange(Request request) {
  ask(
      request, uriOf(request->params()), method::folding,
      [](TextSnapshot text) -> Json { return DocumentParams{text->uri(), ""}; },
      [this](const Json &result, TextSnapshot text) -> Json {
        Json folds = Json::array();
        for (const auto &fold :
             result.at("ranges").get<std::vector<FoldingEntry>>()) {
          Json where = range(*text, fold.range);
          if (where["start"]["line"] >= where["end"]["line"])
            continue;
          Json entry = {{"startLine", where["start"]["line"]},
                        {"startCharacter", where["start"]["character"]},
                        {"endLine", where["end"]["line"]},
                        {"endCharacter", where["end"]["character"]}};
          if (!fold.kind.empty())
            entry["kind"] = fold.kind;
          folds.push_back(std::move(entry));
        }
        return folds;
      });
}

void FeatureRequests::selectionRange(Request request) {
  requireForm(request->params(), {{"positions", Json::array()}});
  ask(
      request, uriOf(request->params()), method::selection,
      [this, request](TextSnapshot text) -> Json {
        SelectionParams params{text->uri(), {}};
        for (const Json &position : request->params()["positions"])
          params.offsets.push_back(text->offset(
              readParams<Position>(position, "positions"), session.encoding));
        return params;
      },
      [this](const Json &result, TextSnapshot text) -> Json {
        Json answers = Json::array();
        for (const Json &chain : result.at("chains")) {
          // From the outermost in.
          Json entry = nullptr;
          for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
            Json inner = {{"range", range(*text, it->get<model::TextRange>())}};
            if (!entry.is_null())
              inner["parent"] = std::move(entry);
            entry = std::move(inner);
          }
          // An empty text has nothing but the place.
          if (entry.is_null())
            entry = {{"range", range(*text, {})}};
          answers.push_back(std::move(entry));
        }
        return answers;
      });
}

void FeatureRequests::signatureHelp(Request request) {
  askAt(request, method::signature,
        [this](const Json &result, TextSnapshot) -> Json {
          if (result.is_null())
            return nullptr;
          auto found = result.get<SignatureResult>();
          Json parameters = Json::array();
          // Places in labels are in UTF-16, whatever was negotiated.
          TextDocument label("", 0, found.label);
          for (const SignaturePart &part : found.parameters) {
            Json entry;
            if (session.labelOffsets) {
              Json place = lspRange(label, part.range, PositionEncoding::Utf16);
              entry["label"] = {place["start"]["character"],
                                place["end"]["character"]};
            } else {
              entry["label"] =
                  found.label.substr(size_t(part.range.begin),
                                     size_t(part.range.end - part.range.begin));
            }
            if (!part.documentation.empty())
              entry["documentation"] = {{"kind", "markdown"},
                                        {"value", part.documentation}};
            parameters.push_back(std::move(entry));
          }
          Json signature = {{"label", found.label},
                            {"parameters", std::move(parameters)}};
          if (!found.documentation.empty())
            signature["documentation"] = {{"kind", "markdown"},
                                          {"value", found.documentation}};
          Json answer = {{"signatures", Json::array({std::move(signature)})},
                         {"activeSignature", 0}};
          // None of them is said by a number that is too large.
          answer["activeParameter"] =
              found.active >= 0 ? found.active : int(found.parameters.size());
          return answer;
        });
}

void FeatureRequests::format(Request request, bool whole) {
  requireForm(request->params(), {{"options", Json::object()}});
  if (!whole)
    requireForm(request->params(),
                {{"range",
                  {{"start", {{"line", 0}, {"character", 0}}},
                   {"end", {{"line", 0}, {"character", 0}}}}}});
  std::string uri = uriOf(request->params());
  if (!SessionState::isSource(uri)) {
    request->reply(nullptr); // it follows from the source
    return;
  }
  ask(
      request, uriOf(request->params()), method::format,
      [this, request, whole](TextSnapshot text) -> Json {
        const Json &options = request->params()["options"];
        FormatParams params;
        params.uri = text->uri();
        if (auto size = options.find("tabSize");
            size != options.end() && size->is_number_integer())
          params.indent = int(std::clamp<int64_t>(size->get<int64_t>(), 1, 16));
        params.tabs = options.value("insertSpaces", Json(true)) == false;
        if (!whole) {
          auto wanted = readParams<Range>(request->params()["range"], "range");
          params.begin = text->offset(wanted.start, session.encoding);
          params.end = std::max(params.begin,
                                text->offset(wanted.end, session.encoding));
        }
        return params;
      },
      [this](const Json &result, TextSnapshot text) -> Json {
        Json edits = Json::array();
        for (const auto &edit :
             result.at("edits").get<std::vector<FormatEdit>>())
          edits.push_back(
              {{"range", range(*text, edit.range)}, {"newText", edit.newText}});
        return edits;
      });
}

Json FeatureRequests::callItem(const CallableEntry &entry,
                               const TextDocument &text) const {
  Json item = {{"name", entry.name},
               {"kind", 12},
               {"uri", text.uri()},
               {"range", range(text, entry.range)},
               {"selectionRange", range(text, entry.selectionRange)}};
  if (!entry.detail.empty())
    item["detail"] = entry.detail;
  if (!entry.key.empty())
    item["data"] = {{"key", entry.key}};
  return item;
}

void FeatureRequests::prepareCallHierarchy(Request request) {
  ask(
      request, uriOf(request->params()), method::calls,
      [this, request](TextSnapshot text) -> Json {
        return CallsParams{text->uri(),
                           offsetOf(request->params(), *text, session.encoding),
                           ""};
      },
      [this](const Json &result, TextSnapshot text) -> Json {
        if (result.at("callable").is_null())
          return nullptr;
        return Json::array(
            {callItem(result["callable"].get<CallableEntry>(), *text)});
      });
}

void FeatureRequests::calls(Request request, const char *direction) {
  requireForm(request->params(),
              {{"item",
                {{"uri", ""},
                 {"name", ""},
                 {"selectionRange",
                  {{"start", {{"line", 0}, {"character", 0}}},
                   {"end", {{"line", 0}, {"character", 0}}}}}}}});
  bool in = std::string_view(direction) == "in";
  const Json &item = request->params()["item"];
  ask(
      request, item["uri"], method::calls,
      [this, request, direction](TextSnapshot text) -> Json {
        auto place = readParams<Range>(
            request->params()["item"]["selectionRange"], "selectionRange");
        return CallsParams{text->uri(),
                           text->offset(place.start, session.encoding),
                           direction};
      },
      [this, in, name = item["name"].get<std::string>()](
          const Json &result, TextSnapshot text) -> Json {
        Json answers = Json::array();
        // The text was edited since the item was made: something else is there.
        if (result.at("callable").is_null() ||
            result["callable"].at("name") != name)
          return answers;
        for (const auto &side :
             result.at("calls").get<std::vector<CallsEntry>>()) {
          Json places = Json::array();
          for (const model::TextRange &place : side.places)
            places.push_back(range(*text, place));
          answers.push_back(
              {{in ? "from" : "to", callItem(side.callable, *text)},
               {"fromRanges", std::move(places)}});
        }
        return answers;
      });
}

void FeatureRequests::registerAt(Connection &connection) {
  auto on = [&](const char *name, auto handler) {
    connection.onAsyncRequest(name, [this, handler](Request request) {
      handler(*this, std::move(request));
    });
  };
  using Self = FeatureRequests;
  on("textDocument/references",
     [](Self &self, Request request) { self.references(request); });
  on("textDocument/documentHighlight",
     [](Self &self, Request request) { self.documentHighlight(request); });
  on("textDocument/foldingRange",
     [](Self &self, Request request) { self.foldingRange(request); });
  on("textDocument/selectionRange",
     [](Self &self, Request request) { self.selectionRange(request); });
  on("textDocument/signatureHelp",
     [](Self &self, Request request) { self.signatureHelp(request); });
  on("textDocument/formatting",
     [](Self &self, Request request) { self.format(request, true); });
  on("textDocument/rangeFormatting",
     [](Self &self, Request request) { self.format(request, false); });
  on("textDocument/prepareCallHierarchy",
     [](Self &self, Request request) { self.prepareCallHierarchy(request); });
  on("callHierarchy/incomingCalls",
     [](Self &self, Request request) { self.calls(request, "in"); });
  on("callHierarchy/outgoingCalls",
     [](Self &self, Request request) { self.calls(request, "out"); });
}

} // namespace tilewright::lsp
