//===- SourcePlace.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/SourcePlace.h"
#include <functional>

namespace tilewright::frontend {

using model::TextRange;

namespace {

std::string_view slice(std::string_view text, ChunkRange range) {
  return text.substr(range.begin, range.end - range.begin);
}

/// Goes through every token `name` of a chunk with the value it means: by the
/// chunk's table, or else what is so called above it and in force. `visit` gets
/// -1 where nothing is, and says whether to go on. Linear.
void walkName(
    const ParsedChunk &chunk, std::string_view name,
    const std::function<bool(ChunkRange, int64_t value, bool known)> &visit) {
  struct InForce {
    uint32_t value;
    int depth;
    bool ofRegion; ///< ends with the region behind it, not with the one around
  };
  std::vector<InForce> inForce;
  int depth = 0;
  bool behindLabel = false;
  auto reference = chunk.references.begin();
  SourceLexer lexer(chunk.text);
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    if (token.startsLine)
      behindLabel = false;
    if (token.kind == TokenKind::BlockLabel)
      behindLabel = true;
    if (token.is('{')) {
      ++depth;
    } else if (token.is('}')) {
      --depth;
      // An attribute's brace that closes within its line ends no region.
      std::erase_if(inForce, [&](const InForce &entry) {
        return entry.ofRegion ? token.startsLine && depth <= entry.depth
                              : depth < entry.depth;
      });
    }
    if (token.kind != TokenKind::Value || lexer.textOf(token) != name)
      continue;
    while (reference != chunk.references.end() &&
           reference->range.begin < token.begin)
      ++reference;
    bool known = reference != chunk.references.end() &&
                 reference->range.begin == token.begin;
    int64_t value = -1;
    if (known) {
      value = reference->value;
      const ParsedValue &parsed = chunk.values[reference->value];
      if (parsed.definition.begin == token.begin)
        inForce.push_back(
            {reference->value, depth, parsed.operation < 0 && !behindLabel});
    } else if (!inForce.empty()) {
      value = inForce.back().value;
    }
    if (!visit({token.begin, token.end}, value, known))
      return;
  }
}

} // namespace

std::optional<SourcePlace> placeAt(const SourceSnapshot &source,
                                   int64_t offset) {
  const auto &chunks = source.layout.chunks;
  auto it = std::upper_bound(
      chunks.begin(), chunks.end(), offset,
      [](int64_t at, const ChunkSpan &span) { return at < span.range.begin; });
  if (it == chunks.begin())
    return std::nullopt;
  --it;
  size_t index = size_t(it - chunks.begin());
  if (offset > it->range.end || index >= source.chunks.size() ||
      !source.chunks[index])
    return std::nullopt;
  return SourcePlace{source.chunks[index].get(), index, it->range.begin,
                     uint32_t(offset - it->range.begin)};
}

const ParsedSymbol *symbolAt(const SourcePlace &place) {
  return spanAt(place.chunk->symbols, place.at);
}

std::optional<ValueAt> valueAt(const SourcePlace &place) {
  if (const ParsedReference *reference =
          spanAt(place.chunk->references, place.at))
    return ValueAt{reference->range, reference->value};
  if (place.chunk->complete)
    return std::nullopt;
  Token token = tokenAt(place.chunk->text,
                        {0, int64_t(place.chunk->text.size())}, place.at);
  if (token.kind != TokenKind::Value)
    return std::nullopt;
  std::optional<ValueAt> found;
  walkName(*place.chunk, slice(place.chunk->text, {token.begin, token.end}),
           [&](ChunkRange range, int64_t value, bool) {
             if (range.begin < token.begin)
               return true;
             if (value >= 0)
               found = ValueAt{range, uint32_t(value)};
             return false;
           });
  return found;
}

std::vector<ChunkRange> placesOf(const ParsedChunk &chunk, uint32_t value) {
  std::vector<ChunkRange> places;
  if (chunk.complete) {
    for (const ParsedReference &reference : chunk.references)
      if (reference.value == value)
        places.push_back(reference.range);
    return places;
  }
  // A use may stand before its definition, in a graph region: the table knows.
  ChunkRange name = chunk.values[value].definition;
  TextRange sign = nameIn(chunk.text, {name.begin, name.end});
  walkName(chunk, slice(chunk.text, {uint32_t(sign.begin), uint32_t(sign.end)}),
           [&](ChunkRange range, int64_t meant, bool) {
             if (meant == int64_t(value))
               places.push_back(range);
             return true;
           });
  return places;
}

int operationAt(const ParsedChunk &chunk, uint32_t at) {
  auto it = std::upper_bound(chunk.operations.begin(), chunk.operations.end(),
                             at, [](uint32_t at, const ParsedOperation &op) {
                               return at < op.range.begin;
                             });
  while (it != chunk.operations.begin()) {
    --it;
    if (at <= it->range.end)
      return int(it - chunk.operations.begin());
  }
  return -1;
}

uint32_t headerEnd(const ParsedChunk &chunk, int operation) {
  const ParsedOperation &op = chunk.operations[size_t(operation)];
  size_t next = size_t(operation) + 1;
  if (next < chunk.operations.size() &&
      chunk.operations[next].range.begin < op.range.end) {
    uint32_t inner = chunk.operations[next].range.begin;
    size_t brace = chunk.text.rfind('{', inner);
    if (brace != std::string::npos && brace > op.nameRange.end)
      return uint32_t(brace);
    return inner;
  }
  return op.range.end;
}

const AliasSpan *aliasAt(const SourceSnapshot &source, int64_t offset) {
  std::string_view text = source.text;
  if (offset < 0 || offset > int64_t(text.size()))
    return nullptr;
  size_t begin = size_t(offset);
  auto isNameByte = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '-';
  };
  while (begin > 0 && isNameByte(text[begin - 1]))
    --begin;
  if (begin < text.size() && (text[begin] == '#' || text[begin] == '!'))
    ;
  else if (begin > 0)
    --begin;
  if (begin >= text.size() || (text[begin] != '#' && text[begin] != '!'))
    return nullptr;
  SourceLexer lexer(text, uint32_t(begin));
  Token token = lexer.next();
  std::string_view name = lexer.textOf(token);
  for (const AliasSpan &alias : source.layout.aliases)
    if (alias.name == name)
      return &alias;
  return nullptr;
}

TextRange nameIn(std::string_view text, TextRange range) {
  SourceLexer lexer(text, uint32_t(range.begin));
  Token token = lexer.next();
  return {token.begin, token.end};
}

Token tokenAt(std::string_view text, TextRange within, int64_t offset) {
  std::string_view part =
      text.substr(size_t(within.begin), size_t(within.end - within.begin));
  auto at =
      uint32_t(std::clamp(offset, within.begin, within.end) - within.begin);
  // No token but a string holds a line's end, and none begins before the line.
  size_t line = at == 0 ? std::string_view::npos : part.rfind('\n', at - 1);
  SourceLexer lexer(part,
                    line == std::string_view::npos ? 0 : uint32_t(line) + 1);
  Token before;
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    if (token.begin > at)
      break;
    bool named =
        before.kind == TokenKind::Value || before.kind == TokenKind::Symbol ||
        before.kind == TokenKind::Identifier ||
        before.kind == TokenKind::BlockLabel ||
        before.kind == TokenKind::Attribute || before.kind == TokenKind::Type;
    if (token.begin == at && before.end == at && named &&
        token.kind == TokenKind::Sign)
      break;
    before = token;
  }
  if (before.kind == TokenKind::End || before.end < at)
    return {};
  before.begin += uint32_t(within.begin);
  before.end += uint32_t(within.begin);
  return before;
}

std::optional<SymbolDefinition> definitionOf(const SourceSnapshot &source,
                                             size_t index,
                                             std::string_view name) {
  const SourceLayout &layout = source.layout;
  for (int module = layout.chunks[index].module;;
       module = layout.modules[size_t(module)].parent) {
    for (size_t i = 0; i < source.chunks.size(); ++i) {
      const ParsedChunk *chunk = source.chunks[i].get();
      if (!chunk || layout.chunks[i].module != module)
        continue;
      // Few chunks name it; only of those the operations are looked at.
      auto named = std::find_if(
          chunk->symbols.begin(), chunk->symbols.end(),
          [&](const ParsedSymbol &symbol) { return symbol.name == name; });
      if (named == chunk->symbols.end())
        continue;
      SourcePlace place{chunk, i, layout.chunks[i].range.begin, 0};
      for (size_t o = 0; o < chunk->operations.size(); ++o) {
        const ParsedOperation &op = chunk->operations[o];
        if (op.symbol != name)
          continue;
        auto it = std::lower_bound(chunk->symbols.begin(), chunk->symbols.end(),
                                   op.nameRange.end,
                                   [](const ParsedSymbol &s, uint32_t at) {
                                     return s.range.begin < at;
                                   });
        bool written = it != chunk->symbols.end() && it->name == name;
        return SymbolDefinition{
            i, int(o), place.absolute(written ? it->range : op.nameRange)};
      }
      // A function whose text is wrong still has its name.
      if (!chunk->complete && named == chunk->symbols.begin())
        return SymbolDefinition{i, -1, place.absolute(named->range)};
    }
    if (module < 0)
      break;
  }
  return std::nullopt;
}

} // namespace tilewright::frontend
