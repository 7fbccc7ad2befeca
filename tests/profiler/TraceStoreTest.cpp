//===- TraceStoreTest.cpp ---------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/LaneAssigner.h"
#include "profiler/TraceBuilder.h"
#include "tests/profiler/RandomTrace.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

using namespace tilewright;
using namespace tilewright::profiler;

namespace {

model::Trace twoCores() {
  model::Trace trace;
  trace.target = "cpu";
  trace.tracks = {{0, -1, "core 0"}, {1, -1, "core 1"}};
  trace.events = {{1, 0, 100, 200, "load", {"f/a"}, {0, 1}},
                  {2, 0, 200, 500, "matmul", {"f/b", "f/a"}, {0, 2}},
                  {3, 1, 150, 260, "load", {}, {}},
                  {4, 1, 300, 300, "mark", {"f/c"}, {}}};
  trace.flows = {{1, 2}, {3, 2}, {3, 4}};
  return trace;
}

} // namespace

TEST_CASE("a trace keeps its events, sorted by track and time") {
  auto store = fromModel(twoCores());
  REQUIRE(store);
  REQUIRE(store->size() == 4);
  CHECK(store->timeBase == 100);
  CHECK(store->range().begin == 0);
  CHECK(store->range().end == 400);
  EventIndex matmul = store->findById(2);
  REQUIRE(matmul != noEvent);
  CHECK(store->begin[matmul] == 100);
  CHECK(store->end[matmul] == 400);
  CHECK(store->nameOf(matmul) == "matmul");
  CHECK(store->keysOf(matmul) == std::vector<std::string>{"f/b", "f/a"});
  auto grid = store->gridOf(matmul);
  CHECK(std::vector<int64_t>(grid.begin(), grid.end()) ==
        std::vector<int64_t>{0, 2});
  CHECK(store->gridOf(store->findById(3)).empty());
  CHECK(store->findById(77) == noEvent);
  CHECK(store->flowsInto(matmul).size() == 2);
  CHECK(store->flowsFrom(store->findById(3)).size() == 2);
  CHECK(store->flowsFrom(matmul).empty());
  CHECK(store->eventsWithKey("f/a").size() == 2);
  CHECK(store->eventsWithKey("f/nothing").empty());
  CHECK(store->eventAt(0, 50) == store->findById(1));
  CHECK(store->eventAt(0, 100) == matmul);
  CHECK(store->eventAt(0, 400) == matmul); // ends just there
  CHECK(store->eventAt(1, 180) == noEvent);
}

TEST_CASE("an empty trace is a trace") {
  auto store = fromModel({});
  REQUIRE(store);
  CHECK(store->size() == 0);
  CHECK(store->range().length() == 0);
  CHECK(store->findById(0) == noEvent);
}

TEST_CASE("overlapping and nested events get lanes of their own") {
  model::Trace trace;
  trace.tracks = {{0, -1, "core"}};
  trace.events = {{0, 0, 0, 100, "outer", {}, {}},
                  {1, 0, 10, 50, "inner", {}, {}},
                  {2, 0, 20, 30, "innermost", {}, {}},
                  {3, 0, 60, 90, "inner 2", {}, {}},
                  {4, 0, 100, 200, "next", {}, {}},
                  {5, 0, 150, 250, "overlapping", {}, {}},
                  {6, 0, 200, 300, "after next", {}, {}}};
  auto store = fromModel(trace);
  REQUIRE(store);
  REQUIRE(store->tracks[0].laneCount == 3);
  auto laneOf = [&](int64_t id) {
    EventIndex event = store->findById(id);
    for (uint32_t l = 0; l < store->lanes.size(); ++l)
      if (event >= store->lanes[l].firstEvent &&
          event < store->lanes[l].firstEvent + store->lanes[l].eventCount)
        return int(l);
    return -1;
  };
  CHECK(laneOf(0) == 0);
  CHECK(laneOf(1) == 1);
  CHECK(laneOf(2) == 2);
  CHECK(laneOf(3) == 1);
  CHECK(laneOf(4) == 0);
  CHECK(laneOf(5) == 1);
  CHECK(laneOf(6) == 0);
  CHECK(store->eventAt(0, 25) == store->findById(2));
  REQUIRE(store->notes.size() == 1);
  CHECK(store->notes[0].find("2 events overlap") == 0);
}

TEST_CASE("lanes of random events never overlap and nest properly") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    auto store = fromModel(samples::randomTrace(seed, 1 + int(seed % 60)));
    REQUIRE(store);
    uint64_t seen = 0;
    std::map<EventIndex, uint32_t> laneOf;
    for (uint32_t l = 0; l < store->lanes.size(); ++l) {
      const LaneRecord &lane = store->lanes[l];
      for (EventIndex i = lane.firstEvent;
           i < lane.firstEvent + lane.eventCount; ++i) {
        REQUIRE(store->track[i] == lane.track);
        if (i > lane.firstEvent)
          REQUIRE(store->end[i - 1] <= store->begin[i]);
        laneOf[i] = l;
        ++seen;
      }
    }
    REQUIRE(seen == store->size());
    for (EventIndex a = 0; a < store->size(); ++a)
      for (EventIndex b = 0; b < store->size(); ++b)
        if (store->track[a] == store->track[b] &&
            store->begin[a] <= store->begin[b] &&
            store->end[a] >= store->end[b] && store->end[a] > store->begin[b] &&
            store->end[a] - store->begin[a] > store->end[b] - store->begin[b])
          REQUIRE(laneOf[a] < laneOf[b]);
  }
}

TEST_CASE("range queries and buckets agree with looking at every event") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 generator(seed);
    auto store = fromModel(samples::randomTrace(seed, 400));
    REQUIRE(store);
    for (uint32_t l = 0; l < store->lanes.size(); ++l) {
      const LaneRecord &lane = store->lanes[l];
      int64_t from = int64_t(generator() % 260) - 20;
      int64_t to = from + 1 + int64_t(generator() % 200);
      auto [first, last] = store->eventsIn(l, {from, to});
      for (EventIndex i = lane.firstEvent;
           i < lane.firstEvent + lane.eventCount; ++i) {
        bool overlaps = store->begin[i] < to &&
                        (store->end[i] > from || store->begin[i] >= from);
        REQUIRE(overlaps == (i >= first && i < last));
      }
      uint32_t count = 1 + generator() % 50;
      auto buckets = store->buckets(l, {from, to}, count);
      REQUIRE(buckets.size() == count);
      for (uint32_t k = 0; k < count; ++k) {
        int64_t begin = from + (to - from) * k / count;
        int64_t end = std::max(from + (to - from) * (k + 1) / count, begin + 1);
        int64_t busy = 0, longest = -1;
        uint32_t touching = 0;
        EventIndex which = noEvent;
        for (EventIndex i = lane.firstEvent;
             i < lane.firstEvent + lane.eventCount; ++i) {
          if (store->begin[i] >= end ||
              (store->end[i] <= begin && store->begin[i] < begin))
            continue;
          ++touching;
          busy += std::max<int64_t>(0, std::min(store->end[i], end) -
                                           std::max(store->begin[i], begin));
          if (store->end[i] - store->begin[i] > longest) {
            longest = store->end[i] - store->begin[i];
            which = i;
          }
        }
        REQUIRE(buckets[k].count == touching);
        REQUIRE(buckets[k].longest == which);
        REQUIRE(buckets[k].busy == Approx(double(busy) / double(end - begin)));
      }
    }
  }
}

TEST_CASE("buckets of a lane with many events use the summaries") {
  TraceBuilder builder;
  builder.addTrack(0, -1, "core");
  uint32_t name = builder.intern("k");
  constexpr int count = 5000;
  for (int i = 0; i < count; ++i)
    builder.addEvent(0, i * 10, i * 10 + (i == 3333 ? 9 : 5), name);
  auto store = builder.finish();
  REQUIRE(store);
  auto all = store->buckets(0, store->range(), 1);
  CHECK(all[0].count == count);
  CHECK(all[0].longest == 3333);
  CHECK(all[0].busy ==
        Approx(double(5 * count + 4) / double(store->range().length())));
}

TEST_CASE("the plain form comes back unchanged") {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    model::Trace trace = samples::randomTrace(seed, 30);
    auto store = fromModel(trace);
    REQUIRE(store);
    model::Trace back = store->toModel();
    REQUIRE(back.events.size() == trace.events.size());
    std::sort(back.events.begin(), back.events.end(),
              [](auto &a, auto &b) { return a.id > b.id; });
    for (size_t i = 0; i < trace.events.size(); ++i) {
      model::TraceEvent event = trace.events[i];
      REQUIRE(back.events[i].id == event.id);
      REQUIRE(back.events[i].begin == event.begin - store->timeBase);
      REQUIRE(back.events[i].end == event.end - store->timeBase);
      REQUIRE(back.events[i].track == event.track);
      REQUIRE(back.events[i].name == event.name);
      REQUIRE(back.events[i].keys == event.keys);
      REQUIRE(back.events[i].grid == event.grid);
    }
    std::set<std::pair<int64_t, int64_t>> before, after;
    for (auto &flow : trace.flows)
      if (flow.from != flow.to)
        before.insert({flow.from, flow.to});
    for (auto &flow : back.flows)
      after.insert({flow.from, flow.to});
    REQUIRE(before == after);
  }
}

TEST_CASE("tracks are in order, parents before children, cycles cut") {
  model::Trace trace;
  trace.tracks = {{7, 3, "pipe"},
                  {3, -1, "core"},
                  {5, 6, "a"},
                  {6, 5, "b"},
                  {9, 42, "lost"}};
  auto store = fromModel(trace);
  REQUIRE(store);
  REQUIRE(store->tracks.size() == 5);
  for (size_t t = 0; t < store->tracks.size(); ++t)
    CHECK(store->tracks[t].parent < int32_t(t));
  CHECK(store->tracks[0].name == "core");
  CHECK(store->tracks[1].name == "pipe");
  CHECK(store->tracks[1].parent == 0);
}

TEST_CASE("absurd times do not overflow") {
  TraceBuilder builder;
  builder.addTrack(0, -1, "core");
  int64_t most = std::numeric_limits<int64_t>::max();
  int64_t least = std::numeric_limits<int64_t>::min();
  builder.addEvent(0, least, most, builder.intern("a"));
  builder.addEvent(0, most, least, builder.intern("b"));
  builder.addEvent(0, 0, 5, builder.intern("c"));
  auto store = builder.finish();
  REQUIRE(store);
  CHECK(store->range().length() > 0);
  CHECK(store->buckets(0, store->range(), 1000)[500].count == 1);
  CHECK(store->notes.size() == 1);
}

TEST_CASE("finishing can be cancelled") {
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(fromModel(twoCores(), stop.get_token()));
}
