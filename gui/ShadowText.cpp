//===- ShadowText.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/ShadowText.h"

#include <algorithm>

namespace tilewright::gui {

/// Starts of lines after each of "\n", "\r\n" and "\r" in [from, to).
static void findLines(const QByteArray &text, long from, long to,
                      std::vector<long> &starts) {
  const char *data = text.constData();
  long size = text.size();
  for (long i = from; i < to; ++i) {
    if (data[i] == '\n' ||
        (data[i] == '\r' && !(i + 1 < size && data[i + 1] == '\n')))
      starts.push_back(i + 1);
  }
}

void ShadowText::reset(QByteArray text) {
  bytes = std::move(text);
  lineStarts = {0};
  findLines(bytes, 0, bytes.size(), lineStarts);
}

long ShadowText::byteOf(DocumentPosition position) const {
  if (position.line < 0)
    return 0;
  if (position.line >= int(lineStarts.size()))
    return bytes.size();
  return std::clamp<long>(lineStarts[position.line] + position.character, 0,
                          bytes.size());
}

void ShadowText::apply(const TextChange &change) {
  if (lineStarts.empty())
    reset({});
  long begin = byteOf(change.utf8.begin), end = byteOf(change.utf8.end);
  if (end < begin)
    std::swap(begin, end);
  bytes.replace(begin, end - begin, change.text);
  // Only lines from just before the edit on can have moved; a '\r' before it
  // may have met its '\n'.
  long from = std::max(0L, begin - 1);
  auto keep = std::upper_bound(lineStarts.begin(), lineStarts.end(), from);
  long delta = change.text.size() - (end - begin);
  long scanTo = std::min<long>(bytes.size(), begin + change.text.size() + 1);
  std::vector<long> fresh;
  findLines(bytes, from, scanTo, fresh);
  std::vector<long> tail;
  for (auto after = std::upper_bound(keep, lineStarts.end(), end + 1);
       after != lineStarts.end(); ++after)
    if (*after + delta > scanTo)
      tail.push_back(*after + delta);
  lineStarts.erase(keep, lineStarts.end());
  for (long start : fresh)
    if (lineStarts.empty() || start > lineStarts.back())
      lineStarts.push_back(start);
  for (long start : tail)
    if (start > lineStarts.back())
      lineStarts.push_back(start);
}

} // namespace tilewright::gui
