//===- Occurrences.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Occurrences.h"
#include "core/frontend/SourcePlace.h"
#include <map>

namespace tilewright::frontend {

using model::TextRange;

namespace {

std::string_view slice(std::string_view text, TextRange range) {
  return text.substr(size_t(range.begin), size_t(range.end - range.begin));
}

/// Whether `at` is inside the brackets of an `outs(…)` of the operation around
/// it. Linear in the operation's own text.
bool isOutput(const ParsedChunk &chunk, uint32_t at) {
  int index = operationAt(chunk, at);
  if (index < 0)
    return false;
  SourceLexer lexer(chunk.text, chunk.operations[size_t(index)].nameRange.end);
  int depth = 0, outputs = -1;
  bool named = false;
  for (Token token = lexer.next();
       token.kind != TokenKind::End && token.begin < at; token = lexer.next()) {
    if (token.is('(')) {
      if (named && outputs < 0)
        outputs = depth;
      ++depth;
    } else if (token.is(')')) {
      if (--depth == outputs)
        outputs = -1;
    }
    named =
        token.kind == TokenKind::Identifier && lexer.textOf(token) == "outs";
  }
  return outputs >= 0;
}

/// Places of a name that means nothing known: where it is written in the chunk
/// on lines that could not be read, or whose definition could not.
void addUnknown(const SourcePlace &place, std::string_view name,
                Occurrences &result) {
  SourceLexer lexer(place.chunk->text);
  // Names up to an equals sign get their meaning there; in brackets (those of
  // iter_args) only the last of them.
  std::vector<std::optional<size_t>> pending;
  int depth = 0;
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    depth += token.is('(') || token.is('[');
    depth -= token.is(')') || token.is(']');
    if (token.kind == TokenKind::Value) {
      bool here = lexer.textOf(token) == name &&
                  !spanAt(place.chunk->references, token.begin);
      if (here)
        result.places.push_back(
            {place.absolute({token.begin, token.end}), false, false});
      if (depth > 0)
        pending.clear();
      pending.push_back(here ? std::optional(result.places.size() - 1)
                             : std::nullopt);
    } else if (token.is('=')) {
      for (std::optional<size_t> index : pending)
        if (index)
          result.places[*index].definition = result.places[*index].write = true;
      pending.clear();
    } else if (!token.is(',') && !token.is(':') &&
               token.kind != TokenKind::Number) {
      pending.clear();
    }
  }
}

void addValue(const SourceSnapshot &source, const SourcePlace &place,
              uint32_t value, Occurrences &result) {
  uint32_t definition = place.chunk->values[value].definition.begin;
  for (ChunkRange range : placesOf(*place.chunk, value)) {
    bool defines = range.begin == definition;
    result.places.push_back({nameIn(source.text, place.absolute(range)),
                             defines,
                             defines || isOutput(*place.chunk, range.begin)});
  }
}

void addSymbol(const SourceSnapshot &source, const SourcePlace &place,
               const std::string &name, Occurrences &result) {
  auto wanted = definitionOf(source, place.index, name);
  // What a name means depends on the module it stands in only.
  std::map<int, bool> same;
  for (size_t i = 0; i < source.chunks.size(); ++i) {
    if (!source.chunks[i])
      continue;
    int64_t base = source.layout.chunks[i].range.begin;
    for (const ParsedSymbol &symbol : source.chunks[i]->symbols) {
      if (symbol.name != name)
        continue;
      auto [it, isNew] =
          same.try_emplace(source.layout.chunks[i].module, false);
      if (isNew)
        it->second = definitionOf(source, i, name) == wanted;
      TextRange range{base + symbol.range.begin, base + symbol.range.end};
      bool defines = wanted && range == wanted->range;
      if (it->second)
        result.places.push_back({range, defines, defines});
    }
  }
}

/// Tokens that read as `name` in a part of the text.
void addTokens(const SourceSnapshot &source, TextRange part,
               std::string_view name, TextRange definition,
               Occurrences &result) {
  SourceLexer lexer(slice(source.text, part));
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    if ((token.kind != TokenKind::Attribute && token.kind != TokenKind::Type) ||
        lexer.textOf(token) != name)
      continue;
    TextRange range{part.begin + token.begin, part.begin + token.end};
    bool defines = range == definition;
    result.places.push_back({range, defines, defines});
  }
}

void addAlias(const SourceSnapshot &source, const AliasSpan &alias,
              Occurrences &result) {
  const SourceLayout &layout = source.layout;
  size_t index = size_t(&alias - layout.aliases.data());
  auto uses = [&](const std::vector<size_t> &list) {
    return std::find(list.begin(), list.end(), index) != list.end();
  };
  for (const AliasSpan &other : layout.aliases)
    if (&other == &alias || uses(other.uses))
      addTokens(source, other.range, alias.name, alias.nameRange, result);
  for (const ModuleSpan &module : layout.modules)
    addTokens(source, module.header, alias.name, alias.nameRange, result);
  for (const ChunkSpan &chunk : layout.chunks)
    if (uses(chunk.aliases))
      addTokens(source, chunk.range, alias.name, alias.nameRange, result);
}

/// Blocks are known in the region they are in, by the braces around them.
void addBlocks(const SourcePlace &place, const Token &wanted,
               std::string_view name, Occurrences &result) {
  struct Found {
    ChunkRange range;
    bool defines;
    int64_t region;
  };
  std::vector<Found> all;
  std::vector<int64_t> open = {-1};
  int64_t region = -1;
  SourceLexer lexer(place.chunk->text);
  Token previous;
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    if (token.is('{'))
      open.push_back(token.begin);
    else if (token.is('}') && open.size() > 1)
      open.pop_back();
    else if (token.kind == TokenKind::BlockLabel &&
             lexer.textOf(token) == name) {
      // Behind a comma or a bracket it is where a branch goes.
      bool defines = token.startsLine ? !previous.is(',') && !previous.is('[')
                                      : previous.is('{');
      all.push_back({{token.begin, token.end}, defines, open.back()});
      if (token.begin == wanted.begin)
        region = open.back();
    }
    previous = token;
  }
  for (const Found &found : all)
    if (found.region == region)
      result.places.push_back(
          {place.absolute(found.range), found.defines, found.defines});
}

} // namespace

Occurrences occurrencesAt(const SourceSnapshot &source, int64_t offset) {
  Occurrences result;
  if (const AliasSpan *alias = aliasAt(source, offset)) {
    result.name = alias->name;
    addAlias(source, *alias, result);
  } else if (std::optional<SourcePlace> place = placeAt(source, offset)) {
    if (std::optional<ValueAt> value = valueAt(*place)) {
      addValue(source, *place, value->value, result);
    } else if (const ParsedSymbol *symbol = symbolAt(*place)) {
      addSymbol(source, *place, symbol->name, result);
    } else {
      const std::string &text = place->chunk->text;
      Token token = tokenAt(text, {0, int64_t(text.size())}, place->at);
      std::string_view name =
          slice(text, {int64_t(token.begin), int64_t(token.end)});
      if (token.kind == TokenKind::BlockLabel)
        addBlocks(*place, token, name, result);
      else if (token.kind == TokenKind::Value && !place->chunk->complete)
        addUnknown(*place, name, result);
    }
  }
  auto before = [](const Occurrence &a, const Occurrence &b) {
    return a.range.begin < b.range.begin;
  };
  std::sort(result.places.begin(), result.places.end(), before);
  auto same = [](const Occurrence &a, const Occurrence &b) {
    return a.range == b.range;
  };
  result.places.erase(
      std::unique(result.places.begin(), result.places.end(), same),
      result.places.end());
  if (result.name.empty() && !result.places.empty())
    result.name = std::string(slice(source.text, result.places.front().range));
  return result;
}

} // namespace tilewright::frontend
