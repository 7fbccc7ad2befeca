//===- Methods.cpp - what fronts and engine say to each other -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Methods.h"

namespace tilewright::lsp {

void to_json(Json &json, const Symbol &symbol) {
  json = {{"name", symbol.name},
          {"detail", symbol.detail},
          {"kind", symbol.kind},
          {"range", symbol.range},
          {"selectionRange", symbol.selectionRange},
          {"children", Json::array()}};
  if (!symbol.key.empty())
    json["key"] = symbol.key;
  for (const Symbol &child : symbol.children)
    json["children"].push_back(child);
}

void from_json(const Json &json, Symbol &symbol) {
  symbol.name = json.value("name", "");
  symbol.detail = json.value("detail", "");
  symbol.kind = json.value("kind", "operation");
  symbol.range = json.value("range", model::TextRange());
  symbol.selectionRange = json.value("selectionRange", symbol.range);
  symbol.key = json.value("key", "");
  symbol.children.clear();
  if (auto it = json.find("children"); it != json.end())
    for (const Json &child : *it)
      symbol.children.push_back(child.get<Symbol>());
}

} // namespace tilewright::lsp
