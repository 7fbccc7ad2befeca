//===- AnalysisTest.cpp -----------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/CriticalPath.h"
#include "profiler/Statistics.h"
#include "profiler/TraceBuilder.h"
#include "profiler/Utilisation.h"
#include "tests/profiler/RandomTrace.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

using namespace tilewright;
using namespace tilewright::profiler;

namespace {

/// Two cores:
///   core 0:  load a 0-100   load b 100-180            matmul 260-700
///   core 1:  load c 20-240             store 710-800
/// matmul waits for b (180) and c (240), store for matmul.
model::Trace pipeline() {
  model::Trace trace;
  trace.origin = model::Origin::Simulated;
  trace.tracks = {{0, -1, "core 0"}, {1, -1, "core 1"}};
  trace.events = {{1, 0, 0, 100, "load", {"f/a"}, {}},
                  {2, 0, 100, 180, "load", {"f/b"}, {}},
                  {3, 1, 20, 240, "load", {"f/c"}, {}},
                  {4, 0, 260, 700, "matmul", {"f/mm"}, {}},
                  {5, 1, 710, 800, "store", {"f/st"}, {}}};
  trace.flows = {{2, 4}, {3, 4}, {4, 5}};
  return trace;
}

} // namespace

TEST_CASE("utilisation of a pipeline by hand") {
  auto store = fromModel(pipeline());
  auto result = utilisation(*store);
  REQUIRE(result);
  CHECK(result->origin == model::Origin::Simulated);
  REQUIRE(result->tracks.size() == 2);
  CHECK(result->tracks[0].busy == 620);
  CHECK(result->tracks[0].total == 800);
  CHECK(result->tracks[0].share == Approx(0.775));
  CHECK(result->tracks[0].events == 3);
  CHECK(result->tracks[0].gaps == 2); // 180-260, 700-800
  REQUIRE(result->tracks[0].longest.size() == 2);
  CHECK(result->tracks[0].longest[0].begin == 700);
  CHECK(result->tracks[0].longest[1].begin == 180);
  CHECK(result->tracks[1].busy == 310);
  CHECK(result->tracks[1].gaps == 2); // 0-20, 240-710
  CHECK(result->busy == 930);
  CHECK(result->share == Approx(930.0 / 1600));

  auto part = utilisation(*store, TimeRange{100, 300});
  CHECK(part->tracks[0].busy == 120);
  CHECK(part->tracks[0].total == 200);
  CHECK(part->tracks[1].busy == 140);
  CHECK(part->tracks[1].events == 1);
}

TEST_CASE("a core that got no task was idle all the time") {
  model::Trace trace;
  trace.tracks = {{0, -1, "cores"},  {1, 0, "core 0"}, {2, 0, "core 1"},
                  {3, -1, "host"},   {4, -1, "marks"}, {5, 0, "core 2"},
                  {6, -1, "queues"}, {7, 6, "queue 0"}};
  trace.events = {{1, 1, 0, 600, "a", {}, {}},
                  {2, 5, 200, 400, "b", {}, {}},
                  {3, 5, 400, 1000, "c", {}, {}}};
  auto store = fromModel(trace);
  auto result = utilisation(*store);
  REQUIRE(result);
  // The idle core counts; the groups, and what is beside nothing that works,
  // do not.
  REQUIRE(result->tracks.size() == 3);
  CHECK(result->tracks[1].name == "core 1");
  CHECK(result->tracks[1].busy == 0);
  CHECK(result->tracks[1].total == 1000);
  CHECK(result->tracks[1].share == 0);
  CHECK(result->tracks[1].events == 0);
  CHECK(result->tracks[1].gaps == 1);
  REQUIRE(result->tracks[1].longest.size() == 1);
  CHECK(result->tracks[1].longest[0].end == 1000);
  CHECK(result->total == 3000);
  CHECK(result->busy == 1400);
  CHECK(result->share == Approx(1400.0 / 3000));
}

TEST_CASE("critical path of a pipeline by hand") {
  auto store = fromModel(pipeline());
  auto path = criticalPath(*store);
  REQUIRE(path);
  CHECK(path->makespan == 800);
  // store <- matmul (710-700 waited) <- load c (240, 20 waited) <- start (20)
  REQUIRE(path->steps.size() == 3);
  CHECK(path->steps[0].id == 3);
  CHECK(path->steps[0].reason == PathReason::Start);
  CHECK(path->steps[0].wait == 20);
  CHECK(path->steps[1].id == 4);
  CHECK(path->steps[1].reason == PathReason::Dependency);
  CHECK(path->steps[1].wait == 20);
  CHECK(path->steps[2].id == 5);
  CHECK(path->steps[2].wait == 10);
  CHECK(path->run == 220 + 440 + 90);
  CHECK(path->wait == 50);
  REQUIRE(path->blame.size() == 3);
  CHECK(path->blame[0].name == "matmul");
  CHECK(path->blame[0].run == 440);
  CHECK(path->blame[0].wait == 20);
  CHECK(path->blame[0].share == Approx(460.0 / 800));
  CHECK(path->blame[1].name == "load");
  CHECK(path->blame[1].run == 220);
}

TEST_CASE("a core that was busy is a reason, too") {
  model::Trace trace;
  trace.tracks = {{0, -1, "core 0"}};
  trace.events = {{1, 0, 0, 40, "a", {}, {}}, {2, 0, 45, 60, "b", {}, {}}};
  auto path = criticalPath(*fromModel(trace));
  REQUIRE(path->steps.size() == 2);
  CHECK(path->steps[1].reason == PathReason::Track);
  CHECK(path->steps[1].wait == 5);
}

TEST_CASE(
    "a producer that ends after its consumer began is charged until then") {
  model::Trace trace;
  trace.tracks = {{0, -1, "core 0"}, {1, -1, "core 1"}};
  trace.events = {{1, 0, 0, 100, "producer", {}, {}},
                  {2, 1, 60, 150, "consumer", {}, {}}};
  trace.flows = {{1, 2}, {2, 1}}; // the second points back and is ignored
  auto path = criticalPath(*fromModel(trace));
  REQUIRE(path->steps.size() == 2);
  CHECK(path->steps[0].begin == 0);
  CHECK(path->steps[0].end == 60);
  CHECK(path->steps[1].begin == 60);
  CHECK(path->steps[1].end == 150);
  CHECK(path->wait == 0);
}

TEST_CASE("critical paths of random traces: against brute force") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    auto store = fromModel(samples::randomTrace(seed, 1 + int(seed % 50)));
    auto path = criticalPath(*store);
    REQUIRE(path);
    int64_t last = 0;
    for (EventIndex i = 0; i < store->size(); ++i)
      last = std::max(last, store->end[i]);
    REQUIRE(path->makespan == last);
    REQUIRE(path->run + path->wait == path->makespan);
    int64_t blamed = 0;
    for (const PathBlame &blame : path->blame)
      blamed += blame.run + blame.wait;
    REQUIRE(blamed == path->makespan);
    REQUIRE(store->end[path->steps.back().event] == last);
    int64_t at = 0;
    for (size_t s = 0; s < path->steps.size(); ++s) {
      const PathStep &step = path->steps[s];
      REQUIRE(step.begin - step.wait == at);
      REQUIRE(step.wait >= 0);
      REQUIRE(step.end >= step.begin);
      at = step.end;
      // The latest end among all that may come before the event.
      int64_t latest = -1;
      EventIndex e = step.event;
      for (EventIndex i = 0; i < store->size(); ++i) {
        if (std::pair(store->begin[i], i) >= std::pair(store->begin[e], e))
          continue;
        bool flow = false;
        for (const FlowRecord &record : store->flows)
          flow |= record.from == i && record.to == e;
        bool track = store->track[i] == store->track[e] &&
                     store->end[i] <= store->begin[e];
        if (flow || track)
          latest = std::max(latest, store->end[i]);
      }
      if (s == 0)
        REQUIRE(latest == -1);
      else
        REQUIRE(store->end[path->steps[s - 1].event] == latest);
    }
    REQUIRE(at == last);
  }
}

TEST_CASE("utilisation of random traces: against a clock that ticks") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    auto store = fromModel(samples::randomTrace(seed, 40));
    TimeRange range{int64_t(seed % 7), store->range().end - int64_t(seed % 11)};
    auto result = utilisation(*store, range);
    REQUIRE(result);
    for (const TrackUtilisation &track : result->tracks) {
      int64_t busy = 0, gaps = 0;
      bool wasIdle = false;
      for (int64_t t = range.begin; t < range.end; ++t) {
        bool on = false;
        for (EventIndex i = 0; i < store->size(); ++i)
          on |= store->track[i] == track.track && store->begin[i] <= t &&
                store->end[i] > t;
        busy += on;
        gaps += !on && !wasIdle;
        wasIdle = !on;
      }
      REQUIRE(track.busy == busy);
      REQUIRE(track.gaps == gaps);
      for (size_t g = 1; g < track.longest.size(); ++g)
        REQUIRE(track.longest[g - 1].end - track.longest[g - 1].begin >=
                track.longest[g].end - track.longest[g].begin);
    }
  }
}

TEST_CASE("statistics by hand") {
  model::Trace trace;
  trace.tracks = {{0, -1, "core 0"}, {1, -1, "core 1"}};
  for (int i = 1; i <= 20; ++i) // 1 … 20 ns, alternating cores
    trace.events.push_back({i,
                            i % 2,
                            i * 100,
                            i * 100 + i,
                            "k",
                            {i % 2 ? "f/odd" : "f/even"},
                            {}});
  trace.events.push_back({100, 0, 5000, 6000, "outer", {}, {}});
  trace.events.push_back({101, 0, 5100, 5300, "inner", {}, {}});
  auto result = kernelStatistics(*fromModel(trace));
  REQUIRE(result);
  REQUIRE(result->size() == 3);
  const KernelStatistics &outer = (*result)[0], &k = (*result)[1],
                         &inner = (*result)[2];
  CHECK(outer.name == "outer");
  CHECK(outer.total == 1000);
  CHECK(outer.self == 800);
  CHECK(k.name == "k");
  CHECK(k.count == 20);
  CHECK(k.min == 1);
  CHECK(k.max == 20);
  CHECK(k.total == 210);
  CHECK(k.mean == Approx(10.5));
  CHECK(k.p50 == 10);
  CHECK(k.p95 == 19);
  CHECK(k.tracks == 2);
  CHECK(k.keys == std::vector<std::string>{"f/even", "f/odd"});
  CHECK(inner.self == 200);

  auto part = kernelStatistics(*fromModel(trace), TimeRange{0, 1000});
  REQUIRE(part->size() == 1);
  CHECK((*part)[0].count == 10); // times start at 100, so 1 … 10
}

TEST_CASE("statistics of random traces: against sorting") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    auto store = fromModel(samples::randomTrace(seed, 80));
    auto result = kernelStatistics(*store);
    REQUIRE(result);
    std::map<std::string, std::vector<int64_t>> all;
    for (EventIndex i = 0; i < store->size(); ++i)
      all[std::string(store->nameOf(i))].push_back(store->end[i] -
                                                   store->begin[i]);
    REQUIRE(result->size() == all.size());
    for (const KernelStatistics &kernel : *result) {
      std::vector<int64_t> &times = all[kernel.name];
      std::sort(times.begin(), times.end());
      int64_t n = int64_t(times.size());
      REQUIRE(kernel.count == n);
      REQUIRE(kernel.p50 == times[size_t((n + 1) / 2 - 1)]);
      REQUIRE(kernel.p95 == times[size_t((n * 95 + 99) / 100 - 1)]);
      REQUIRE(kernel.min == times.front());
      REQUIRE(kernel.max == times.back());
      REQUIRE(kernel.self <= kernel.total);
    }
  }
}

TEST_CASE("analyses of nothing") {
  auto store = fromModel({});
  CHECK(utilisation(*store)->tracks.empty());
  CHECK(criticalPath(*store)->steps.empty());
  CHECK(kernelStatistics(*store)->empty());
}

TEST_CASE("analyses can be cancelled") {
  auto store = fromModel(pipeline());
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(utilisation(*store, {}, stop.get_token()));
  CHECK_FALSE(criticalPath(*store, stop.get_token()));
  CHECK_FALSE(kernelStatistics(*store, {}, stop.get_token()));
}
