//===- LspConversion.cpp - the engine's data as LSP wants it --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/LspConversion.h"
#include <algorithm>

namespace tilewright::lsp {

Json lspRange(const TextDocument &text, const model::TextRange &range,
              PositionEncoding encoding) {
  return text.range(range.begin, std::max(range.begin, range.end), encoding);
}

Json lspDiagnostic(const model::Diagnostic &diagnostic,
                   const TextDocument &text, const TextLookup &lookup,
                   PositionEncoding encoding) {
  // What is wrong with another file, as that of the pins, is told at the top.
  bool elsewhere = !diagnostic.uri.empty() && diagnostic.uri != text.uri();
  model::TextRange range = elsewhere ? model::TextRange() : diagnostic.range;
  Json json = {{"range", lspRange(text, range, encoding)},
               {"severity", static_cast<int>(diagnostic.severity)},
               {"source", "tilewright"},
               {"message", diagnostic.message}};
  if (!diagnostic.hint.empty())
    json["message"] = diagnostic.message + "\n" + diagnostic.hint;
  if (!diagnostic.code.empty())
    json["code"] = diagnostic.code;
  json["data"] = {{"key", diagnostic.key}, {"hint", diagnostic.hint}};
  if (elsewhere) {
    Json there = Range();
    if (TextSnapshot other = lookup(diagnostic.uri))
      there = lspRange(*other, diagnostic.range, encoding);
    json["relatedInformation"].push_back(
        {{"location", {{"uri", diagnostic.uri}, {"range", there}}},
         {"message", "in this file"}});
  }
  for (const model::RelatedInformation &related : diagnostic.related) {
    Json range = Range();
    std::string uri = related.uri.empty() ? text.uri() : related.uri;
    if (uri == text.uri())
      range = lspRange(text, related.range, encoding);
    else if (TextSnapshot other = lookup(uri))
      range = lspRange(*other, related.range, encoding);
    json["relatedInformation"].push_back(
        {{"location", {{"uri", uri}, {"range", range}}},
         {"message", related.message}});
  }
  return json;
}

Json lspSymbol(const Symbol &symbol, const TextDocument &text,
               PositionEncoding encoding) {
  // SymbolKind: Function, Variable, Operator.
  int kind = symbol.kind == "function"   ? 12
             : symbol.kind == "argument" ? 13
                                         : 25;
  // Clients refuse a selection that is not within the range.
  model::TextRange selection = symbol.selectionRange;
  selection.begin =
      std::clamp(selection.begin, symbol.range.begin, symbol.range.end);
  selection.end = std::clamp(selection.end, selection.begin, symbol.range.end);
  Json json = {{"name", symbol.name.empty() ? "?" : symbol.name},
               {"detail", symbol.detail},
               {"kind", kind},
               {"range", lspRange(text, symbol.range, encoding)},
               {"selectionRange", lspRange(text, selection, encoding)},
               {"children", Json::array()}};
  if (!symbol.key.empty())
    json["key"] = symbol.key;
  for (const Symbol &child : symbol.children)
    json["children"].push_back(lspSymbol(child, text, encoding));
  return json;
}

void convertRanges(Json &json, const TextDocument &text,
                   PositionEncoding encoding) {
  if (json.is_array()) {
    for (Json &item : json)
      convertRanges(item, text, encoding);
    return;
  }
  if (!json.is_object())
    return;
  auto begin = json.find("begin");
  auto end = json.find("end");
  if (json.size() == 2 && begin != json.end() && end != json.end() &&
      begin->is_number_integer() && end->is_number_integer()) {
    json =
        lspRange(text, {begin->get<int64_t>(), end->get<int64_t>()}, encoding);
    return;
  }
  for (auto &item : json.items())
    convertRanges(item.value(), text, encoding);
}

} // namespace tilewright::lsp
