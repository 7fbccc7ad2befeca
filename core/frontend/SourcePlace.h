//===- SourcePlace.h - what stands at an offset of a text -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps that all features take from an offset to what was read there.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/SourceDocument.h"
#include "core/frontend/SourceLexer.h"
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace tilewright::frontend {

/// A chunk and an offset in it.
struct SourcePlace {
  const ParsedChunk *chunk = nullptr;
  size_t index = 0; ///< of the chunk
  int64_t base = 0; ///< where it begins in the text
  uint32_t at = 0;

  model::TextRange absolute(ChunkRange range) const {
    return {base + range.begin, base + range.end};
  }
};

/// Empty between chunks, and in one that was not read.
std::optional<SourcePlace> placeAt(const SourceSnapshot &source,
                                   int64_t offset);

/// The last of `spans`, which are sorted, that begins at `at` or before and
/// does not end before it. A caret just behind a name still means it.
template <typename Span>
const Span *spanAt(const std::vector<Span> &spans, uint32_t at) {
  auto it = std::upper_bound(
      spans.begin(), spans.end(), at,
      [](uint32_t at, const Span &span) { return at < span.range.begin; });
  if (it == spans.begin())
    return nullptr;
  --it;
  return at <= it->range.end ? &*it : nullptr;
}

const ParsedSymbol *symbolAt(const SourcePlace &place);

/// `%name` at a place, and what it means.
struct ValueAt {
  ChunkRange range;
  uint32_t value = 0;
};
/// On a line that could not be read the name means what is so called above it
/// and in force.
std::optional<ValueAt> valueAt(const SourcePlace &place);

/// Every `%name` of the chunk that means `value`, in order of the text. Those
/// on lines that could not be read are among them. Linear in the chunk.
std::vector<ChunkRange> placesOf(const ParsedChunk &chunk, uint32_t value);

/// The innermost operation around `at`, or -1.
int operationAt(const ParsedChunk &chunk, uint32_t at);

/// Where an operation's own text ends and that of its regions begins.
uint32_t headerEnd(const ParsedChunk &chunk, int operation);

/// `#name` or `!name` at `offset`: the alias, if it is one.
const AliasSpan *aliasAt(const SourceSnapshot &source, int64_t offset);

/// The sign and name at the beginning of what stands in a range: `%x` of
/// `%x:2` and of `%x#1`.
model::TextRange nameIn(std::string_view text, model::TextRange range);

/// The token that `offset` is in or at the border of; the one that begins there
/// rather than the one that ends there, unless only that is a name.
Token tokenAt(std::string_view text, model::TextRange within, int64_t offset);

/// Where the symbol is defined that `name` means in chunk `index`: in the same
/// module, or else one around it.
struct SymbolDefinition {
  size_t chunk = 0;
  int operation = -1;     ///< in the chunk; -1: its text could not be read
  model::TextRange range; ///< of `@name` in the text
  friend bool operator==(const SymbolDefinition &a, const SymbolDefinition &b) {
    return a.range == b.range;
  }
};
std::optional<SymbolDefinition>
definitionOf(const SourceSnapshot &source, size_t index, std::string_view name);

} // namespace tilewright::frontend
