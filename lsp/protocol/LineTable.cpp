//===- LineTable.cpp - where the lines of a text begin --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/LineTable.h"
#include "lsp/protocol/EightBytes.h"
#include "lsp/protocol/Utf8.h"
#include <algorithm>

namespace tilewright::lsp {

namespace {

int units(uint32_t codePoint, int bytes, PositionEncoding encoding) {
  switch (encoding) {
  case PositionEncoding::Utf8:
    return bytes;
  case PositionEncoding::Utf16:
    return codePoint > 0xFFFF ? 2 : 1;
  case PositionEncoding::Utf32:
    return 1;
  }
  return 1;
}

/// Bytes of ASCII text from `at` to `end`, whole words only. Long lines are
/// walked once per conversion, so this is the loop that counts.
int64_t asciiRun(std::string_view text, int64_t at, int64_t end) {
  int64_t begin = at;
  while (at + 8 <= end) {
    if (anyAbove127(eightBytes(text.data() + at)))
      break;
    at += 8;
  }
  return at - begin;
}

} // namespace

LineTable::LineTable(std::string_view text) : starts{0} {
  findStarts(text, 1, static_cast<int64_t>(text.size()), starts);
}

/// Appends the line starts in [from, to], `from` > 0. Whether a line starts at
/// s depends on text[s-1] and text[s] only, which is what makes replace()
/// local.
void LineTable::findStarts(std::string_view text, int64_t from, int64_t to,
                           std::vector<uint32_t> &into) const {
  int64_t checked = 0;
  for (int64_t s = from; s <= to; ++s) {
    if (s >= checked) {
      while (s + 7 <= to &&
             !anyBelow(eightBytes(text.data() + s - 1), '\r' + 1))
        s += 8;
      checked = s + 8;
      if (s > to)
        break;
    }
    char before = text[s - 1];
    if (before > '\r')
      continue;
    if (before == '\n' ||
        (before == '\r' &&
         (s == static_cast<int64_t>(text.size()) || text[s] != '\n')))
      into.push_back(static_cast<uint32_t>(s));
  }
}

void LineTable::replace(std::string_view text, int64_t begin, int64_t oldEnd,
                        int64_t inserted) {
  int64_t from = std::max<int64_t>(begin, 1);
  auto first = std::lower_bound(starts.begin() + 1, starts.end(), from);
  auto last = std::upper_bound(first, starts.end(), oldEnd);
  const int64_t shift = begin + inserted - oldEnd;
  if (shift != 0)
    for (auto it = last; it != starts.end(); ++it)
      *it += static_cast<uint32_t>(shift);
  std::vector<uint32_t> fresh;
  findStarts(text, from, begin + inserted, fresh);
  size_t common = std::min<size_t>(fresh.size(), last - first);
  std::copy_n(fresh.begin(), common, first);
  if (common < fresh.size())
    starts.insert(first + common, fresh.begin() + common, fresh.end());
  else
    starts.erase(first + common, last);
}

int64_t LineTable::lineAt(int64_t offset) const {
  auto it = std::upper_bound(starts.begin(), starts.end(), offset);
  return std::max<int64_t>(0, it - starts.begin() - 1);
}

int64_t LineTable::lineEnd(std::string_view text, int64_t line) const {
  if (line + 1 >= lineCount())
    return static_cast<int64_t>(text.size());
  int64_t end = starts[line + 1] - 1;
  if (text[end] == '\n' && end > starts[line] && text[end - 1] == '\r')
    --end;
  return end;
}

Position LineTable::position(std::string_view text, int64_t offset,
                             PositionEncoding encoding) const {
  offset = std::clamp<int64_t>(offset, 0, text.size());
  Position result;
  result.line = lineAt(offset);
  int64_t at = starts[result.line];
  // Within CR LF there is no position: it belongs to the line's end.
  int64_t end = std::min(offset, lineEnd(text, result.line));
  while (at < end) {
    int64_t run = asciiRun(text, at, end);
    at += run;
    result.character += run;
    if (at >= end)
      break;
    uint32_t codePoint;
    int bytes = decodeUtf8(text, at, codePoint);
    if (at + bytes > end)
      break;
    at += bytes;
    result.character += units(codePoint, bytes, encoding);
  }
  return result;
}

int64_t LineTable::offset(std::string_view text, Position position,
                          PositionEncoding encoding) const {
  if (position.line < 0)
    return 0;
  if (position.line >= lineCount())
    return static_cast<int64_t>(text.size());
  int64_t at = starts[position.line];
  int64_t end = lineEnd(text, position.line);
  int64_t left = position.character;
  while (at < end && left > 0) {
    int64_t run =
        asciiRun(text, at, std::min(end, left > end - at ? end : at + left));
    at += run;
    left -= run;
    if (at >= end || left <= 0)
      break;
    uint32_t codePoint;
    int bytes = decodeUtf8(text, at, codePoint);
    int count = units(codePoint, bytes, encoding);
    if (count > left)
      break;
    at += bytes;
    left -= count;
  }
  return at;
}

} // namespace tilewright::lsp
