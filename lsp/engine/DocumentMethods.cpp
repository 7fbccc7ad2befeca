//===- DocumentMethods.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/DocumentMethods.h"
#include "core/frontend/Completion.h"
#include "core/inspect/KeyLookup.h"
#include "lsp/protocol/Completion.h"
#include "lsp/protocol/Params.h"

namespace tilewright::engine {

using lsp::IncomingRequest;
using lsp::Json;

namespace {

Json answer(Json body, const char *schema, const ReadDocument &document) {
  body["schema"] = schema;
  body["version"] = 1;
  body["documentVersion"] = document.source->version;
  body["generation"] = document.generation;
  return body;
}

lsp::Symbol toProtocol(const frontend::SourceSymbol &symbol) {
  lsp::Symbol result{symbol.name,  symbol.detail,         symbol.kind,
                     symbol.range, symbol.selectionRange, {},
                     symbol.key};
  result.children.reserve(symbol.children.size());
  for (const frontend::SourceSymbol &child : symbol.children)
    result.children.push_back(toProtocol(child));
  return result;
}

Json keyAtSource(const ReadDocument &document, int64_t offset) {
  auto found = document.source->keyAt(offset);
  if (!found)
    return {{"keys", Json::array()}, {"range", nullptr}, {"source", nullptr}};
  Json source = nullptr;
  if (auto range = document.source->rangeOf(found->keys.front()))
    source = {{"range", *range}};
  return {{"keys", found->keys}, {"range", found->range}, {"source", source}};
}

Json keyAtStage(const ReadDocument &document,
                const model::PrintedStage &printed, int64_t offset) {
  auto span = inspect::spanAt(printed, offset);
  if (!span)
    return {{"keys", Json::array()}, {"range", nullptr}, {"source", nullptr}};
  Json source = nullptr;
  for (const std::string &key : span->keys)
    if (auto range = document.source->rangeOf(key)) {
      source = {{"range", *range}};
      break;
    }
  return {{"keys", span->keys}, {"range", span->range}, {"source", source}};
}

} // namespace

void registerDocumentMethods(lsp::Connection &connection,
                             EngineDocuments &documents,
                             PrintedStageOf printed) {
  connection.onNotification(lsp::method::didOpen, [&](const Json &params) {
    auto open = params.get<lsp::OpenParams>();
    documents.open(open.uri, open.version, std::move(open.text),
                   std::move(open.pins));
  });
  connection.onNotification(lsp::method::didChange, [&](const Json &params) {
    auto change = params.get<lsp::ChangeParams>();
    std::vector<frontend::TextEdit> edits;
    for (lsp::ByteEdit &edit : change.edits)
      edits.push_back({edit.begin, edit.end, std::move(edit.text)});
    documents.change(change.uri, change.version, edits);
  });
  connection.onNotification(lsp::method::didClose, [&](const Json &params) {
    documents.close(params.get<lsp::CloseParams>().uri);
  });

  connection.onRequest(
      lsp::method::diagnostics, [&](IncomingRequest &request) -> Json {
        ReadDocument document = documents.read(request);
        return answer({{"diagnostics", document.source->diagnostics}},
                      "tilewright/diagnostics", document);
      });
  connection.onRequest(
      lsp::method::hover, [&](IncomingRequest &request) -> Json {
        auto params = lsp::readParams<lsp::OffsetParams>(request.params());
        ReadDocument document = documents.read(request);
        auto hover = document.source->hover(params.offset);
        if (!hover)
          return nullptr;
        Json body = {{"markdown", hover->markdown}, {"range", hover->range}};
        if (auto key = document.source->keyAt(params.offset))
          body["key"] = key->keys.front();
        return answer(std::move(body), "tilewright/hover", document);
      });
  connection.onRequest(
      lsp::method::definition, [&](IncomingRequest &request) -> Json {
        auto params = lsp::readParams<lsp::OffsetParams>(request.params());
        ReadDocument document = documents.read(request);
        Json ranges = Json::array();
        for (const model::TextRange &range :
             document.source->definition(params.offset))
          ranges.push_back({{"uri", params.uri}, {"range", range}});
        return answer({{"ranges", std::move(ranges)}}, "tilewright/definition",
                      document);
      });
  connection.onRequest(
      lsp::method::completion, [&](IncomingRequest &request) -> Json {
        auto params = lsp::readParams<lsp::OffsetParams>(request.params());
        ReadDocument document = documents.read(request);
        frontend::Completion found =
            frontend::completeAt(*document.source, params.offset);
        lsp::CompletionResult result{found.range, {}};
        for (frontend::CompletionItem &item : found.items)
          result.entries.push_back({std::move(item.label), std::move(item.kind),
                                    std::move(item.detail),
                                    std::move(item.documentation),
                                    std::move(item.insert)});
        return answer(Json(result), "tilewright/completion", document);
      });
  connection.onRequest(
      lsp::method::symbols, [&](IncomingRequest &request) -> Json {
        ReadDocument document = documents.read(request);
        Json symbols = Json::array();
        for (const frontend::SourceSymbol &symbol : document.source->symbols())
          symbols.push_back(toProtocol(symbol));
        return answer({{"symbols", std::move(symbols)}}, "tilewright/symbols",
                      document);
      });
  connection.onRequest(
      lsp::method::keyAt,
      [&documents, printed](IncomingRequest &request) -> Json {
        auto params = lsp::readParams<lsp::KeyAtParams>(request.params());
        ReadDocument document = documents.read(request);
        if (params.stage.empty())
          return answer(keyAtSource(document, params.offset),
                        "tilewright/keyAt", document);
        if (!printed)
          throw lsp::RequestError(lsp::ErrorCode::InvalidParams,
                                  "this engine has no stages");
        model::PrintedStage stage =
            printed(request, params.uri, params.target, params.stage);
        return answer(keyAtStage(document, stage, params.offset),
                      "tilewright/keyAt", document);
      });
}

} // namespace tilewright::engine
