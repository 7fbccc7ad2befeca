//===- LaneAssigner.h - rows for overlapping events -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tilewright::profiler {

/// Gives each event of a track, taken by ascending begin and of equal ones the
/// longest first, the lowest lane that is free and lies behind the lanes of all
/// events that enclose it. O(log lanes) an event.
class LaneAssigner {
public:
  LaneAssigner() { reset(); }

  void reset() {
    capacity = 1;
    earliest.assign(2, never);
    latest.assign(2, never);
    used = 0;
  }

  uint32_t assign(int64_t begin, int64_t end) {
    // An event that ends where this one begins is over, and encloses nothing.
    int64_t enclosing = end > begin ? end : begin + 1;
    uint32_t lane =
        firstFree(1, 0, capacity, lastAtLeast(enclosing) + 1, begin);
    if (lane == capacity)
      grow();
    used = lane + 1 > used ? lane + 1 : used;
    set(lane, end);
    return lane;
  }

  uint32_t laneCount() const { return used; }

private:
  static constexpr int64_t never = std::numeric_limits<int64_t>::min();

  /// The last lane whose event ends at `time` or later, or -1.
  int64_t lastAtLeast(int64_t time) const {
    if (latest[1] < time)
      return -1;
    size_t at = 1;
    while (at < capacity)
      at = latest[2 * at + 1] >= time ? 2 * at + 1 : 2 * at;
    return int64_t(at - capacity);
  }

  /// The first lane from `from` on that is free at `time`; `capacity` if none.
  uint32_t firstFree(size_t at, uint32_t low, uint32_t high, int64_t from,
                     int64_t time) const {
    if (int64_t(high) <= from || earliest[at] > time)
      return capacity;
    if (high - low == 1)
      return low;
    uint32_t middle = (low + high) / 2;
    uint32_t found = firstFree(2 * at, low, middle, from, time);
    return found != capacity ? found
                             : firstFree(2 * at + 1, middle, high, from, time);
  }

  void set(uint32_t lane, int64_t end) {
    size_t at = capacity + lane;
    earliest[at] = latest[at] = end;
    while (at > 1) {
      at /= 2;
      int64_t a = earliest[2 * at], b = earliest[2 * at + 1];
      earliest[at] = a < b ? a : b;
      a = latest[2 * at], b = latest[2 * at + 1];
      latest[at] = a > b ? a : b;
    }
  }

  void grow() {
    std::vector<int64_t> ends(earliest.begin() + capacity, earliest.end());
    capacity *= 2;
    earliest.assign(2 * size_t(capacity), never);
    latest.assign(2 * size_t(capacity), never);
    for (uint32_t lane = 0; lane < ends.size(); ++lane)
      set(lane, ends[lane]);
  }

  /// Trees over the end of the last event of each lane: least and greatest.
  std::vector<int64_t> earliest, latest;
  uint32_t capacity = 1;
  uint32_t used = 0;
};

} // namespace tilewright::profiler
