//===- TextMerge.cpp - two changes of one text brought together -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/TextMerge.h"
#include "core/inspect/TextDiff.h"
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

namespace tilewright::inspect {

namespace {

/// Lines [begin, end) of the base, counted from 0, become `lines`.
struct Hunk {
  long begin = 0, end = 0;
  std::string lines;
  friend bool operator==(const Hunk &, const Hunk &) = default;
};

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<Hunk> hunksOf(const std::string &before, const std::string &after) {
  TextDiffLimits limits;
  limits.context = 0;
  limits.bytes = int64_t(before.size() + after.size()) * 2 + 4096;
  std::string diff = unifiedDiff(before, after, "a", "b", limits);
  std::vector<Hunk> hunks;
  for (std::string_view line : linesOf(diff)) {
    if (line.starts_with("@@")) {
      // "-begin,count"; the count is left out if it is 1, and a hunk of none
      // stands behind its line.
      long begin = 0, count = 1;
      size_t minus = line.find('-');
      std::string range(line.substr(minus + 1, line.find(' ', minus) - minus));
      if (std::sscanf(range.c_str(), "%ld,%ld", &begin, &count) < 2)
        count = 1;
      Hunk hunk;
      hunk.begin = count == 0 ? begin : begin - 1;
      hunk.end = hunk.begin + count;
      hunks.push_back(hunk);
    } else if (line.starts_with("+") && !hunks.empty()) {
      hunks.back().lines += line.substr(1);
    }
  }
  return hunks;
}

} // namespace

std::optional<std::string> mergeLines(const std::string &base,
                                      const std::string &ours,
                                      const std::string &theirs) {
  std::vector<Hunk> all = hunksOf(base, ours);
  for (Hunk &hunk : hunksOf(base, theirs))
    if (std::find(all.begin(), all.end(), hunk) == all.end())
      all.push_back(std::move(hunk));
  std::sort(all.begin(), all.end(), [](const Hunk &a, const Hunk &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::vector<std::string_view> lines = linesOf(base);
  std::string merged;
  long at = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const Hunk &hunk = all[i];
    if (i > 0 && hunk.begin <= all[i - 1].end)
      return std::nullopt;
    for (; at < hunk.begin && size_t(at) < lines.size(); ++at)
      merged += lines[size_t(at)];
    merged += hunk.lines;
    at = hunk.end;
  }
  for (; size_t(at) < lines.size(); ++at)
    merged += lines[size_t(at)];
  return merged;
}

} // namespace tilewright::inspect
