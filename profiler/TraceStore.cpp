//===- TraceStore.cpp - large traces in columns ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/TraceStore.h"
#include <algorithm>

namespace tilewright::profiler {

namespace {

/// First index in [first, last) for which `reached` holds, given that it holds
/// for all behind. Looks near `first` first, so that a walk along a lane costs
/// little a step.
template <typename Reached>
EventIndex gallop(EventIndex first, EventIndex last, Reached reached) {
  EventIndex low = first, step = 1;
  EventIndex high = first;
  while (high < last && !reached(high)) {
    low = high + 1;
    high = last - high > step ? high + step : last;
    step *= 2;
  }
  while (low < high) {
    EventIndex middle = low + (high - low) / 2;
    if (reached(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

} // namespace

std::span<const int64_t> TraceStore::gridOf(EventIndex event) const {
  if (gridStart.empty() || gridStart[event] == 0)
    return {};
  const int64_t *at = gridPool.data() + gridStart[event];
  return {at + 1, static_cast<size_t>(*at)};
}

std::vector<std::string> TraceStore::keysOf(EventIndex event) const {
  std::vector<std::string> keys;
  for (uint32_t key : keySets[keySet[event]])
    keys.emplace_back(strings[key]);
  return keys;
}

EventIndex TraceStore::findById(int64_t wanted) const {
  if (byId.empty()) {
    auto found = std::lower_bound(id.begin(), id.end(), wanted);
    return found != id.end() && *found == wanted
               ? static_cast<EventIndex>(found - id.begin())
               : noEvent;
  }
  auto found = std::lower_bound(
      byId.begin(), byId.end(), wanted,
      [&](EventIndex event, int64_t value) { return id[event] < value; });
  return found != byId.end() && id[*found] == wanted ? *found : noEvent;
}

std::pair<EventIndex, EventIndex> TraceStore::eventsIn(uint32_t laneIndex,
                                                       TimeRange range) const {
  const LaneRecord &lane = lanes[laneIndex];
  EventIndex last = lane.firstEvent + lane.eventCount;
  EventIndex from = gallop(lane.firstEvent, last, [&](EventIndex i) {
    return end[i] > range.begin || begin[i] >= range.begin;
  });
  EventIndex to =
      gallop(from, last, [&](EventIndex i) { return begin[i] >= range.end; });
  return {from, to};
}

EventIndex TraceStore::eventAt(uint32_t trackIndex, int64_t time) const {
  const TrackRecord &where = tracks[trackIndex];
  EventIndex ended = noEvent; // one that ends just there, if nothing is on
  for (uint32_t l = where.firstLane + where.laneCount; l-- > where.firstLane;) {
    const LaneRecord &lane = lanes[l];
    EventIndex last = lane.firstEvent + lane.eventCount;
    EventIndex next = gallop(lane.firstEvent, last,
                             [&](EventIndex i) { return begin[i] > time; });
    if (next == lane.firstEvent)
      continue;
    EventIndex at = next - 1;
    if (end[at] > time || begin[at] == time)
      return at;
    if (end[at] == time && ended == noEvent)
      ended = at;
  }
  return ended;
}

int64_t TraceStore::busyBefore(uint32_t laneIndex, EventIndex event) const {
  const LaneRecord &lane = lanes[laneIndex];
  uint32_t offset = event - lane.firstEvent;
  int64_t busy = 0;
  const auto &levels = summaries[laneIndex];
  uint32_t from = 0;
  if (!levels.empty() && offset / 16 > 0) {
    // The summary of a chunk says what came before it.
    uint32_t chunk = std::min<uint32_t>(
        offset / 16, static_cast<uint32_t>(levels[0].size()) - 1);
    busy = levels[0][chunk].busyBefore;
    from = chunk * 16;
  }
  for (uint32_t i = from; i < offset; ++i)
    busy += end[lane.firstEvent + i] - begin[lane.firstEvent + i];
  return busy;
}

EventIndex TraceStore::longestIn(uint32_t laneIndex, EventIndex first,
                                 EventIndex last) const {
  if (first >= last)
    return noEvent;
  const LaneRecord &lane = lanes[laneIndex];
  const auto &levels = summaries[laneIndex];
  EventIndex longest = first;
  auto offer = [&](EventIndex event) {
    int64_t a = end[event] - begin[event], b = end[longest] - begin[longest];
    if (a > b || (a == b && event < longest))
      longest = event;
  };
  uint64_t low = first - lane.firstEvent, high = last - lane.firstEvent;
  // Up the levels: what sticks out of whole chunks is looked at singly.
  int level = -1; // -1: events
  auto item = [&](uint64_t i) {
    return level < 0 ? static_cast<EventIndex>(lane.firstEvent + i)
                     : levels[level][i].longest;
  };
  while (low < high) {
    bool higher = level + 1 < static_cast<int>(levels.size());
    while (low < high && (low % 16 != 0 || !higher))
      offer(item(low++));
    while (low < high && high % 16 != 0)
      offer(item(--high));
    low /= 16;
    high /= 16;
    ++level;
  }
  return longest;
}

std::vector<Bucket> TraceStore::buckets(uint32_t laneIndex, TimeRange range,
                                        uint32_t count) const {
  std::vector<Bucket> result(count);
  if (count == 0 || range.end <= range.begin)
    return result;
  const LaneRecord &lane = lanes[laneIndex];
  const EventIndex laneEnd = lane.firstEvent + lane.eventCount;
  const uint64_t length = uint64_t(range.end) - uint64_t(range.begin);
  auto edge = [&](uint64_t k) {
    uint64_t whole = length / count * k, rest = length % count * k / count;
    return static_cast<int64_t>(uint64_t(range.begin) + whole + rest);
  };
  EventIndex first = lane.firstEvent;
  for (uint32_t k = 0; k < count; ++k) {
    int64_t from = edge(k), to = std::max(edge(k + 1), from + 1);
    first = gallop(first, laneEnd, [&](EventIndex i) {
      return end[i] > from || begin[i] >= from;
    });
    // A few events are added up one by one; of many the summaries tell.
    constexpr EventIndex few = 32;
    int64_t busy = 0, most = -1;
    EventIndex last = first, longest = noEvent;
    for (EventIndex stop = std::min(laneEnd - first, few) + first;
         last < stop && begin[last] < to; ++last) {
      int64_t duration = end[last] - begin[last];
      busy += duration;
      if (duration > most)
        most = duration, longest = last;
    }
    if (last - first == few) {
      last =
          gallop(last, laneEnd, [&](EventIndex i) { return begin[i] >= to; });
      busy = busyBefore(laneIndex, last) - busyBefore(laneIndex, first);
      longest = longestIn(laneIndex, first, last);
    }
    if (first == last)
      continue;
    busy -= std::max<int64_t>(0, from - begin[first]);
    busy -= std::max<int64_t>(0, end[last - 1] - to);
    Bucket &bucket = result[k];
    bucket.busy = static_cast<float>(double(busy) / double(to - from));
    bucket.count = last - first;
    bucket.longest = longest;
  }
  return result;
}

std::span<const FlowRecord> TraceStore::flowsInto(EventIndex event) const {
  auto range = std::equal_range(
      flows.begin(), flows.end(), FlowRecord{0, event},
      [](const FlowRecord &a, const FlowRecord &b) { return a.to < b.to; });
  return {range.first, range.second};
}

std::span<const uint32_t> TraceStore::flowsFrom(EventIndex event) const {
  auto first = std::lower_bound(
      flowOrder.begin(), flowOrder.end(), event,
      [&](uint32_t flow, EventIndex from) { return flows[flow].from < from; });
  auto last = std::upper_bound(
      first, flowOrder.end(), event,
      [&](EventIndex from, uint32_t flow) { return from < flows[flow].from; });
  return {first, last};
}

std::vector<EventIndex> TraceStore::eventsWithKey(std::string_view key) const {
  std::vector<EventIndex> found;
  int64_t number = strings.find(key);
  if (number < 0)
    return found;
  std::vector<uint8_t> matches(keySets.size(), 0);
  bool any = false;
  for (size_t set = 0; set < keySets.size(); ++set)
    for (uint32_t member : keySets[set])
      if (member == number)
        any = matches[set] = 1;
  if (any)
    for (EventIndex i = 0; i < keySet.size(); ++i)
      if (matches[keySet[i]])
        found.push_back(i);
  return found;
}

model::Trace TraceStore::toModel() const {
  model::Trace trace;
  trace.origin = origin;
  trace.target = target;
  for (const TrackRecord &record : tracks)
    trace.tracks.push_back({record.id,
                            record.parent < 0 ? -1 : tracks[record.parent].id,
                            record.name});
  trace.events.reserve(size());
  for (EventIndex i = 0; i < size(); ++i) {
    model::TraceEvent event;
    event.id = id[i];
    event.track = tracks[track[i]].id;
    event.begin = begin[i];
    event.end = end[i];
    event.name = nameOf(i);
    event.keys = keysOf(i);
    auto grid = gridOf(i);
    event.grid.assign(grid.begin(), grid.end());
    trace.events.push_back(std::move(event));
  }
  for (const FlowRecord &flow : flows)
    trace.flows.push_back({id[flow.from], id[flow.to]});
  return trace;
}

} // namespace tilewright::profiler
