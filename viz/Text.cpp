//===- Text.cpp - how wide a text is, and cutting it to fit ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Text.h"
#include "viz/Utf8.h"
#include <array>

namespace tilewright::viz {

double fontSize(TextStyle style) {
  switch (style) {
  case TextStyle::Title:
    return 13;
  case TextStyle::Subtitle:
  case TextStyle::GroupTitle:
    return 11.5;
  case TextStyle::Badge:
  case TextStyle::EdgeLabel:
    return 10.5;
  case TextStyle::Heading:
    return 17;
  }
  return 12;
}

bool isBold(TextStyle style) {
  return style == TextStyle::Title || style == TextStyle::GroupTitle ||
         style == TextStyle::Heading;
}

namespace {

/// Advance widths of U+0020 … U+007E in thousandths of the font size, as
/// common humanist sans-serif faces have them.
constexpr std::array<int, 95> regularWidths = {
    260, 269, 408, 646, 572, 831, 732, 225, 300, 300, 551, 572, 268, 322,
    268, 372, 572, 572, 572, 572, 572, 572, 572, 572, 572, 572, 268, 268,
    572, 572, 572, 434, 899, 639, 650, 632, 730, 556, 519, 728, 741, 339,
    273, 619, 524, 907, 760, 781, 605, 781, 622, 549, 556, 731, 600, 930,
    586, 566, 572, 329, 372, 329, 572, 444, 281, 561, 615, 480, 615, 564,
    344, 615, 618, 258, 258, 534, 258, 935, 618, 605, 615, 615, 413, 479,
    361, 618, 508, 786, 529, 510, 470, 380, 551, 380, 572};
constexpr std::array<int, 95> boldWidths = {
    260, 286, 472, 646, 572, 901, 750, 266, 339, 339, 545, 572, 285, 322,
    285, 413, 572, 572, 572, 572, 572, 572, 572, 572, 572, 572, 285, 285,
    572, 572, 572, 477, 897, 690, 672, 637, 740, 560, 549, 724, 765, 389,
    331, 664, 565, 943, 813, 796, 628, 796, 660, 551, 579, 756, 650, 967,
    667, 624, 579, 331, 413, 331, 572, 411, 362, 604, 633, 514, 633, 591,
    387, 633, 657, 305, 305, 620, 305, 982, 657, 619, 633, 633, 454, 497,
    434, 657, 569, 856, 578, 569, 488, 394, 551, 394, 572};
/// Other faces stand in where the expected one is missing; most are wider.
constexpr double reserve = 1.04;

bool isWide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
         (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
         (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
         (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) ||
         (c >= 0x20000 && c <= 0x3fffd);
}

bool isCombining(char32_t c) {
  return (c >= 0x0300 && c <= 0x036f) || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x20d0 && c <= 0x20ff) || (c >= 0xfe00 && c <= 0xfe0f);
}

double thousandths(char32_t c, bool bold) {
  if (c >= 0x20 && c < 0x7f)
    return bold ? boldWidths[c - 0x20] : regularWidths[c - 0x20];
  if (c < 0x20)
    return 260;
  if (isCombining(c))
    return 0;
  return isWide(c) ? 1000 : 640;
}

/// Nothing on a node or an edge is longer; texts of megabytes are not walked.
constexpr size_t longestLabel = 512;

} // namespace

double ApproximateTextMeasurer::width(std::string_view utf8,
                                      TextStyle style) const {
  const bool bold = isBold(style);
  double sum = 0;
  for (size_t at = 0; at < utf8.size();)
    sum += thousandths(nextCodePoint(utf8, at), bold);
  return sum * fontSize(style) * reserve / 1000;
}

namespace {

/// The first `longestLabel` code points of a text without control characters,
/// and the byte offset behind each.
struct CleanText {
  std::string text;
  std::array<uint16_t, longestLabel> ends;
  size_t count = 0;
  bool whole = false;

  explicit CleanText(std::string_view utf8) {
    size_t at = 0;
    while (at < utf8.size() && count < longestLabel) {
      char32_t c = nextCodePoint(utf8, at);
      appendCodePoint(text, c < 0x20 || c == 0x7f ? U' ' : c);
      ends[count++] = static_cast<uint16_t>(text.size());
    }
    whole = at == utf8.size();
  }
  std::string_view head(size_t points) const {
    return std::string_view(text).substr(0, points ? ends[points - 1] : 0);
  }
  std::string_view tail(size_t points) const {
    return std::string_view(text).substr(
        points == count ? 0 : ends[count - points - 1]);
  }
};

constexpr std::string_view ellipsis = "\u2026";

/// The longest of the texts `make` gives for 0 … `count` kept code points
/// that fits.
template <typename Make>
std::string longestThatFits(size_t count, double maxWidth, TextStyle style,
                            const TextMeasurer &measurer, Make make) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high + 1) / 2;
    if (measurer.width(make(middle), style) <= maxWidth)
      low = middle;
    else
      high = middle - 1;
  }
  return make(low);
}

} // namespace

std::string elide(std::string_view utf8, double maxWidth, TextStyle style,
                  const TextMeasurer &measurer) {
  CleanText clean(utf8);
  if (clean.whole && measurer.width(clean.text, style) <= maxWidth)
    return clean.text;
  return longestThatFits(clean.count, maxWidth, style, measurer,
                         [&](size_t kept) {
                           std::string head(clean.head(kept));
                           while (!head.empty() && head.back() == ' ')
                             head.pop_back();
                           return head.append(ellipsis);
                         });
}

std::string elideMiddle(std::string_view utf8, double maxWidth, TextStyle style,
                        const TextMeasurer &measurer) {
  CleanText clean(utf8);
  if (!clean.whole)
    return elide(utf8, maxWidth, style, measurer);
  if (measurer.width(clean.text, style) <= maxWidth)
    return clean.text;
  return longestThatFits(clean.count, maxWidth, style, measurer,
                         [&](size_t kept) {
                           size_t tail = (kept + 1) / 2;
                           std::string text(clean.head(kept - tail));
                           text.append(ellipsis).append(clean.tail(tail));
                           return text;
                         });
}

} // namespace tilewright::viz
