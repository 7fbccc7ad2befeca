//===- TraceBuilder.h - events in any order -> TraceStore -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "profiler/TraceStore.h"
#include <optional>

namespace tilewright::profiler {

/// Collects tracks, events and flows in any order, then sorts them into a
/// TraceStore. Not thread safe.
class TraceBuilder {
public:
  TraceBuilder();

  void setOrigin(model::Origin origin) { store.origin = origin; }
  void setTarget(std::string target) { store.target = std::move(target); }
  void note(std::string text) { store.notes.push_back(std::move(text)); }

  /// `parent` is the number of another track or -1. Returns its number, which
  /// is not its final index in TraceStore::tracks.
  uint32_t addTrack(int64_t id, int32_t parent, std::string_view name,
                    int64_t sortIndex = 0);
  void renameTrack(uint32_t track, std::string_view name);
  void setSortIndex(uint32_t track, int64_t sortIndex);
  void setTrackId(uint32_t track, int64_t id) { store.tracks[track].id = id; }
  void setParent(uint32_t track, int32_t parent) {
    store.tracks[track].parent = parent;
  }
  uint32_t trackCount() const {
    return static_cast<uint32_t>(store.tracks.size());
  }

  uint32_t intern(std::string_view text) { return store.strings.intern(text); }
  uint32_t internKeys(const std::vector<std::string_view> &keys);

  /// Adds an event; times in ns on any base. An end before the begin is taken
  /// as the begin and counted in the notes. Without an id it gets its number.
  /// Returns its number (not an EventIndex).
  uint32_t addEvent(uint32_t track, int64_t begin, int64_t end, uint32_t name,
                    uint32_t keySet = 0, std::span<const int64_t> grid = {},
                    std::optional<int64_t> id = {},
                    EventKind kind = EventKind::Slice);
  /// Ends an event that was added as Unfinished.
  void endEvent(uint32_t event, int64_t end);
  size_t eventCount() const { return store.begin.size(); }
  uint32_t nameOf(uint32_t event) const { return store.name[event]; }

  /// By numbers that addEvent returned.
  void addFlow(uint32_t from, uint32_t to) { flows.push_back({from, to}); }
  /// By ids; unknown ones are counted in the notes.
  void addFlowById(int64_t from, int64_t to) { idFlows.push_back({from, to}); }
  /// From the event with the id `from` to the event with the number `to`.
  void addFlowToEvent(int64_t from, uint32_t to) {
    eventFlows.push_back({from, to});
  }
  /// From the event around `fromTime` on `fromTrack` to the one around (or,
  /// with `next`, the first that begins at or after) `toTime` on `toTrack`.
  void addFlowByTime(uint32_t fromTrack, int64_t fromTime, uint32_t toTrack,
                     int64_t toTime, bool next);

  /// `track` is the number of a track, or -1.
  uint32_t addCounter(std::string_view name, int32_t track);
  void setCounterTrack(uint32_t counter, int32_t track) {
    store.counters[counter].track = track;
  }
  void addSample(uint32_t counter, int64_t time, double value);

  /// Siblings among tracks are ordered by sort index, then by id.
  /// Sorts, splits tracks into lanes, shifts times to start at 0, resolves
  /// flows. Empty only if `stop` was requested. The builder is used up.
  std::optional<TraceStore> finish(std::stop_token stop = {},
                                   const Progress &progress = {});

private:
  struct TimeFlow {
    uint32_t fromTrack, toTrack;
    int64_t fromTime, toTime;
    bool next;
  };
  TraceStore store;
  std::vector<std::pair<uint32_t, uint32_t>> flows;
  std::vector<std::pair<int64_t, int64_t>> idFlows;
  std::vector<std::pair<int64_t, uint32_t>> eventFlows;
  std::vector<TimeFlow> timeFlows;
  std::unordered_map<std::string, uint32_t> keySetIndex;
  std::vector<uint32_t> trackOrder() const;
  void shiftTimes();
  bool sortEvents(const std::vector<uint32_t> &trackNumber,
                  std::vector<EventIndex> &indexOf, std::stop_token stop,
                  const Progress &progress);
  void resolveFlows(const std::vector<uint32_t> &trackNumber,
                    const std::vector<EventIndex> &indexOf);
  void indexIds();
  void summarise();
  int64_t negativeDurations = 0;
};

/// The plain form in columns.
std::optional<TraceStore> fromModel(const model::Trace &trace,
                                    std::stop_token stop = {});

} // namespace tilewright::profiler
