//===- Calls.cpp ----------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Calls.h"
#include "core/frontend/Occurrences.h"
#include "core/frontend/SourcePlace.h"
#include <map>

namespace tilewright::frontend {

using model::TextRange;

namespace {

Callable describe(const SourceSnapshot &source,
                  const SymbolDefinition &definition) {
  const ParsedChunk &chunk = *source.chunks[definition.chunk];
  const TextRange &span = source.layout.chunks[definition.chunk].range;
  Callable result;
  result.selectionRange = definition.range;
  result.name = symbolName(
      std::string_view(source.text)
          .substr(size_t(definition.range.begin),
                  size_t(definition.range.end - definition.range.begin)));
  result.range = span;
  if (definition.operation >= 0) {
    const ParsedOperation &op = chunk.operations[size_t(definition.operation)];
    result.detail = chunk.names[op.name];
    result.key = op.key;
    result.range = {span.begin + op.range.begin, span.begin + op.range.end};
  }
  return result;
}

/// The innermost thing with a symbol around a place.
std::optional<SymbolDefinition> around(const SourceSnapshot &source,
                                       const SourcePlace &place) {
  const ParsedChunk &chunk = *place.chunk;
  for (int o = operationAt(chunk, place.at); o >= 0; --o) {
    const ParsedOperation &op = chunk.operations[size_t(o)];
    if (op.symbol.empty() || place.at > op.range.end)
      continue;
    auto it = std::lower_bound(
        chunk.symbols.begin(), chunk.symbols.end(), op.nameRange.end,
        [](const ParsedSymbol &s, uint32_t at) { return s.range.begin < at; });
    bool written = it != chunk.symbols.end() && it->name == op.symbol;
    return SymbolDefinition{place.index, o,
                            place.absolute(written ? it->range : op.nameRange)};
  }
  if (!chunk.complete && !chunk.symbols.empty())
    return definitionOf(source, place.index, chunk.symbols.front().name);
  return std::nullopt;
}

std::optional<SymbolDefinition> definitionAt(const SourceSnapshot &source,
                                             int64_t offset) {
  std::optional<SourcePlace> place = placeAt(source, offset);
  if (!place)
    return std::nullopt;
  if (const ParsedSymbol *symbol = symbolAt(*place))
    return definitionOf(source, place->index, symbol->name);
  return around(source, *place);
}

/// Calls grouped by one side of them, in the order these first come.
class Groups {
public:
  explicit Groups(const SourceSnapshot &source) : source(source) {}

  void add(const SymbolDefinition &side, TextRange place) {
    auto [it, isNew] = indices.try_emplace(side.range.begin, calls.size());
    if (isNew)
      calls.push_back({describe(source, side), {}});
    calls[it->second].places.push_back(place);
  }
  std::vector<Calls> calls;

private:
  const SourceSnapshot &source;
  std::map<int64_t, size_t> indices; ///< by where the side is defined
};

} // namespace

std::optional<Callable> callableAt(const SourceSnapshot &source,
                                   int64_t offset) {
  auto definition = definitionAt(source, offset);
  return definition ? std::optional(describe(source, *definition))
                    : std::nullopt;
}

std::vector<Calls> callersOf(const SourceSnapshot &source, int64_t offset) {
  Groups groups(source);
  auto callee = definitionAt(source, offset);
  if (!callee)
    return {};
  for (const Occurrence &use :
       occurrencesAt(source, callee->range.begin).places)
    if (std::optional<SourcePlace> place = placeAt(source, use.range.begin);
        place && !use.definition)
      if (auto caller = around(source, *place))
        groups.add(*caller, use.range);
  return std::move(groups.calls);
}

std::vector<Calls> calleesOf(const SourceSnapshot &source, int64_t offset) {
  auto caller = definitionAt(source, offset);
  if (!caller)
    return {};
  Groups groups(source);
  std::map<std::string_view, std::optional<SymbolDefinition>> meanings;
  const ParsedChunk &chunk = *source.chunks[caller->chunk];
  int64_t base = source.layout.chunks[caller->chunk].range.begin;
  TextRange range = describe(source, *caller).range;
  for (const ParsedSymbol &symbol : chunk.symbols) {
    TextRange place{base + symbol.range.begin, base + symbol.range.end};
    if (place.begin < range.begin || place.end > range.end ||
        place == caller->range)
      continue;
    auto [callee, isNew] = meanings.try_emplace(symbol.name);
    if (isNew)
      callee->second = definitionOf(source, caller->chunk, symbol.name);
    if (callee->second && callee->second->range != place)
      groups.add(*callee->second, place);
  }
  return std::move(groups.calls);
}

} // namespace tilewright::frontend
