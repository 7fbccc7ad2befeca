//===- Utf8.cpp - checking and repairing UTF-8 ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Utf8.h"
#include <cstring>

namespace tilewright::lsp {

namespace {

/// Length of the valid sequence at `at`, or 0.
int sequenceLength(std::string_view text, size_t at, uint32_t &codePoint) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(at);
  int length;
  uint32_t value, least;
  if (first < 0x80) {
    codePoint = first;
    return 1;
  }
  if ((first & 0xE0) == 0xC0) {
    length = 2, value = first & 0x1F, least = 0x80;
  } else if ((first & 0xF0) == 0xE0) {
    length = 3, value = first & 0x0F, least = 0x800;
  } else if ((first & 0xF8) == 0xF0) {
    length = 4, value = first & 0x07, least = 0x10000;
  } else {
    return 0;
  }
  if (at + length > text.size())
    return 0;
  for (int i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80)
      return 0;
    value = value << 6 | (byte(at + i) & 0x3F);
  }
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
    return 0;
  codePoint = value;
  return length;
}

} // namespace

std::optional<int64_t> findInvalidUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    // Eight ASCII bytes at a time: sources are nearly all ASCII.
    while (at + 8 <= text.size()) {
      uint64_t word;
      std::memcpy(&word, text.data() + at, 8);
      if (word & 0x8080808080808080u)
        break;
      at += 8;
    }
    if (at == text.size())
      break;
    uint32_t codePoint;
    int length = sequenceLength(text, at, codePoint);
    if (length == 0)
      return static_cast<int64_t>(at);
    at += length;
  }
  return std::nullopt;
}

std::string replaceInvalidUtf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::optional<int64_t> bad = findInvalidUtf8(text);
    if (!bad) {
      result += text;
      break;
    }
    result += text.substr(0, *bad);
    result += "\xEF\xBF\xBD";
    text.remove_prefix(*bad + 1);
  }
  return result;
}

int decodeUtf8(std::string_view text, size_t at, uint32_t &codePoint) {
  int length = sequenceLength(text, at, codePoint);
  if (length == 0) {
    codePoint = 0xFFFD;
    return 1;
  }
  return length;
}

} // namespace tilewright::lsp
