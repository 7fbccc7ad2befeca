//===- KeyLookup.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/KeyLookup.h"
#include <algorithm>

namespace tilewright::inspect {

std::optional<model::TextSpan> spanAt(const model::PrintedStage &printed,
                                      int64_t offset) {
  auto it = std::upper_bound(printed.spans.begin(), printed.spans.end(), offset,
                             [](int64_t at, const model::TextSpan &span) {
                               return at < span.range.begin;
                             });
  while (it != printed.spans.begin()) {
    --it;
    if (offset <= it->range.end && !it->keys.empty())
      return *it;
  }
  return std::nullopt;
}

bool comesFrom(std::string_view key, std::string_view from) {
  if (!key.starts_with(from))
    return false;
  if (key.size() == from.size())
    return true;
  char next = key[from.size()];
  return next == '.' || next == ':' || next == '#' || next == '/';
}

std::vector<model::TextRange> rangesOf(const model::PrintedStage &printed,
                                       std::string_view key) {
  std::vector<model::TextRange> ranges;
  for (const model::TextSpan &span : printed.spans) {
    bool carries = std::any_of(
        span.keys.begin(), span.keys.end(),
        [&](const std::string &own) { return comesFrom(own, key); });
    if (carries && (ranges.empty() || span.range.begin >= ranges.back().end))
      ranges.push_back(span.range);
  }
  return ranges;
}

} // namespace tilewright::inspect
