//===- SourceResplit.cpp - an edited text cut into functions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a chunk begins nothing is open, so what is read from there on depends
// on the text from there on only. Reading begins anew at a chunk before the
// edit and ends behind it at the first place where a chunk began before: from
// there on everything is as it was.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Splitter.h"
#include "core/frontend/TextChange.h"
#include <algorithm>
#include <cstring>

namespace tilewright::frontend {

using model::Diagnostic;
using model::TextRange;

/// The first place behind `from` where something other than a chunk begins or a
/// module ends; INT64_MAX if there is none.
static int64_t firstOther(const SourceLayout &layout, int64_t from) {
  int64_t first = INT64_MAX;
  auto consider = [&](int64_t at) {
    if (at > from)
      first = std::min(first, at);
  };
  for (const AliasSpan &alias : layout.aliases)
    consider(alias.range.begin);
  for (const ModuleSpan &module : layout.modules) {
    consider(module.header.begin);
    if (module.closed)
      consider(module.end - 1);
  }
  if (layout.metadata.end > layout.metadata.begin)
    consider(layout.metadata.begin);
  return first;
}

bool Splitter::endsPart(const Token &token, bool chunkBegins) {
  const int64_t before = int64_t(token.begin) - shift;
  // The column of what begins counts, so its line must be as it was, too.
  bool ownLine =
      int64_t(token.begin) >= editEnd &&
      text.substr(size_t(editEnd), token.begin - size_t(editEnd)).find('\n') !=
          std::string_view::npos;
  if (ownLine && before <= nextOther) {
    bool known = before == nextOther;
    if (!known) {
      auto it = std::lower_bound(
          old->chunks.begin() + int64_t(oldChunk), old->chunks.end(), before,
          [](const ChunkSpan &c, int64_t at) { return c.range.begin < at; });
      known = it != old->chunks.end() && it->range.begin == before;
    }
    if (known) {
      stopAt = token.begin;
      return stopped = true;
    }
  }
  gaveUp |= !chunkBegins || before > nextOther;
  return gaveUp;
}

bool Splitter::runPart(const SourceLayout &before, size_t chunk, int64_t from,
                       int64_t by) {
  old = &before;
  oldChunk = chunk;
  editEnd = from;
  shift = by;
  const ChunkSpan &span = before.chunks[chunk];
  nextOther = firstOther(before, span.range.begin);
  for (int m = span.module; m >= 0; m = before.modules[m].parent)
    openModules.insert(openModules.begin(), m);
  lexer = SourceLexer(text, uint32_t(span.range.begin));
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    take(token);
    if (gaveUp || lexer.sawHiddenNul())
      return false;
    if (stopped)
      break;
  }
  if (!stopped) {
    if (nextOther != INT64_MAX)
      return false;
    if (entity != Entity::None) {
      reportUnclosed();
      finish();
    }
    stopAt = int64_t(text.size());
  }
  std::unordered_map<std::string_view, size_t> byName;
  for (size_t i = 0; i < before.aliases.size(); ++i)
    byName.try_emplace(before.aliases[i].name, i);
  for (size_t i = 0; i < layout.chunks.size(); ++i)
    resolveChunk(i, byName);
  return true;
}

/// True if every line of `text` that [begin, end) touches is of ordinary
/// length.
static bool linesAreShort(std::string_view text, int64_t begin, int64_t end,
                          const SourceLimits &limits) {
  size_t at = text.rfind('\n', size_t(std::max<int64_t>(begin - 1, 0)));
  at = at == std::string_view::npos ? 0 : at;
  while (true) {
    size_t next = text.find('\n', at + 1);
    size_t lineEnd = next == std::string_view::npos ? text.size() : next;
    if (int64_t(lineEnd - at) > limits.lineBytes)
      return false;
    if (next == std::string_view::npos || int64_t(next) >= end)
      return true;
    at = next;
  }
}

/// The chunk to begin at: its first tokens, which say what it is, are as they
/// were. None: there is no such chunk close by.
static std::optional<size_t> beginning(const SourceLayout &layout,
                                       std::string_view text,
                                       const TextChange &change) {
  auto it = std::upper_bound(
      layout.chunks.begin(), layout.chunks.end(), change.begin,
      [](int64_t at, const ChunkSpan &span) { return at < span.range.begin; });
  if (it == layout.chunks.begin())
    return std::nullopt;
  size_t index = size_t(it - layout.chunks.begin()) - 1;
  auto keepsItsHead = [&](size_t chunk) {
    SourceLexer lexer(text, uint32_t(layout.chunks[chunk].range.begin));
    std::string_view word = lexer.textOf(lexer.next());
    return int64_t(lexer.next().end) < change.begin && word != "module" &&
           word != "builtin.module" && word != "loc";
  };
  for (int back = 0; back < 2; ++back, --index) {
    if (keepsItsHead(index))
      return index;
    // An edit of a head may belong to the chunk before.
    if (index == 0 || firstOther(layout, layout.chunks[index - 1].range.begin) <
                          layout.chunks[index].range.begin)
      break;
  }
  return std::nullopt;
}

std::optional<Resplit> resplitSource(const SourceLayout &before,
                                     std::string_view textBefore,
                                     std::string_view text,
                                     const SourceLimits &limits) {
  if (before.tooLarge || int64_t(text.size()) > limits.textBytes ||
      before.diagnostics.size() >= 50)
    return std::nullopt;
  // These are said of the text as a whole, or once for many places.
  for (const Diagnostic &diagnostic : before.diagnostics)
    if (diagnostic.code == "TW0003" || diagnostic.code == "TW0009")
      return std::nullopt;
  TextChange change = changeBetween(textBefore, text);
  std::optional<size_t> from = beginning(before, textBefore, change);
  if (!from)
    return std::nullopt;
  const int64_t begin = before.chunks[*from].range.begin;
  const int64_t shift = int64_t(text.size()) - int64_t(textBefore.size());
  Splitter splitter(text, limits);
  if (!splitter.runPart(before, *from, change.end + shift, shift) ||
      !linesAreShort(text, begin, splitter.stopAt, limits))
    return std::nullopt;

  Resplit result;
  SourceLayout &layout = result.layout;
  const int64_t stopBefore = splitter.stopAt - shift;
  result.first = *from;
  while (result.oldEnd < before.chunks.size() &&
         before.chunks[result.oldEnd].range.begin < stopBefore)
    ++result.oldEnd;
  result.newEnd = result.first + splitter.layout.chunks.size();
  auto move = [&](TextRange &range) {
    if (range.begin >= stopBefore)
      range = {range.begin + shift, range.end + shift};
  };
  layout.aliases = before.aliases;
  for (AliasSpan &alias : layout.aliases) {
    move(alias.range);
    move(alias.nameRange);
  }
  layout.modules = before.modules;
  for (ModuleSpan &module : layout.modules) {
    move(module.header);
    move(module.nameRange);
    if (module.end > begin)
      module.end += shift;
  }
  layout.metadata = before.metadata;
  move(layout.metadata);
  layout.chunks.reserve(before.chunks.size() + splitter.layout.chunks.size());
  layout.chunks.assign(before.chunks.begin(),
                       before.chunks.begin() + int64_t(result.first));
  for (ChunkSpan &chunk : splitter.layout.chunks)
    layout.chunks.push_back(std::move(chunk));
  for (size_t i = result.oldEnd; i < before.chunks.size(); ++i) {
    layout.chunks.push_back(before.chunks[i]);
    move(layout.chunks.back().range);
  }
  for (const Diagnostic &diagnostic : before.diagnostics)
    if (diagnostic.range.begin < begin ||
        diagnostic.range.begin >= stopBefore) {
      layout.diagnostics.push_back(diagnostic);
      move(layout.diagnostics.back().range);
    }
  for (Diagnostic &diagnostic : splitter.layout.diagnostics)
    layout.diagnostics.push_back(std::move(diagnostic));
  // There is a bound on all together.
  if (layout.diagnostics.size() >= 50)
    return std::nullopt;
  return result;
}

} // namespace tilewright::frontend
