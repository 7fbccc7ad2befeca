//===- EightBytes.h - eight bytes of a text at a time -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts of megabytes are gone through for the few bytes that matter: whether
// any of eight does is a handful of operations on a word (Hacker's Delight, 2nd
// ed., section 6-1). The tests may say yes where a byte above one that matters
// does not, never no where one does.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <cstring>

namespace tilewright::lsp {

inline constexpr uint64_t lowBits = 0x0101010101010101u;
inline constexpr uint64_t highBits = 0x8080808080808080u;

inline uint64_t eightBytes(const char *at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Whether one of them is less than `bound`, which is at most 128.
inline bool anyBelow(uint64_t word, uint8_t bound) {
  return ((word - lowBits * bound) & ~word & highBits) != 0;
}

inline bool anyEqual(uint64_t word, char byte) {
  return anyBelow(word ^ (lowBits * static_cast<uint8_t>(byte)), 1);
}

/// Whether one of them is not ASCII.
inline bool anyAbove127(uint64_t word) { return (word & highBits) != 0; }

} // namespace tilewright::lsp
