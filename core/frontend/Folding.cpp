//===- Folding.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Folding.h"
#include "core/frontend/SourceDocument.h"
#include "core/frontend/SourceLexer.h"
#include <algorithm>

namespace tilewright::frontend {

using model::TextRange;

namespace {

char closerOf(char sign) {
  return sign == '(' ? ')' : sign == '[' ? ']' : sign == '{' ? '}' : 0;
}

class Folder {
public:
  explicit Folder(const SourceSnapshot &source)
      : source(source), text(source.text) {}

  std::vector<FoldingRange> run();

private:
  /// What is between `begin` and `end`, if that is more than a line. A bracket
  /// that begins its line stays in sight.
  void add(int64_t begin, int64_t end, const char *kind);
  void addBrackets(TextRange part);
  void addComments();
  void addAliases();

  const SourceSnapshot &source;
  std::string_view text;
  std::vector<FoldingRange> ranges;
};

void Folder::add(int64_t begin, int64_t end, const char *kind) {
  while (end > begin &&
         (text[size_t(end) - 1] == ' ' || text[size_t(end) - 1] == '\t' ||
          text[size_t(end) - 1] == '\r'))
    --end;
  if (end > begin && text[size_t(end) - 1] == '\n') {
    --end;
    if (end > begin && text[size_t(end) - 1] == '\r')
      --end;
  }
  std::string_view inside = text.substr(size_t(begin), size_t(end - begin));
  if (inside.find('\n') != std::string_view::npos)
    ranges.push_back({{begin, end}, kind});
}

void Folder::addBrackets(TextRange part) {
  struct Open {
    char closer;
    uint32_t end;
  };
  std::vector<Open> open;
  SourceLexer lexer(
      text.substr(size_t(part.begin), size_t(part.end - part.begin)));
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    if (token.kind != TokenKind::Sign)
      continue;
    if (char closer = closerOf(token.sign)) {
      open.push_back({closer, token.end});
      continue;
    }
    if (!token.is(')') && !token.is(']') && !token.is('}'))
      continue;
    auto match =
        std::find_if(open.rbegin(), open.rend(), [&](const Open &entry) {
          return entry.closer == token.sign;
        });
    if (match == open.rend())
      continue;
    add(part.begin + match->end, part.begin + token.begin, "");
    open.erase(std::prev(match.base()), open.end());
  }
}

/// Strings end with their line, so a line tells by itself whether it is one.
void Folder::addComments() {
  size_t first = std::string_view::npos, last = 0, lines = 0;
  auto finish = [&] {
    if (lines > 1)
      ranges.push_back({{int64_t(first), int64_t(last)}, "comment"});
    lines = 0;
  };
  for (size_t line = 0; line < text.size();) {
    size_t end = std::min(text.find('\n', line), text.size());
    size_t at = text.find_first_not_of(" \t", line);
    if (at < end && text.substr(at, 2) == "//") {
      if (lines++ == 0)
        first = at;
      last = end > at && text[end - 1] == '\r' ? end - 1 : end;
    } else {
      finish();
    }
    line = end + 1;
  }
  finish();
}

void Folder::addAliases() {
  const auto &aliases = source.layout.aliases;
  for (size_t i = 0; i < aliases.size();) {
    size_t run = i;
    while (run + 1 < aliases.size() &&
           text.substr(size_t(aliases[run].range.end),
                       size_t(aliases[run + 1].range.begin -
                              aliases[run].range.end))
                   .find_first_not_of(" \t\r\n") == std::string_view::npos)
      ++run;
    if (run > i)
      add(aliases[i].range.begin, aliases[run].range.end, "imports");
    i = run + 1;
  }
}

std::vector<FoldingRange> Folder::run() {
  if (source.layout.tooLarge)
    return {};
  for (const ModuleSpan &module : source.layout.modules) {
    bool closed =
        module.end > module.header.end && text[size_t(module.end) - 1] == '}';
    add(module.header.end, module.end - (closed ? 1 : 0), "");
  }
  for (const ChunkSpan &chunk : source.layout.chunks)
    addBrackets(chunk.range);
  for (const AliasSpan &alias : source.layout.aliases)
    addBrackets(alias.range);
  if (source.layout.metadata.end > source.layout.metadata.begin)
    addBrackets(source.layout.metadata);
  addAliases();
  addComments();

  // Clients show one per line: the one that hides the most.
  std::sort(ranges.begin(), ranges.end(),
            [](const FoldingRange &a, const FoldingRange &b) {
              return a.range.begin != b.range.begin
                         ? a.range.begin < b.range.begin
                         : a.range.end > b.range.end;
            });
  std::vector<FoldingRange> kept;
  for (FoldingRange &range : ranges) {
    bool sameLine =
        !kept.empty() &&
        text.substr(size_t(kept.back().range.begin),
                    size_t(range.range.begin - kept.back().range.begin))
                .find('\n') == std::string_view::npos;
    if (!sameLine)
      kept.push_back(std::move(range));
    else if (range.range.end > kept.back().range.end)
      kept.back() = std::move(range);
  }
  return kept;
}

} // namespace

std::vector<FoldingRange> foldingRanges(const SourceSnapshot &source) {
  return Folder(source).run();
}

} // namespace tilewright::frontend
