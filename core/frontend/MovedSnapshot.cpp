//===- MovedSnapshot.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/MovedSnapshot.h"
#include <algorithm>

namespace tilewright::frontend {

using model::TextRange;

/// Bytes that are parsed in few milliseconds.
static constexpr int64_t quickBytes = 128 << 10;

bool isQuicklyRead(const SourceSnapshot &before, const TextChange &change,
                   int64_t size) {
  if (size <= quickBytes)
    return true;
  const auto &chunks = before.layout.chunks;
  auto it = std::upper_bound(
      chunks.begin(), chunks.end(), change.begin,
      [](int64_t at, const ChunkSpan &span) { return at < span.range.begin; });
  if (it == chunks.begin())
    return false;
  const TextRange &range = (it - 1)->range;
  int64_t grown = size - int64_t(before.text.size());
  return change.end <= range.end &&
         range.end - range.begin + std::max<int64_t>(grown, 0) <= quickBytes;
}

namespace {

/// Offsets before a change to those after it. What lay within is at its begin.
struct Mover {
  int64_t begin, end, by;

  int64_t operator()(int64_t at) const {
    return at >= end ? at + by : std::min(at, begin);
  }
  /// Of a range's end: a text put in behind the range is not in it.
  int64_t ofEnd(int64_t at) const { return at <= begin ? at : (*this)(at); }
  void move(TextRange &range) const {
    range.begin = (*this)(range.begin);
    range.end = std::max(range.begin, ofEnd(range.end));
  }
  void move(ChunkRange &range) const {
    range.begin = uint32_t((*this)(range.begin));
    range.end = std::max(range.begin, uint32_t(ofEnd(range.end)));
  }
};

std::shared_ptr<ParsedChunk>
chunkMovedBy(const ParsedChunk &before, const Mover &mover, std::string text) {
  auto chunk = std::make_shared<ParsedChunk>(before);
  chunk->text = std::move(text);
  chunk->moved = true;
  chunk->complete = false;
  chunk->right = nullptr;
  chunk->diagnostics.clear();
  for (ParsedOperation &op : chunk->operations) {
    mover.move(op.range);
    mover.move(op.nameRange);
  }
  for (ParsedValue &value : chunk->values)
    mover.move(value.definition);
  for (ParsedReference &reference : chunk->references)
    mover.move(reference.range);
  for (ParsedSymbol &symbol : chunk->symbols)
    mover.move(symbol.range);
  for (ParsedCall &call : chunk->calls)
    mover.move(call.range);
  return chunk;
}

} // namespace

std::shared_ptr<ParsedChunk> movedChunk(const ParsedChunk &before,
                                        const TextChange &change,
                                        std::string text) {
  const Mover mover{change.begin, change.end,
                    int64_t(text.size()) - int64_t(before.text.size())};
  return chunkMovedBy(before, mover, std::move(text));
}

std::shared_ptr<const SourceSnapshot>
movedSnapshot(const SourceSnapshot &before, const TextChange &change,
              int64_t version, std::string text) {
  auto result = std::make_shared<SourceSnapshot>();
  const Mover mover{change.begin, change.end,
                    int64_t(text.size()) - int64_t(before.text.size())};
  result->uri = before.uri;
  result->version = version;
  result->text = std::move(text);
  result->layout = before.layout;
  result->layout.diagnostics.clear();
  for (AliasSpan &alias : result->layout.aliases) {
    mover.move(alias.range);
    mover.move(alias.nameRange);
  }
  for (ModuleSpan &module : result->layout.modules) {
    mover.move(module.header);
    mover.move(module.nameRange);
    module.end = mover.ofEnd(module.end);
  }
  mover.move(result->layout.metadata);
  result->chunks = before.chunks;
  for (size_t i = 0; i < result->chunks.size(); ++i) {
    TextRange &range = result->layout.chunks[i].range;
    const TextRange old = range;
    mover.move(range);
    if (!result->chunks[i] || old.end <= change.begin ||
        old.begin >= change.end)
      continue;
    // The same change, counted from the chunk's begin.
    int64_t length = old.end - old.begin;
    Mover within{std::max<int64_t>(change.begin - old.begin, 0),
                 std::min(change.end - old.begin, length), 0};
    within.by = (range.end - range.begin) - length;
    result->chunks[i] =
        chunkMovedBy(*result->chunks[i], within,
                     result->text.substr(size_t(range.begin),
                                         size_t(range.end - range.begin)));
  }
  return result;
}

} // namespace tilewright::frontend
