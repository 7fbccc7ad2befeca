//===- ByteMap.h - a number for each byte -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace tilewright::execute {

/// A number for each byte of a memory, kept as ranges; 0 where none was given.
class ByteMap {
public:
  void assign(int64_t begin, int64_t end, int value) {
    if (begin >= end)
      return;
    auto it = ranges.lower_bound(begin);
    if (it != ranges.begin()) {
      auto before = std::prev(it);
      if (before->second.end > begin) {
        Range old = before->second;
        if (old.value == value) {
          begin = before->first;
          end = std::max(end, old.end);
          it = ranges.erase(before);
        } else {
          before->second.end = begin;
          if (old.end > end)
            it = ranges.insert(it, {end, old});
        }
      } else if (before->second.end == begin && before->second.value == value) {
        begin = before->first;
        it = ranges.erase(before);
      }
    }
    while (it != ranges.end() && it->first < end) {
      Range old = it->second;
      it = ranges.erase(it);
      if (old.end > end) {
        if (old.value == value)
          end = old.end;
        else
          it = ranges.insert(it, {end, old});
        break;
      }
    }
    if (it != ranges.end() && it->first == end && it->second.value == value) {
      end = it->second.end;
      it = ranges.erase(it);
    }
    ranges.insert(it, {begin, {end, value}});
  }

  /// Calls visit(begin, end, value) for the pieces of [begin, end), in order,
  /// until it gives false.
  template <typename Visit>
  void visit(int64_t begin, int64_t end, Visit visit) const {
    auto it = ranges.upper_bound(begin);
    if (it != ranges.begin() && std::prev(it)->second.end > begin)
      --it;
    while (begin < end) {
      if (it == ranges.end() || it->first >= end) {
        visit(begin, end, 0);
        return;
      }
      if (it->first > begin) {
        if (!visit(begin, it->first, 0))
          return;
        begin = it->first;
      }
      int64_t to = std::min(end, it->second.end);
      if (!visit(begin, to, it->second.value))
        return;
      begin = to;
      ++it;
    }
  }

  template <typename Visit> void visitAll(Visit visit) const {
    for (const auto &[begin, range] : ranges)
      visit(begin, range.end, range.value);
  }

  void clear() { ranges.clear(); }

private:
  struct Range {
    int64_t end;
    int value;
  };
  std::map<int64_t, Range> ranges;
};

} // namespace tilewright::execute
