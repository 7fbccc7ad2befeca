//===- Statistics.cpp - times per kernel ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/Statistics.h"
#include <algorithm>
#include <set>
#include <unordered_set>

namespace tilewright::profiler {

namespace {

constexpr size_t keptKeys = 100;
/// Nesting is looked for this many lanes up; real stacks are not deeper.
constexpr uint32_t farthestLane = 64;

/// For each event the time its directly nested events took.
bool nestedTimes(const TraceStore &store, std::vector<int64_t> &nested,
                 std::stop_token stop) {
  nested.assign(store.size(), 0);
  std::vector<EventIndex> cursor;
  for (const TrackRecord &track : store.tracks) {
    for (uint32_t l = 1; l < track.laneCount; ++l) {
      if (stop.stop_requested())
        return false;
      const LaneRecord &lane = store.lanes[track.firstLane + l];
      const uint32_t top = l > farthestLane ? l - farthestLane : 0;
      cursor.clear();
      for (uint32_t k = top; k < l; ++k)
        cursor.push_back(store.lanes[track.firstLane + k].firstEvent);
      for (EventIndex i = lane.firstEvent;
           i < lane.firstEvent + lane.eventCount; ++i) {
        if (store.kind[i] == EventKind::Instant)
          continue;
        for (uint32_t k = l; k-- > top;) {
          const LaneRecord &above = store.lanes[track.firstLane + k];
          EventIndex &at = cursor[k - top];
          const EventIndex last = above.firstEvent + above.eventCount;
          while (at + 1 < last && store.begin[at + 1] <= store.begin[i])
            ++at;
          if (at < last && store.begin[at] <= store.begin[i] &&
              store.end[at] >= store.end[i]) {
            nested[at] += store.end[i] - store.begin[i];
            break;
          }
        }
      }
    }
  }
  return true;
}

} // namespace

std::optional<std::vector<KernelStatistics>>
kernelStatistics(const TraceStore &store, std::optional<TimeRange> range,
                 std::stop_token stop, const Progress &progress) {
  std::vector<int64_t> nested;
  if (!nestedTimes(store, nested, stop))
    return std::nullopt;
  if (progress)
    progress(0.3);
  auto counts = [&](EventIndex i) {
    return store.kind[i] != EventKind::Instant &&
           (!range ||
            (store.begin[i] >= range->begin && store.begin[i] < range->end));
  };

  const uint32_t names = store.strings.size();
  std::vector<uint32_t> start(names + 1, 0);
  for (EventIndex i = 0; i < store.size(); ++i)
    if (counts(i))
      ++start[store.name[i] + 1];
  for (uint32_t n = 0; n < names; ++n)
    start[n + 1] += start[n];
  std::vector<int64_t> durations(start[names]);
  std::vector<int64_t> self(names, 0), tracks(names, 0);
  std::vector<uint32_t> fill(start.begin(), start.end() - 1);
  std::vector<uint32_t> lastTrack(names, noEvent);
  // Pairs of a name and a key set, each once; in order at the end.
  std::unordered_set<uint64_t> seen;
  std::vector<uint32_t> lastSet(names, 0);
  for (EventIndex i = 0; i < store.size(); ++i) {
    if (i % 65536 == 0 && stop.stop_requested())
      return std::nullopt;
    if (!counts(i))
      continue;
    uint32_t name = store.name[i];
    int64_t duration = store.end[i] - store.begin[i];
    durations[fill[name]++] = duration;
    self[name] += std::max<int64_t>(0, duration - nested[i]);
    if (lastTrack[name] != store.track[i]) {
      lastTrack[name] = store.track[i];
      ++tracks[name];
    }
    if (store.keySet[i] != lastSet[name]) {
      lastSet[name] = store.keySet[i];
      if (store.keySet[i] != 0)
        seen.insert(uint64_t(name) << 32 | store.keySet[i]);
    }
  }
  std::vector<uint64_t> sets(seen.begin(), seen.end());
  std::sort(sets.begin(), sets.end());
  if (progress)
    progress(0.7);

  std::vector<KernelStatistics> result;
  for (uint32_t n = 0; n < names; ++n) {
    auto first = durations.begin() + start[n],
         last = durations.begin() + start[n + 1];
    if (first == last)
      continue;
    if (stop.stop_requested())
      return std::nullopt;
    KernelStatistics kernel;
    kernel.name = store.strings[n];
    kernel.origin = store.origin;
    kernel.count = last - first;
    for (auto it = first; it != last; ++it)
      kernel.total += *it;
    auto [least, most] = std::minmax_element(first, last);
    kernel.min = *least;
    kernel.max = *most;
    kernel.mean = double(kernel.total) / double(kernel.count);
    auto percentile = [&](int64_t percent) {
      int64_t rank = (kernel.count * percent + 99) / 100; // from 1
      auto at = first + std::max<int64_t>(0, rank - 1);
      std::nth_element(first, at, last);
      return *at;
    };
    kernel.p50 = percentile(50);
    kernel.p95 = percentile(95);
    kernel.self = self[n];
    kernel.tracks = tracks[n];
    std::set<std::string_view> keys;
    for (auto it =
             std::lower_bound(sets.begin(), sets.end(), uint64_t(n) << 32);
         it != sets.end() && *it >> 32 == n && keys.size() < keptKeys; ++it)
      for (uint32_t key : store.keySets[uint32_t(*it)])
        if (keys.size() < keptKeys)
          keys.insert(store.strings[key]);
    kernel.keys.assign(keys.begin(), keys.end());
    result.push_back(std::move(kernel));
  }
  std::sort(result.begin(), result.end(),
            [](const KernelStatistics &a, const KernelStatistics &b) {
              return a.total != b.total ? a.total > b.total : a.name < b.name;
            });
  if (progress)
    progress(1);
  return result;
}

} // namespace tilewright::profiler
