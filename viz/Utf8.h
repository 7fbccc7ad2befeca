//===- Utf8.h - code points of any bytes ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace tilewright::viz {

/// The code point at `at`, which moves behind it. A byte that begins no valid
/// sequence (overlong forms and surrogates are none) counts as U+FFFD.
inline char32_t nextCodePoint(std::string_view text, size_t &at) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  constexpr char32_t replacement = 0xfffd;
  unsigned char lead = byte(at++);
  if (lead < 0x80)
    return lead;
  int more = lead >= 0xf0 && lead <= 0xf4  ? 3
             : lead >= 0xe0 && lead < 0xf0 ? 2
             : lead >= 0xc2 && lead < 0xe0 ? 1
                                           : 0;
  if (more == 0 || at + more > text.size())
    return replacement;
  char32_t c = lead & (0x3f >> more);
  for (int i = 0; i < more; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80)
      return replacement;
    c = c << 6 | (byte(at + i) & 0x3f);
  }
  static constexpr char32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
    return replacement;
  at += more;
  return c;
}

inline void appendCodePoint(std::string &text, char32_t c) {
  auto put = [&](char32_t bits) { text += static_cast<char>(bits); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

} // namespace tilewright::viz
