//===- TextChange.h - what an edit changed ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tilewright::frontend {

/// Bytes [begin, end) of a text became others; the bytes around them did not
/// change. What is behind has moved by the difference of the texts' lengths.
struct TextChange {
  int64_t begin = 0;
  int64_t end = 0; ///< in the text before
};

/// The smallest change that makes `after` of `before`.
inline TextChange changeBetween(std::string_view before,
                                std::string_view after) {
  // Whole blocks first: the texts are long and differ in few bytes.
  constexpr size_t block = 4096;
  const size_t most = std::min(before.size(), after.size());
  size_t same = 0;
  while (same + block <= most &&
         std::memcmp(before.data() + same, after.data() + same, block) == 0)
    same += block;
  while (same < most && before[same] == after[same])
    ++same;
  size_t tail = 0;
  const char *beforeEnd = before.data() + before.size();
  const char *afterEnd = after.data() + after.size();
  while (same + tail + block <= most &&
         std::memcmp(beforeEnd - tail - block, afterEnd - tail - block,
                     block) == 0)
    tail += block;
  while (same + tail < most &&
         beforeEnd[-1 - int64_t(tail)] == afterEnd[-1 - int64_t(tail)])
    ++tail;
  return {int64_t(same), int64_t(before.size() - tail)};
}

} // namespace tilewright::frontend
