//===- TrackWalk.h - the events of a track in time order --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "profiler/TraceStore.h"
#include <queue>
#include <tuple>

namespace tilewright::profiler {

/// Merges the lanes of a track: events by begin, of equal ones the lower lane
/// first.
class TrackWalk {
public:
  TrackWalk(const TraceStore &store, uint32_t track) : store(store) {
    const TrackRecord &record = store.tracks[track];
    for (uint32_t l = 0; l < record.laneCount; ++l) {
      const LaneRecord &lane = store.lanes[record.firstLane + l];
      if (lane.eventCount > 0)
        push(lane.firstEvent, lane.firstEvent + lane.eventCount);
    }
  }

  /// noEvent at the end.
  EventIndex next() {
    if (heads.empty())
      return noEvent;
    Head head = heads.top();
    heads.pop();
    if (head.event + 1 < head.last)
      push(head.event + 1, head.last);
    return head.event;
  }

private:
  struct Head {
    int64_t begin;
    EventIndex event, last;
    bool operator<(const Head &other) const { // the queue's top is the greatest
      return std::tie(other.begin, other.event) < std::tie(begin, event);
    }
  };
  void push(EventIndex event, EventIndex last) {
    heads.push({store.begin[event], event, last});
  }
  const TraceStore &store;
  std::priority_queue<Head> heads;
};

} // namespace tilewright::profiler
