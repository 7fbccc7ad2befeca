//===- TraceStore.h - large traces in columns -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Origin.h"
#include "core/model/Trace.h"
#include "profiler/StringTable.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright::profiler {

/// Called with the done share, 0 to 1, from the thread that works.
using Progress = std::function<void(double)>;

/// Position of an event in the columns of a TraceStore. Events are sorted by
/// track, lane and begin.
using EventIndex = uint32_t;
inline constexpr EventIndex noEvent = std::numeric_limits<EventIndex>::max();

enum class EventKind : uint8_t {
  Slice,
  Instant,   ///< no duration by nature
  Unfinished ///< begun, never ended; its end is the end of the trace
};

/// A row of the timeline. Its lanes are what is drawn: no two events of a lane
/// overlap; a nested event is on a later lane than what encloses it.
struct TrackRecord {
  int64_t id = 0;
  int32_t parent = -1; ///< index in TraceStore::tracks
  std::string name;
  int64_t sortIndex = 0; ///< display order among siblings, then by id
  uint32_t firstLane = 0;
  uint32_t laneCount = 0;
  EventIndex firstEvent = 0;
  uint32_t eventCount = 0;
};

struct LaneRecord {
  uint32_t track = 0;
  EventIndex firstEvent = 0;
  uint32_t eventCount = 0;
};

/// A value over time ('C' events).
struct CounterRecord {
  std::string name;
  int32_t track = -1; ///< index in TraceStore::tracks it belongs to, or -1
  std::vector<int64_t> times; ///< ns, ascending
  std::vector<double> values;
};

/// `to` waited for `from`.
struct FlowRecord {
  EventIndex from = 0;
  EventIndex to = 0;
  friend bool operator==(const FlowRecord &, const FlowRecord &) = default;
};

/// Half-open, nanoseconds.
struct TimeRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t length() const { return end - begin; }
};

/// What one pixel column of a lane shows.
struct Bucket {
  float busy = 0;               ///< share of the bucket covered, 0 to 1
  uint32_t count = 0;           ///< events that touch it
  EventIndex longest = noEvent; ///< the longest of them, for its colour
};

/// A finished trace; immutable, so that any number of threads may read it.
/// Built by TraceBuilder. Times are nanoseconds from the start of the trace.
class TraceStore {
public:
  model::Origin origin = model::Origin::Measured;
  std::string target;
  int64_t timeBase = 0; ///< ns that were subtracted from the file's times
  /// What an import could not keep or had to change, each with a count.
  std::vector<std::string> notes;

  // Columns, one value an event.
  std::vector<int64_t> begin;
  std::vector<int64_t> end;
  std::vector<int64_t> id;
  std::vector<uint32_t> name;   ///< in `strings`
  std::vector<uint32_t> keySet; ///< in `keySets`; 0 = none
  std::vector<uint32_t> track;  ///< index in `tracks`
  std::vector<EventKind> kind;

  std::vector<TrackRecord> tracks; ///< parents before children
  std::vector<LaneRecord> lanes;
  std::vector<CounterRecord> counters;
  std::vector<FlowRecord> flows; ///< sorted by `to`, then `from`; unique
  StringTable strings;
  /// Sets of tensor-graph keys (in `strings`), each once; [0] is empty.
  std::vector<std::vector<uint32_t>> keySets;

  size_t size() const { return begin.size(); }
  /// First begin to last end; empty for an empty trace.
  TimeRange range() const { return span; }
  std::string_view nameOf(EventIndex event) const {
    return strings[name[event]];
  }
  /// Coordinates of the task; may be empty.
  std::span<const int64_t> gridOf(EventIndex event) const;
  std::vector<std::string> keysOf(EventIndex event) const;
  /// noEvent if there is none. O(log n).
  EventIndex findById(int64_t id) const;

  /// Events of a lane that overlap `range` (an instant in it counts, too), as
  /// a contiguous run [first, last). O(log n).
  std::pair<EventIndex, EventIndex> eventsIn(uint32_t lane,
                                             TimeRange range) const;
  /// The innermost event of a track at `time`, or noEvent.
  EventIndex eventAt(uint32_t track, int64_t time) const;
  /// One bucket for each of `count` equal parts of `range`. Cost grows with
  /// `count`, not with the number of events.
  std::vector<Bucket> buckets(uint32_t lane, TimeRange range,
                              uint32_t count) const;
  /// Flows that end at (`flowsInto`) or start from (`flowsFrom`) an event;
  /// the latter as indices in `flows`.
  std::span<const FlowRecord> flowsInto(EventIndex event) const;
  std::span<const uint32_t> flowsFrom(EventIndex event) const;
  /// Events made from the operation `key`, ascending. O(n).
  std::vector<EventIndex> eventsWithKey(std::string_view key) const;

  /// All of it in plain form, for small traces and JSON.
  model::Trace toModel() const;

private:
  friend class TraceBuilder;
  struct Summary {
    int64_t busyBefore; ///< ns of the lane's events before this chunk
    EventIndex longest;
  };
  TimeRange span;
  std::vector<uint32_t> gridStart; ///< into gridPool; 0 = none
  std::vector<int64_t> gridPool;   ///< length, coordinates …
  std::vector<EventIndex> byId;    ///< empty: ids ascend with the index
  std::vector<uint32_t> flowOrder; ///< flows by `from`
  /// Level l of lane n holds one summary for every 16^(l+1) events.
  std::vector<std::vector<std::vector<Summary>>> summaries;
  EventIndex longestIn(uint32_t lane, EventIndex first, EventIndex last) const;
  int64_t busyBefore(uint32_t lane, EventIndex event) const;
};

} // namespace tilewright::profiler
