//===- FeatureMethods.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/FeatureMethods.h"
#include "core/frontend/Calls.h"
#include "core/frontend/Folding.h"
#include "core/frontend/Formatting.h"
#include "core/frontend/Occurrences.h"
#include "core/frontend/Selection.h"
#include "core/frontend/Signature.h"
#include "lsp/protocol/LanguageFeatures.h"
#include "lsp/protocol/Methods.h"
#include "lsp/protocol/Params.h"

namespace tilewright::engine {

using lsp::IncomingRequest;
using lsp::Json;

static lsp::CallableEntry toProtocol(const frontend::Callable &callable) {
  return {callable.name, callable.detail, callable.key, callable.range,
          callable.selectionRange};
}

static Json references(const ReadDocument &document,
                       const lsp::OffsetParams &params) {
  auto found = frontend::occurrencesAt(*document.source, params.offset);
  lsp::ReferencesResult result{std::move(found.name), {}};
  for (const frontend::Occurrence &place : found.places)
    result.places.push_back({place.range, place.definition, place.write});
  return result;
}

static Json folding(const ReadDocument &document, const lsp::DocumentParams &) {
  std::vector<lsp::FoldingEntry> ranges;
  for (frontend::FoldingRange &fold : frontend::foldingRanges(*document.source))
    ranges.push_back({fold.range, std::move(fold.kind)});
  return {{"ranges", ranges}};
}

static Json selection(const ReadDocument &document,
                      const lsp::SelectionParams &params) {
  Json chains = Json::array();
  for (int64_t offset : params.offsets)
    chains.push_back(frontend::selectionAt(*document.source, offset));
  return {{"chains", std::move(chains)}};
}

static Json signature(const ReadDocument &document,
                      const lsp::OffsetParams &params) {
  auto found = frontend::signatureAt(*document.source, params.offset);
  if (!found)
    return nullptr;
  lsp::SignatureResult result{
      found->label, found->documentation, {}, found->active};
  for (frontend::SignatureParameter &parameter : found->parameters)
    result.parameters.push_back(
        {{parameter.begin, parameter.end}, std::move(parameter.documentation)});
  return result;
}

static Json format(const ReadDocument &document,
                   const lsp::FormatParams &params) {
  std::optional<model::TextRange> within;
  if (params.end >= 0)
    within = {params.begin, params.end};
  std::vector<lsp::FormatEdit> edits;
  for (frontend::TextEdit &edit : frontend::formattingEdits(
           *document.source, {params.indent, params.tabs}, within))
    edits.push_back({{edit.begin, edit.end}, std::move(edit.text)});
  return {{"edits", edits}};
}

static Json calls(const ReadDocument &document,
                  const lsp::CallsParams &params) {
  Json result = {{"callable", nullptr}, {"calls", Json::array()}};
  if (auto callable = frontend::callableAt(*document.source, params.offset))
    result["callable"] = toProtocol(*callable);
  std::vector<frontend::Calls> found;
  if (params.direction == "in")
    found = frontend::callersOf(*document.source, params.offset);
  else if (params.direction == "out")
    found = frontend::calleesOf(*document.source, params.offset);
  for (frontend::Calls &side : found)
    result["calls"].push_back(
        lsp::CallsEntry{toProtocol(side.callable), std::move(side.places)});
  return result;
}

void registerFeatureMethods(lsp::Connection &connection,
                            EngineDocuments &documents) {
  auto on = [&]<typename Params>(
                const char *name,
                Json (*answer)(const ReadDocument &, const Params &)) {
    connection.onRequest(
        name, [&documents, name, answer](IncomingRequest &request) -> Json {
          auto params = lsp::readParams<Params>(request.params());
          ReadDocument document = documents.read(request);
          Json result = answer(document, params);
          if (result.is_null())
            return result;
          result["schema"] = name;
          result["version"] = 1;
          result["documentVersion"] = document.source->version;
          result["generation"] = document.generation;
          return result;
        });
  };
  on(lsp::method::references, &references);
  on(lsp::method::folding, &folding);
  on(lsp::method::selection, &selection);
  on(lsp::method::signature, &signature);
  on(lsp::method::format, &format);
  on(lsp::method::calls, &calls);
}

} // namespace tilewright::engine
