//===- StringTable.h - each string once -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tilewright::profiler {

/// Numbers strings from 0 in order of first appearance; 0 is the empty one.
class StringTable {
public:
  StringTable() { intern({}); }
  StringTable(StringTable &&) = default;
  StringTable &operator=(StringTable &&) = default;
  StringTable(const StringTable &) = delete;
  StringTable &operator=(const StringTable &) = delete;

  uint32_t intern(std::string_view text) {
    auto found = index.find(text);
    if (found != index.end())
      return found->second;
    texts.emplace_back(text);
    uint32_t number = static_cast<uint32_t>(texts.size() - 1);
    index.emplace(texts.back(), number);
    return number;
  }
  /// Number of `text`, or -1.
  int64_t find(std::string_view text) const {
    auto found = index.find(text);
    return found == index.end() ? -1 : int64_t(found->second);
  }
  std::string_view operator[](uint32_t number) const { return texts[number]; }
  uint32_t size() const { return static_cast<uint32_t>(texts.size()); }

private:
  std::deque<std::string> texts; ///< a deque: views into it stay valid
  std::unordered_map<std::string_view, uint32_t> index;
};

} // namespace tilewright::profiler
