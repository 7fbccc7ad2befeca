//===- Selection.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Selection.h"
#include "core/frontend/SourcePlace.h"
#include "core/model/StableSort.h"

namespace tilewright::frontend {

using model::TextRange;

namespace {

char openerOf(char sign) {
  switch (sign) {
  case ')':
    return '(';
  case ']':
    return '[';
  case '}':
    return '{';
  case '>':
    return '<';
  default:
    return 0;
  }
}

class Selector {
public:
  Selector(const SourceSnapshot &source, int64_t offset)
      : source(source), text(source.text), offset(offset) {}

  std::vector<TextRange> run();

private:
  void add(TextRange range) {
    if (range.begin <= offset && offset <= range.end && range.begin < range.end)
      ranges.push_back(range);
  }
  /// Without the blanks at its ends, unless the place is in them.
  void addTrimmed(TextRange range);
  void addLine();
  /// Brackets, what is between commas, and blocks.
  void addBrackets(TextRange part);
  void addOperations();

  const SourceSnapshot &source;
  std::string_view text;
  int64_t offset;
  std::vector<TextRange> ranges;
};

void Selector::addTrimmed(TextRange range) {
  TextRange all = range;
  auto blank = [&](int64_t at) {
    return std::string_view(" \t\r\n").find(text[size_t(at)]) !=
           std::string_view::npos;
  };
  while (range.begin < range.end && blank(range.begin))
    ++range.begin;
  while (range.end > range.begin && blank(range.end - 1))
    --range.end;
  add(range);
  if (range.begin > offset || range.end < offset)
    add(all);
}

void Selector::addLine() {
  size_t at = size_t(offset);
  size_t begin = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  addTrimmed(
      {int64_t(begin), int64_t(std::min(text.find('\n', at), text.size()))});
}

void Selector::addBrackets(TextRange part) {
  struct Open {
    char sign;
    int64_t begin; ///< of what belongs to it: `tensor` of `tensor<4xf32>`
    int64_t end;
    int64_t element; ///< where what is between commas began
    int64_t block;   ///< where the block began; -1: none has
  };
  std::vector<Open> open = {{0, part.begin, part.begin, part.begin, -1}};
  Token previous;
  auto endBlock = [&](int64_t at) {
    if (open.back().block >= 0)
      addTrimmed({open.back().block, at});
  };
  SourceLexer lexer(
      text.substr(size_t(part.begin), size_t(part.end - part.begin)));
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    int64_t begin = part.begin + token.begin, end = part.begin + token.end;
    if (token.kind == TokenKind::BlockLabel && open.back().sign == '{' &&
        (token.startsLine || previous.is('{'))) {
      endBlock(begin);
      open.back().block = begin;
    }
    bool adjacent = previous.end == token.begin &&
                    (previous.kind == TokenKind::Identifier ||
                     previous.kind == TokenKind::Type ||
                     previous.kind == TokenKind::Attribute);
    bool opens = token.is('(') || token.is('[') || token.is('{') ||
                 (token.is('<') && (adjacent || open.back().sign == '<'));
    if (opens) {
      bool ofWord = token.is('<') && adjacent;
      open.push_back({token.sign,
                      ofWord ? part.begin + int64_t(previous.begin) : begin,
                      end, end, -1});
    } else if (token.is(',')) {
      if (open.size() > 1)
        addTrimmed({open.back().element, begin});
      open.back().element = end;
    } else if (char opener =
                   token.kind == TokenKind::Sign ? openerOf(token.sign) : 0) {
      auto match =
          std::find_if(open.rbegin(), open.rend(),
                       [&](const Open &entry) { return entry.sign == opener; });
      // A greater-than closes only what is innermost.
      if (match != open.rend() && (opener != '<' || match == open.rbegin())) {
        open.erase(match.base(), open.end());
        endBlock(begin);
        const Open &entry = open.back();
        if (entry.element > entry.end)
          addTrimmed({entry.element, begin});
        addTrimmed({entry.end, begin});
        add({entry.begin, end});
        open.pop_back();
      }
    }
    previous = token;
  }
}

void Selector::addOperations() {
  std::optional<SourcePlace> place = placeAt(source, offset);
  if (!place)
    return;
  const ParsedChunk &chunk = *place->chunk;
  if (!chunk.complete)
    addLine();
  // Those around it are among those that begin before it.
  auto it =
      std::upper_bound(chunk.operations.begin(), chunk.operations.end(),
                       place->at, [](uint32_t at, const ParsedOperation &op) {
                         return at < op.range.begin;
                       });
  while (it != chunk.operations.begin()) {
    --it;
    if (place->at > it->range.end)
      continue;
    int index = int(it - chunk.operations.begin());
    addTrimmed(place->absolute({it->range.begin, headerEnd(chunk, index)}));
    add(place->absolute(it->range));
  }
}

std::vector<TextRange> Selector::run() {
  offset = std::clamp<int64_t>(offset, 0, int64_t(text.size()));
  const SourceLayout &layout = source.layout;
  add({0, int64_t(text.size())});
  for (const ModuleSpan &module : layout.modules) {
    add({module.header.begin, module.end});
    bool closed =
        module.end > module.header.end && text[size_t(module.end) - 1] == '}';
    addTrimmed({module.header.end, module.end - (closed ? 1 : 0)});
  }
  auto addPart = [&](TextRange part) {
    if (offset < part.begin || offset > part.end)
      return;
    add(part);
    addBrackets(part);
    Token token = tokenAt(text, part, offset);
    if (token.kind != TokenKind::End)
      add({token.begin, token.end});
  };
  for (const AliasSpan &alias : layout.aliases)
    addPart(alias.range);
  auto chunk = std::upper_bound(
      layout.chunks.begin(), layout.chunks.end(), offset,
      [](int64_t at, const ChunkSpan &span) { return at < span.range.begin; });
  if (chunk != layout.chunks.begin())
    addPart(std::prev(chunk)->range);
  addOperations();

  model::stableSort(ranges, [](TextRange a, TextRange b) {
    return a.end - a.begin < b.end - b.begin;
  });
  std::vector<TextRange> chain;
  for (TextRange range : ranges)
    if (chain.empty() ||
        (range != chain.back() && range.begin <= chain.back().begin &&
         range.end >= chain.back().end))
      chain.push_back(range);
  return chain;
}

} // namespace

std::vector<TextRange> selectionAt(const SourceSnapshot &source,
                                   int64_t offset) {
  return Selector(source, offset).run();
}

} // namespace tilewright::frontend
