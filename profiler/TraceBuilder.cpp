//===- TraceBuilder.cpp - events in any order -> TraceStore ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/TraceBuilder.h"
#include "profiler/LaneAssigner.h"
#include <algorithm>
#include <numeric>
#include <tuple>

namespace tilewright::profiler {

namespace {

/// Times stay far enough from the ends of their type for differences.
constexpr int64_t farthest = int64_t(1) << 61;
int64_t clampTime(int64_t time) {
  return std::clamp(time, -farthest, farthest);
}

template <typename T>
void permute(std::vector<T> &column, const std::vector<uint32_t> &order) {
  if (column.empty())
    return;
  std::vector<T> sorted(column.size());
  for (size_t i = 0; i < order.size(); ++i)
    sorted[i] = column[order[i]];
  column = std::move(sorted);
}

} // namespace

TraceBuilder::TraceBuilder() { store.keySets.emplace_back(); }

uint32_t TraceBuilder::addTrack(int64_t id, int32_t parent,
                                std::string_view name, int64_t sortIndex) {
  TrackRecord record;
  record.id = id;
  record.parent = parent;
  record.name = name;
  record.sortIndex = sortIndex;
  store.tracks.push_back(std::move(record));
  return trackCount() - 1;
}

void TraceBuilder::renameTrack(uint32_t track, std::string_view name) {
  store.tracks[track].name = name;
}

void TraceBuilder::setSortIndex(uint32_t track, int64_t sortIndex) {
  store.tracks[track].sortIndex = sortIndex;
}

uint32_t TraceBuilder::internKeys(const std::vector<std::string_view> &keys) {
  if (keys.empty())
    return 0;
  std::vector<uint32_t> set;
  for (std::string_view key : keys)
    set.push_back(store.strings.intern(key));
  std::string name(reinterpret_cast<const char *>(set.data()),
                   set.size() * sizeof(uint32_t));
  auto [found, fresh] = keySetIndex.try_emplace(
      std::move(name), static_cast<uint32_t>(store.keySets.size()));
  if (fresh)
    store.keySets.push_back(std::move(set));
  return found->second;
}

uint32_t TraceBuilder::addEvent(uint32_t track, int64_t begin, int64_t end,
                                uint32_t name, uint32_t keySet,
                                std::span<const int64_t> grid,
                                std::optional<int64_t> id, EventKind kind) {
  uint32_t number = static_cast<uint32_t>(store.begin.size());
  begin = clampTime(begin);
  end = clampTime(end);
  if (end < begin) {
    if (kind == EventKind::Slice)
      ++negativeDurations;
    end = begin;
  }
  store.begin.push_back(begin);
  store.end.push_back(end);
  store.id.push_back(id.value_or(number));
  store.name.push_back(name);
  store.keySet.push_back(keySet);
  store.track.push_back(track);
  store.kind.push_back(kind);
  if (!grid.empty()) {
    if (store.gridStart.empty())
      store.gridPool.push_back(0); // so that no grid starts at 0
    store.gridStart.resize(number, 0);
    store.gridStart.push_back(static_cast<uint32_t>(store.gridPool.size()));
    store.gridPool.push_back(static_cast<int64_t>(grid.size()));
    store.gridPool.insert(store.gridPool.end(), grid.begin(), grid.end());
  }
  return number;
}

void TraceBuilder::endEvent(uint32_t event, int64_t end) {
  store.kind[event] = EventKind::Slice;
  end = clampTime(end);
  if (end < store.begin[event])
    ++negativeDurations;
  store.end[event] = std::max(end, store.begin[event]);
}

void TraceBuilder::addFlowByTime(uint32_t fromTrack, int64_t fromTime,
                                 uint32_t toTrack, int64_t toTime, bool next) {
  timeFlows.push_back(
      {fromTrack, toTrack, clampTime(fromTime), clampTime(toTime), next});
}

uint32_t TraceBuilder::addCounter(std::string_view name, int32_t track) {
  CounterRecord record;
  record.name = name;
  record.track = track;
  store.counters.push_back(std::move(record));
  return static_cast<uint32_t>(store.counters.size() - 1);
}

void TraceBuilder::addSample(uint32_t counter, int64_t time, double value) {
  store.counters[counter].times.push_back(clampTime(time));
  store.counters[counter].values.push_back(value);
}

/// Track numbers in display order, parents before children. Unknown parents
/// and cycles count as none.
std::vector<uint32_t> TraceBuilder::trackOrder() const {
  const uint32_t count = static_cast<uint32_t>(store.tracks.size());
  std::vector<std::vector<uint32_t>> children(count);
  std::vector<uint32_t> top, order;
  std::vector<uint8_t> placed(count, 0);
  for (uint32_t t = 0; t < count; ++t) {
    int32_t parent = store.tracks[t].parent;
    if (parent >= 0 && uint32_t(parent) < count && uint32_t(parent) != t)
      children[parent].push_back(t);
    else
      top.push_back(t);
  }
  auto before = [&](uint32_t a, uint32_t b) {
    const TrackRecord &x = store.tracks[a], &y = store.tracks[b];
    return std::tuple(x.sortIndex, x.id, a) < std::tuple(y.sortIndex, y.id, b);
  };
  std::sort(top.begin(), top.end(), before);
  for (auto &list : children)
    std::sort(list.begin(), list.end(), before);
  std::vector<uint32_t> stack;
  auto place = [&](uint32_t root) {
    stack.push_back(root);
    while (!stack.empty()) {
      uint32_t t = stack.back();
      stack.pop_back();
      if (placed[t])
        continue;
      placed[t] = 1;
      order.push_back(t);
      stack.insert(stack.end(), children[t].rbegin(), children[t].rend());
    }
  };
  for (uint32_t t : top)
    place(t);
  for (uint32_t t = 0; t < count; ++t) // cycles
    if (!placed[t])
      place(t);
  return order;
}

void TraceBuilder::shiftTimes() {
  bool any = false;
  int64_t first = 0, last = 0;
  auto see = [&](int64_t time) {
    first = any ? std::min(first, time) : time;
    last = any ? std::max(last, time) : time;
    any = true;
  };
  for (size_t i = 0; i < store.begin.size(); ++i) {
    see(store.begin[i]);
    see(store.end[i]);
  }
  const bool hasEvents = any;
  const int64_t lastEvent = last;
  for (const CounterRecord &counter : store.counters)
    for (int64_t time : counter.times)
      see(time);
  store.timeBase = first;
  int64_t unfinished = 0;
  for (size_t i = 0; i < store.begin.size(); ++i) {
    store.begin[i] -= first;
    if (store.kind[i] == EventKind::Unfinished) {
      store.end[i] = lastEvent;
      ++unfinished;
    }
    store.end[i] -= first;
  }
  for (CounterRecord &counter : store.counters) {
    std::vector<uint32_t> order(counter.times.size());
    std::iota(order.begin(), order.end(), 0);
    if (!std::is_sorted(counter.times.begin(), counter.times.end()))
      std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(counter.times[a], a) < std::pair(counter.times[b], b);
      });
    permute(counter.times, order);
    permute(counter.values, order);
    for (int64_t &time : counter.times)
      time -= first;
  }
  for (TimeFlow &flow : timeFlows) {
    flow.fromTime -= first;
    flow.toTime -= first;
  }
  if (hasEvents) {
    int64_t least = store.begin.empty() ? 0 : store.begin[0];
    for (int64_t begin : store.begin)
      least = std::min(least, begin);
    store.span = {least, lastEvent - first};
  } else if (any) {
    store.span = {0, last - first};
  }
  if (unfinished)
    note(std::to_string(unfinished) +
         " events begin but never end; they are shown until the end of the "
         "trace");
  if (negativeDurations)
    note(std::to_string(negativeDurations) +
         " events end before they begin; they are shown without duration");
}

/// Sorts all columns by track, lane and begin. `indexOf` maps numbers to
/// indices.
bool TraceBuilder::sortEvents(const std::vector<uint32_t> &trackNumber,
                              std::vector<EventIndex> &indexOf,
                              std::stop_token stop, const Progress &progress) {
  const uint32_t count = static_cast<uint32_t>(store.begin.size());
  const uint32_t tracks = trackCount();
  for (uint32_t &track : store.track)
    track = trackNumber[track];

  std::vector<uint32_t> start(tracks + 1, 0);
  for (uint32_t track : store.track)
    ++start[track + 1];
  for (uint32_t t = 0; t < tracks; ++t)
    start[t + 1] += start[t];
  std::vector<uint32_t> order(count);
  {
    std::vector<uint32_t> fill(start.begin(), start.end() - 1);
    for (uint32_t i = 0; i < count; ++i)
      order[fill[store.track[i]]++] = i;
  }

  struct Item {
    int64_t begin, end;
    uint32_t number;
    bool operator<(const Item &other) const {
      return begin != other.begin ? begin < other.begin
             : end != other.end   ? end > other.end
                                  : number < other.number;
    }
  };
  std::vector<Item> items;
  std::vector<uint32_t> lane, laneStart;
  LaneAssigner assigner;
  int64_t overlapping = 0;
  for (uint32_t t = 0; t < tracks; ++t) {
    if (stop.stop_requested())
      return false;
    const uint32_t first = start[t], events = start[t + 1] - first;
    items.resize(events);
    for (uint32_t k = 0; k < events; ++k) {
      uint32_t number = order[first + k];
      items[k] = {store.begin[number], store.end[number], number};
    }
    if (!std::is_sorted(items.begin(), items.end()))
      std::sort(items.begin(), items.end());
    if (stop.stop_requested())
      return false;

    assigner.reset();
    lane.resize(events);
    int64_t outermost = std::numeric_limits<int64_t>::min();
    for (uint32_t k = 0; k < events; ++k) {
      lane[k] = assigner.assign(items[k].begin, items[k].end);
      // Not nested, yet not behind either.
      overlapping += items[k].begin < outermost && items[k].end > outermost;
      outermost = std::max(outermost, items[k].end);
    }
    const uint32_t lanes = std::max(1u, assigner.laneCount());
    laneStart.assign(lanes + 1, 0);
    for (uint32_t k = 0; k < events; ++k)
      ++laneStart[lane[k] + 1];
    for (uint32_t l = 0; l < lanes; ++l)
      laneStart[l + 1] += laneStart[l];

    TrackRecord &record = store.tracks[t];
    record.firstLane = static_cast<uint32_t>(store.lanes.size());
    record.laneCount = lanes;
    record.firstEvent = first;
    record.eventCount = events;
    for (uint32_t l = 0; l < lanes; ++l)
      store.lanes.push_back(
          {t, first + laneStart[l], laneStart[l + 1] - laneStart[l]});
    for (uint32_t k = 0; k < events; ++k)
      order[first + laneStart[lane[k]]++] = items[k].number;
    if (progress && count)
      progress(0.8 * double(first + events) / double(count));
  }
  if (overlapping)
    note(std::to_string(overlapping) +
         " events overlap others of their row without being nested; they are "
         "shown on further lanes");

  permute(store.begin, order);
  permute(store.end, order);
  permute(store.id, order);
  permute(store.name, order);
  permute(store.keySet, order);
  permute(store.track, order);
  permute(store.kind, order);
  if (!store.gridStart.empty()) {
    store.gridStart.resize(count, 0);
    permute(store.gridStart, order);
  }
  indexOf.resize(count);
  for (uint32_t i = 0; i < count; ++i)
    indexOf[order[i]] = i;
  return !stop.stop_requested();
}

void TraceBuilder::indexIds() {
  bool ascending = true;
  for (size_t i = 1; i < store.id.size(); ++i)
    ascending &= store.id[i - 1] < store.id[i];
  if (ascending)
    return;
  store.byId.resize(store.id.size());
  // Ids that are just numbers, as given here, need no sorting.
  std::fill(store.byId.begin(), store.byId.end(), noEvent);
  bool dense = true;
  for (EventIndex i = 0; dense && i < store.id.size(); ++i) {
    dense = store.id[i] >= 0 && uint64_t(store.id[i]) < store.id.size() &&
            store.byId[store.id[i]] == noEvent;
    if (dense)
      store.byId[store.id[i]] = i;
  }
  if (dense)
    return;
  std::iota(store.byId.begin(), store.byId.end(), 0);
  std::sort(store.byId.begin(), store.byId.end(),
            [&](EventIndex a, EventIndex b) {
              return std::pair(store.id[a], a) < std::pair(store.id[b], b);
            });
}

void TraceBuilder::resolveFlows(const std::vector<uint32_t> &trackNumber,
                                const std::vector<EventIndex> &indexOf) {
  std::vector<FlowRecord> &all = store.flows;
  all.reserve(flows.size() + idFlows.size() + eventFlows.size() +
              timeFlows.size());
  for (auto [from, to] : flows)
    all.push_back({indexOf[from], indexOf[to]});
  int64_t lost = 0;
  auto add = [&](EventIndex from, EventIndex to) {
    if (from == noEvent || to == noEvent || from == to)
      ++lost;
    else
      all.push_back({from, to});
  };
  for (auto [from, to] : idFlows)
    add(store.findById(from), store.findById(to));
  for (auto [from, to] : eventFlows)
    add(store.findById(from), indexOf[to]);
  for (const TimeFlow &flow : timeFlows) {
    uint32_t toTrack = trackNumber[flow.toTrack];
    EventIndex to = noEvent;
    if (!flow.next) {
      to = store.eventAt(toTrack, flow.toTime);
    } else {
      // The first that begins at or after the time, outermost of equal ones.
      const TrackRecord &record = store.tracks[toTrack];
      for (uint32_t l = 0; l < record.laneCount; ++l) {
        const LaneRecord &lane = store.lanes[record.firstLane + l];
        auto from = store.begin.begin() + lane.firstEvent;
        auto found =
            std::lower_bound(from, from + lane.eventCount, flow.toTime);
        if (found == from + lane.eventCount)
          continue;
        EventIndex event = static_cast<EventIndex>(found - store.begin.begin());
        if (to == noEvent || store.begin[event] < store.begin[to])
          to = event;
      }
    }
    add(store.eventAt(trackNumber[flow.fromTrack], flow.fromTime), to);
  }
  std::sort(all.begin(), all.end(),
            [](const FlowRecord &a, const FlowRecord &b) {
              return std::pair(a.to, a.from) < std::pair(b.to, b.from);
            });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  store.flowOrder.resize(all.size());
  std::iota(store.flowOrder.begin(), store.flowOrder.end(), 0);
  std::sort(store.flowOrder.begin(), store.flowOrder.end(),
            [&](uint32_t a, uint32_t b) {
              return std::pair(all[a].from, a) < std::pair(all[b].from, b);
            });
  if (lost)
    note(std::to_string(lost) + " flows have no event at one of their ends");
}

void TraceBuilder::summarise() {
  store.summaries.resize(store.lanes.size());
  for (size_t l = 0; l < store.lanes.size(); ++l) {
    const LaneRecord &lane = store.lanes[l];
    auto length = [&](EventIndex event) {
      return store.end[event] - store.begin[event];
    };
    if (lane.eventCount <= 16)
      continue;
    std::vector<TraceStore::Summary> level;
    level.reserve(lane.eventCount / 16 + 1);
    int64_t busy = 0;
    for (uint32_t i = 0; i < lane.eventCount; ++i) {
      EventIndex event = lane.firstEvent + i;
      if (i % 16 == 0)
        level.push_back({busy, event});
      else if (length(event) > length(level.back().longest))
        level.back().longest = event;
      busy += length(event);
    }
    auto &levels = store.summaries[l];
    levels.push_back(std::move(level));
    while (levels.back().size() > 16) {
      const std::vector<TraceStore::Summary> &below = levels.back();
      std::vector<TraceStore::Summary> above;
      above.reserve(below.size() / 16 + 1);
      for (size_t i = 0; i < below.size(); ++i)
        if (i % 16 == 0)
          above.push_back(below[i]);
        else if (length(below[i].longest) > length(above.back().longest))
          above.back().longest = below[i].longest;
      levels.push_back(std::move(above));
    }
  }
}

std::optional<TraceStore> TraceBuilder::finish(std::stop_token stop,
                                               const Progress &progress) {
  shiftTimes();
  std::vector<uint32_t> order = trackOrder();
  std::vector<uint32_t> trackNumber(order.size());
  for (uint32_t k = 0; k < order.size(); ++k)
    trackNumber[order[k]] = k;
  std::vector<TrackRecord> tracks;
  for (uint32_t t : order) {
    TrackRecord record = std::move(store.tracks[t]);
    int32_t parent = record.parent;
    bool known = parent >= 0 && uint32_t(parent) < trackNumber.size() &&
                 trackNumber[parent] < tracks.size();
    record.parent = known ? static_cast<int32_t>(trackNumber[parent]) : -1;
    tracks.push_back(std::move(record));
  }
  store.tracks = std::move(tracks);
  for (CounterRecord &counter : store.counters)
    counter.track = counter.track >= 0 && uint32_t(counter.track) < order.size()
                        ? static_cast<int32_t>(trackNumber[counter.track])
                        : -1;
  std::vector<EventIndex> indexOf;
  if (!sortEvents(trackNumber, indexOf, stop, progress))
    return std::nullopt;
  indexIds();
  if (stop.stop_requested())
    return std::nullopt;
  resolveFlows(trackNumber, indexOf);
  summarise();
  if (progress)
    progress(1);
  return std::move(store);
}

std::optional<TraceStore> fromModel(const model::Trace &trace,
                                    std::stop_token stop) {
  TraceBuilder builder;
  builder.setOrigin(trace.origin);
  builder.setTarget(trace.target);
  std::unordered_map<int64_t, uint32_t> tracks;
  auto trackOf = [&](int64_t id) {
    auto [found, fresh] = tracks.try_emplace(id, builder.trackCount());
    if (fresh)
      builder.addTrack(id, -1, "track " + std::to_string(id));
    return found->second;
  };
  for (const model::Track &track : trace.tracks) {
    uint32_t number = trackOf(track.id);
    builder.renameTrack(number, track.name);
    // The order of the list is the order of display.
    builder.setSortIndex(number, int64_t(&track - trace.tracks.data()));
  }
  for (const model::Track &track : trace.tracks)
    if (auto parent = tracks.find(track.parent);
        track.parent != -1 && parent != tracks.end())
      builder.setParent(tracks[track.id], static_cast<int32_t>(parent->second));
  std::vector<std::string_view> keys;
  for (const model::TraceEvent &event : trace.events) {
    keys.assign(event.keys.begin(), event.keys.end());
    builder.addEvent(trackOf(event.track), event.begin, event.end,
                     builder.intern(event.name), builder.internKeys(keys),
                     event.grid, event.id);
  }
  for (const model::Flow &flow : trace.flows)
    builder.addFlowById(flow.from, flow.to);
  return builder.finish(std::move(stop));
}

} // namespace tilewright::profiler
