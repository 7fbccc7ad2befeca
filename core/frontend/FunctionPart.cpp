//===- FunctionPart.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/FunctionPart.h"
#include <unordered_map>

namespace tilewright::frontend {

namespace {

/// Name -> the chunks that define it at their top. A chunk that does not parse
/// defines what its first `@name` says.
using Definitions = std::unordered_multimap<std::string_view, size_t>;

Definitions definitionsOf(const SourceSnapshot &source) {
  Definitions definitions;
  for (size_t i = 0; i < source.chunks.size(); ++i) {
    const ParsedChunk *chunk = source.chunks[i].get();
    if (!chunk)
      continue;
    uint32_t end = 0;
    for (const ParsedOperation &op : chunk->operations) {
      if (op.range.begin < end)
        continue;
      end = op.range.end;
      if (!op.symbol.empty())
        definitions.emplace(op.symbol, i);
    }
    if (!chunk->complete && !chunk->symbols.empty())
      definitions.emplace(chunk->symbols.front().name, i);
  }
  return definitions;
}

void blank(std::string &text, model::TextRange range) {
  for (int64_t at = range.begin; at < range.end; ++at)
    if (char &byte = text[size_t(at)]; byte != '\n' && byte != '\r')
      byte = ' ';
}

} // namespace

std::optional<std::string> textOfFunction(const SourceSnapshot &source,
                                          std::string_view name) {
  Definitions definitions = definitionsOf(source);
  std::vector<bool> wanted(source.chunks.size());
  std::vector<size_t> found;
  auto want = [&](std::string_view symbol) {
    auto [begin, end] = definitions.equal_range(symbol);
    for (auto it = begin; it != end; ++it)
      if (!wanted[it->second]) {
        wanted[it->second] = true;
        found.push_back(it->second);
      }
  };
  want(name);
  if (found.empty())
    return std::nullopt;
  for (size_t i = 0; i < found.size(); ++i)
    for (const ParsedSymbol &symbol : source.chunks[found[i]]->symbols)
      want(symbol.name);

  std::vector<size_t> aliases;
  for (size_t chunk : found)
    aliases.insert(aliases.end(), source.layout.chunks[chunk].aliases.begin(),
                   source.layout.chunks[chunk].aliases.end());
  std::vector<bool> used(source.layout.aliases.size());
  for (size_t alias : aliasClosure(source.layout, aliases))
    used[alias] = true;

  std::string text = source.text;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!wanted[i])
      blank(text, source.layout.chunks[i].range);
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      blank(text, source.layout.aliases[i].range);
  return text;
}

} // namespace tilewright::frontend
