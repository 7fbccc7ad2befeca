//===- CriticalPath.cpp - what bounded the whole time ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/CriticalPath.h"
#include <algorithm>
#include <unordered_map>

namespace tilewright::profiler {

namespace {

class PathFinder {
public:
  explicit PathFinder(const TraceStore &store) : store(store) {}

  EventIndex last() const {
    EventIndex found = noEvent;
    for (EventIndex i = 0; i < store.size(); ++i)
      if (store.kind[i] != EventKind::Instant &&
          (found == noEvent || store.end[i] > store.end[found]))
        found = i;
    return found;
  }

  /// What held `event` back, or noEvent.
  EventIndex before(EventIndex event, PathReason &reason) const {
    EventIndex best = noEvent;
    auto offer = [&](EventIndex candidate, PathReason why) {
      if (best != noEvent && store.end[candidate] <= store.end[best])
        return;
      best = candidate;
      reason = why;
    };
    reason = PathReason::Start;
    for (const FlowRecord &flow : store.flowsInto(event))
      if (isEarlier(flow.from, event))
        offer(flow.from, PathReason::Dependency);
    const TrackRecord &track = store.tracks[store.track[event]];
    for (uint32_t l = 0; l < track.laneCount; ++l) {
      const LaneRecord &lane = store.lanes[track.firstLane + l];
      auto first = store.end.begin() + lane.firstEvent;
      // Ends ascend within a lane.
      auto behind =
          std::upper_bound(first, first + lane.eventCount, store.begin[event]);
      while (behind != first) {
        --behind;
        EventIndex candidate =
            static_cast<EventIndex>(behind - store.end.begin());
        if (isEarlier(candidate, event)) {
          offer(candidate, PathReason::Track);
          break;
        }
      }
    }
    return best;
  }

private:
  /// A strict order, so that the walk ends.
  bool isEarlier(EventIndex a, EventIndex b) const {
    return store.kind[a] != EventKind::Instant &&
           std::pair(store.begin[a], a) < std::pair(store.begin[b], b);
  }
  const TraceStore &store;
};

} // namespace

std::optional<CriticalPath> criticalPath(const TraceStore &store,
                                         std::stop_token stop,
                                         const Progress &progress) {
  CriticalPath path;
  path.origin = store.origin;
  PathFinder finder(store);
  EventIndex event = finder.last();
  if (event == noEvent)
    return path;
  const int64_t start = store.range().begin;
  path.makespan = store.end[event] - start;
  int64_t until = store.end[event];
  while (true) {
    if (path.steps.size() % 4096 == 0) {
      if (stop.stop_requested())
        return std::nullopt;
      if (progress && path.makespan > 0)
        progress(1 - double(until - start) / double(path.makespan));
    }
    PathStep step;
    step.event = event;
    step.id = store.id[event];
    step.begin = store.begin[event];
    step.end = until;
    EventIndex before = finder.before(event, step.reason);
    until = before == noEvent ? start : std::min(store.end[before], step.begin);
    step.wait = step.begin - until;
    path.steps.push_back(step);
    if (before == noEvent)
      break;
    event = before;
  }
  std::reverse(path.steps.begin(), path.steps.end());

  std::unordered_map<uint32_t, size_t> byName;
  for (const PathStep &step : path.steps) {
    uint32_t name = store.name[step.event];
    auto [found, fresh] = byName.try_emplace(name, path.blame.size());
    if (fresh) {
      path.blame.emplace_back();
      path.blame.back().name = store.strings[name];
    }
    PathBlame &blame = path.blame[found->second];
    ++blame.steps;
    blame.run += step.end - step.begin;
    blame.wait += step.wait;
    path.run += step.end - step.begin;
    path.wait += step.wait;
  }
  for (PathBlame &blame : path.blame)
    blame.share = path.makespan
                      ? double(blame.run + blame.wait) / double(path.makespan)
                      : 0;
  std::sort(path.blame.begin(), path.blame.end(),
            [](const PathBlame &a, const PathBlame &b) {
              int64_t x = a.run + a.wait, y = b.run + b.wait;
              return x != y ? x > y : a.name < b.name;
            });
  if (progress)
    progress(1);
  return path;
}

} // namespace tilewright::profiler
