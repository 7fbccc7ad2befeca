//===- Utilisation.cpp - how busy each track was --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/Utilisation.h"
#include "profiler/TrackWalk.h"
#include <algorithm>
#include <set>

namespace tilewright::profiler {

namespace {

constexpr size_t keptGaps = 10;

void addGap(TrackUtilisation &track, int64_t begin, int64_t end) {
  if (end <= begin)
    return;
  ++track.gaps;
  auto longer = [](const Gap &a, const Gap &b) {
    int64_t x = a.end - a.begin, y = b.end - b.begin;
    return x != y ? x > y : a.begin < b.begin;
  };
  Gap gap{begin, end};
  if (track.longest.size() == keptGaps && !longer(gap, track.longest.back()))
    return;
  track.longest.insert(
      std::upper_bound(track.longest.begin(), track.longest.end(), gap, longer),
      gap);
  if (track.longest.size() > keptGaps)
    track.longest.pop_back();
}

/// Whether a track did work, and whether it stands beside one that did.
struct Workers {
  std::vector<bool> works, couldWork;

  explicit Workers(const TraceStore &store)
      : works(store.tracks.size(), false),
        couldWork(store.tracks.size(), false) {
    for (size_t i = 0; i < store.size(); ++i)
      if (store.kind[i] != EventKind::Instant)
        works[store.track[i]] = true;
    std::vector<bool> isParent(store.tracks.size(), false);
    std::set<int32_t> working; // parents of tracks that work
    for (size_t t = 0; t < store.tracks.size(); ++t) {
      if (store.tracks[t].parent >= 0)
        isParent[size_t(store.tracks[t].parent)] = true;
      if (works[t])
        working.insert(store.tracks[t].parent);
    }
    for (size_t t = 0; t < store.tracks.size(); ++t)
      couldWork[t] =
          works[t] || (store.tracks[t].eventCount == 0 && !isParent[t] &&
                       working.count(store.tracks[t].parent));
  }
};

} // namespace

std::optional<Utilisation> utilisation(const TraceStore &store,
                                       std::optional<TimeRange> wanted,
                                       std::stop_token stop,
                                       const Progress &progress) {
  const TimeRange range = wanted.value_or(store.range());
  Utilisation result;
  result.origin = store.origin;
  uint64_t seen = 0;
  const Workers workers(store);
  for (uint32_t t = 0; t < store.tracks.size(); ++t) {
    if (!workers.couldWork[t])
      continue;
    TrackUtilisation track;
    track.track = t;
    track.name = store.tracks[t].name;
    track.total = std::max<int64_t>(0, range.length());
    int64_t reached = range.begin; // busy or counted as a gap up to here
    TrackWalk walk(store, t);
    for (EventIndex i; (i = walk.next()) != noEvent;) {
      if (++seen % 65536 == 0) {
        if (stop.stop_requested())
          return std::nullopt;
        if (progress)
          progress(double(seen) / double(store.size()));
      }
      if (store.kind[i] == EventKind::Instant)
        continue;
      int64_t begin = std::max(store.begin[i], range.begin);
      int64_t end = std::min(store.end[i], range.end);
      // Without a duration it is in the range even at its end.
      bool overlaps =
          store.begin[i] == store.end[i]
              ? store.begin[i] >= range.begin && store.begin[i] <= range.end
              : store.begin[i] < range.end && store.end[i] > range.begin;
      if (!overlaps)
        continue;
      ++track.events;
      if (end <= begin)
        continue;
      if (begin > reached)
        addGap(track, reached, begin);
      int64_t from = std::max(begin, reached);
      if (end > from) {
        track.busy += end - from;
        reached = end;
      }
    }
    addGap(track, reached, range.end);
    track.share = track.total ? double(track.busy) / double(track.total) : 0;
    result.busy += track.busy;
    result.total += track.total;
    result.tracks.push_back(std::move(track));
  }
  result.share = result.total ? double(result.busy) / double(result.total) : 0;
  if (stop.stop_requested())
    return std::nullopt;
  if (progress)
    progress(1);
  return result;
}

} // namespace tilewright::profiler
