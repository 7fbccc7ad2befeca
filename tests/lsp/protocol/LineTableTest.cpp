//===- LineTableTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/TextDocument.h"
#include <catch2/catch.hpp>
#include <ctime>
#include <random>

using namespace tilewright::lsp;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
constexpr double slowdown = 20; // of an instrumented build
#else
constexpr double slowdown = 1;
#endif
#else
constexpr double slowdown = 1;
#endif

/// Of this process: machines that test are busy.
static double processorMilliseconds() {
  return 1e3 * double(std::clock()) / CLOCKS_PER_SEC;
}

TEST_CASE("lines end in LF, CR LF or CR") {
  std::string text = "a\nbc\r\nd\re\r\n\r";
  LineTable lines(text);
  REQUIRE(lines.lineCount() == 6);
  std::vector<int64_t> starts, ends;
  for (int64_t i = 0; i < 6; ++i) {
    starts.push_back(lines.lineStart(i));
    ends.push_back(lines.lineEnd(text, i));
  }
  CHECK(starts == std::vector<int64_t>{0, 2, 6, 8, 11, 12});
  CHECK(ends == std::vector<int64_t>{1, 4, 7, 9, 11, 12});
  CHECK(lines.lineAt(5) == 1);
  // Between CR and LF counts as the line's end.
  CHECK(lines.position(text, 5, PositionEncoding::Utf16) == Position{1, 2});
}

TEST_CASE("a line's end is found wherever in eight bytes it lies") {
  for (const char *end : {"\n", "\r", "\r\n"})
    for (size_t before = 0; before < 20; ++before)
      for (size_t after = 0; after < 20; ++after)
        // Bytes next to the ends, small ones and ones that are not ASCII.
        for (char filler : {'a', '\t', '\x0e', '\x01', '\xc3'}) {
          std::string text =
              std::string(before, filler) + end + std::string(after, filler);
          LineTable lines(text);
          INFO(before << " " << after << " " << int(filler));
          REQUIRE(lines.lineCount() == 2);
          REQUIRE(lines.lineStart(1) ==
                  int64_t(before + std::string_view(end).size()));
        }
}

TEST_CASE("positions in each encoding") {
  // BOM, 1-, 2-, 3- and 4-byte characters.
  std::string text = "\xEF\xBB\xBF"
                     "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z\nx";
  LineTable lines(text);
  auto check = [&](int64_t offset, int64_t u8, int64_t u16, int64_t u32) {
    CHECK(lines.position(text, offset, PositionEncoding::Utf8) ==
          Position{0, u8});
    CHECK(lines.position(text, offset, PositionEncoding::Utf16) ==
          Position{0, u16});
    CHECK(lines.position(text, offset, PositionEncoding::Utf32) ==
          Position{0, u32});
    CHECK(lines.offset(text, {0, u8}, PositionEncoding::Utf8) == offset);
    CHECK(lines.offset(text, {0, u16}, PositionEncoding::Utf16) == offset);
    CHECK(lines.offset(text, {0, u32}, PositionEncoding::Utf32) == offset);
  };
  check(0, 0, 0, 0);
  check(3, 3, 1, 1);
  check(4, 4, 2, 2);
  check(6, 6, 3, 3);
  check(9, 9, 4, 4);
  check(13, 13, 6, 5);
  check(14, 14, 7, 6);
  // Within a character: its begin. Out of bounds: the nearest bound.
  CHECK(lines.position(text, 11, PositionEncoding::Utf16) == Position{0, 4});
  CHECK(lines.offset(text, {0, 5}, PositionEncoding::Utf16) == 9);
  CHECK(lines.offset(text, {0, 99}, PositionEncoding::Utf16) == 14);
  CHECK(lines.offset(text, {9, 9}, PositionEncoding::Utf16) == 16);
  CHECK(lines.offset(text, {-1, 0}, PositionEncoding::Utf16) == 0);
  CHECK(lines.position(text, 999, PositionEncoding::Utf8) == Position{1, 1});
}

TEST_CASE("after random edits the line table equals a fresh one") {
  std::mt19937 random(7);
  const char alphabet[] = {'a', '\n', '\r', 'b'};
  auto randomText = [&](int most) {
    std::string text;
    for (int n = random() % (most + 1); n > 0; --n)
      text += alphabet[random() % 4];
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    TextDocument document("u", 0, randomText(12));
    for (int edit = 0; edit < 20; ++edit) {
      int64_t size = document.text().size();
      int64_t begin = random() % (size + 1);
      int64_t end = begin + random() % (size - begin + 1);
      document.apply({begin, end, randomText(5)});
      LineTable fresh(document.text());
      REQUIRE(fresh.lineCount() == document.lines().lineCount());
      for (int64_t line = 0; line < fresh.lineCount(); ++line)
        REQUIRE(fresh.lineStart(line) == document.lines().lineStart(line));
    }
  }
}

TEST_CASE("a 5 MB document is edited in a few ms") {
  // The worst case, too: nothing but line ends.
  for (std::string line : {std::string(49, 'x') + "\n", std::string("\n")}) {
    std::string text;
    while (text.size() < 5000000)
      text += line;
    TextDocument document("u", 0, text);
    double best = 1e9;
    for (int i = 0; i < 7; ++i) {
      double begin = processorMilliseconds();
      Position at{document.lines().lineCount() / 3, 0};
      int64_t offset = document.offset(at, PositionEncoding::Utf16);
      document.apply({offset, offset, "one more\n"});
      best = std::min(best, processorMilliseconds() - begin);
    }
    UNSCOPED_INFO("best edit " << best << " ms");
    CHECK(best < 20 * slowdown);
  }
}

TEST_CASE("a 20 MB line is converted in a few ms") {
  std::string text(20000000, 'x');
  TextDocument document("u", 0, text);
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    double begin = processorMilliseconds();
    CHECK(document.position(20000000, PositionEncoding::Utf16).character ==
          20000000);
    best = std::min(best, processorMilliseconds() - begin);
  }
  CHECK(best < 60 * slowdown);
}
