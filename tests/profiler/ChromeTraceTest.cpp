//===- ChromeTraceTest.cpp --------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/ChromeTraceReader.h"
#include "profiler/ChromeTraceWriter.h"
#include "profiler/TraceBuilder.h"
#include "tests/profiler/RandomTrace.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

using namespace tilewright;
using namespace tilewright::profiler;

namespace {

TraceStore readGood(std::string_view text) {
  model::Diagnostic error;
  auto store = readChromeTraceText(text, error);
  INFO(error.code << " " << error.message << " in " << text.substr(0, 300));
  REQUIRE(store);
  return std::move(*store);
}

model::Diagnostic readBad(std::string_view text) {
  model::Diagnostic error;
  INFO(text.substr(0, 300));
  REQUIRE_FALSE(readChromeTraceText(text, error));
  CHECK_FALSE(error.message.empty());
  return error;
}

EventIndex byName(const TraceStore &store, std::string_view name) {
  for (EventIndex i = 0; i < store.size(); ++i)
    if (store.nameOf(i) == name)
      return i;
  return noEvent;
}

bool hasNote(const TraceStore &store, std::string_view text) {
  return std::any_of(store.notes.begin(), store.notes.end(), [&](auto &note) {
    return note.find(text) != std::string::npos;
  });
}

std::string temporary(const std::string &name) {
  auto folder = std::filesystem::temp_directory_path() /
                ("tilewright-trace-test-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  return (folder / name).string();
}

} // namespace

TEST_CASE("complete events, rows and names") {
  TraceStore store = readGood(R"([
    {"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"device"}},
    {"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"core 7"},"ts":-1},
    {"ph":"X","pid":1,"tid":7,"ts":1000.5,"dur":2.25,"name":"a \u00e9 \"b\"","cat":"c"},
    {"ph":"X","pid":1,"tid":"worker","ts":1001,"dur":0.001,"name":"b"}
  ])");
  REQUIRE(store.size() == 2);
  EventIndex a = byName(store, "a é \"b\"");
  REQUIRE(a != noEvent);
  CHECK(store.timeBase == 1000500);
  CHECK(store.begin[a] == 0);
  CHECK(store.end[a] == 2250);
  EventIndex b = byName(store, "b");
  CHECK(store.begin[b] == 500);
  CHECK(store.end[b] == 501);
  const TrackRecord &core = store.tracks[store.track[a]];
  CHECK(core.name == "core 7");
  REQUIRE(core.parent >= 0);
  CHECK(store.tracks[core.parent].name == "device");
  CHECK(store.tracks[store.track[b]].name == "worker");
}

TEST_CASE("times of today keep their nanoseconds") {
  TraceStore store = readGood(
      R"([{"ph":"X","tid":1,"ts":1732986000123456.789,"dur":0.001,"name":"a"},
          {"ph":"X","tid":1,"ts":1732986000123456.791,"dur":1e-3,"name":"b"},
          {"ph":"X","tid":1,"ts":"1732986000123457","dur":"1.5","name":"c"}])");
  CHECK(store.begin[byName(store, "b")] - store.begin[byName(store, "a")] == 2);
  CHECK(store.end[byName(store, "b")] - store.begin[byName(store, "b")] == 1);
  CHECK(store.end[byName(store, "c")] - store.begin[byName(store, "c")] ==
        1500);
}

TEST_CASE("begin and end, with all the ways to get them wrong") {
  TraceStore store = readGood(R"({"traceEvents":[
    {"ph":"E","pid":1,"tid":1,"ts":1},
    {"ph":"B","pid":1,"tid":1,"ts":10,"name":"outer"},
    {"ph":"B","pid":1,"tid":1,"ts":12,"name":"inner"},
    {"ph":"E","pid":1,"tid":1,"ts":15},
    {"ph":"E","pid":1,"tid":1,"ts":20,"name":"outer"},
    {"ph":"B","pid":1,"tid":1,"ts":30,"name":"parent"},
    {"ph":"B","pid":1,"tid":1,"ts":31,"name":"unclosed child"},
    {"ph":"E","pid":1,"tid":1,"ts":35,"name":"parent"},
    {"ph":"E","pid":1,"tid":2,"ts":9,"name":"late in the file"},
    {"ph":"B","pid":1,"tid":2,"ts":7,"name":"late in the file"},
    {"ph":"B","pid":1,"tid":3,"ts":40,"name":"never ends"},
    {"ph":"X","pid":1,"tid":1,"ts":50,"dur":5,"name":"last"},
    {"ph":"X","pid":1,"tid":1,"ts":60,"dur":-5,"name":"negative"}
  ]})");
  auto length = [&](std::string_view name) {
    EventIndex event = byName(store, name);
    REQUIRE(event != noEvent);
    return store.end[event] - store.begin[event];
  };
  CHECK(length("outer") == 10000);
  CHECK(length("inner") == 3000);
  CHECK(length("parent") == 5000);
  CHECK(length("unclosed child") == 4000);
  CHECK(length("late in the file") == 2000);
  CHECK(length("never ends") == 20000);
  CHECK(store.kind[byName(store, "never ends")] == EventKind::Unfinished);
  CHECK(length("negative") == 0);
  CHECK(hasNote(store, "1 ends without a begin"));
  CHECK(hasNote(store, "1 events without an end of their own"));
  CHECK(hasNote(store, "1 events begin but never end"));
  CHECK(hasNote(store, "1 events end before they begin"));
}

TEST_CASE("instants, counters, async events and the rest") {
  TraceStore store = readGood(R"([
    {"ph":"i","pid":1,"tid":1,"ts":5,"name":"mark","s":"t"},
    {"ph":"C","pid":1,"ts":1,"name":"memory","args":{"used":10,"free":2.5}},
    {"ph":"C","pid":1,"ts":3,"name":"memory","args":{"used":20}},
    {"ph":"C","pid":1,"ts":2,"name":"memory","args":{"used":15}},
    {"ph":"b","pid":1,"cat":"io","id":"0x1","ts":1,"name":"read"},
    {"ph":"b","pid":1,"cat":"io","id":2,"ts":2,"name":"write"},
    {"ph":"e","pid":1,"cat":"io","id":"0x1","ts":4,"name":"read"},
    {"ph":"e","pid":1,"cat":"io","id":2,"ts":6,"name":"write"},
    {"ph":"P","pid":1,"ts":6}, {"name":"no phase"}, 17, null, "text", [],
    {"ph":"X","name":"no time"}
  ])");
  CHECK(store.kind[byName(store, "mark")] == EventKind::Instant);
  REQUIRE(store.counters.size() == 2);
  CHECK(store.counters[0].name == "memory / used");
  CHECK(store.counters[0].values == std::vector<double>{10, 15, 20});
  CHECK(store.counters[0].times == std::vector<int64_t>{0, 1000, 2000});
  EventIndex read = byName(store, "read"), write = byName(store, "write");
  CHECK(store.end[read] - store.begin[read] == 3000);
  CHECK(store.end[write] - store.begin[write] == 4000);
  CHECK(store.track[read] == store.track[write]);
  CHECK(store.tracks[store.track[read]].laneCount == 2);
  CHECK(hasNote(store, "1 events of phase 'P'"));
  CHECK(hasNote(store, "1 events without a phase"));
  CHECK(hasNote(store, "1 events without a time"));
  CHECK(hasNote(store, "4 events that are no objects"));
}

TEST_CASE("flows bind to the events around them") {
  TraceStore store = readGood(R"([
    {"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"},
    {"ph":"X","pid":1,"tid":2,"ts":20,"dur":10,"name":"b"},
    {"ph":"X","pid":1,"tid":3,"ts":40,"dur":10,"name":"c"},
    {"ph":"X","pid":1,"tid":3,"ts":60,"dur":10,"name":"d"},
    {"ph":"s","pid":1,"tid":1,"ts":9,"id":1,"cat":"f","name":"x"},
    {"ph":"t","pid":1,"tid":2,"ts":25,"id":1,"cat":"f","name":"x"},
    {"ph":"f","pid":1,"tid":3,"ts":45,"id":1,"cat":"f","name":"x","bp":"e"},
    {"ph":"s","pid":1,"tid":1,"ts":9,"id":2,"cat":"f","name":"x"},
    {"ph":"f","pid":1,"tid":3,"ts":45,"id":2,"cat":"f","name":"x"},
    {"ph":"f","pid":1,"tid":3,"ts":45,"id":3,"cat":"f","name":"nothing"}
  ])");
  std::set<std::pair<std::string, std::string>> flows;
  for (const FlowRecord &flow : store.flows)
    flows.insert({std::string(store.nameOf(flow.from)),
                  std::string(store.nameOf(flow.to))});
  CHECK(flows == std::set<std::pair<std::string, std::string>>{
                     {"a", "b"}, {"b", "c"}, {"a", "d"}});
}

TEST_CASE("rows are in the order their metadata says") {
  TraceStore store = readGood(R"([
    {"ph":"X","pid":1,"tid":10,"ts":0,"dur":1,"name":"a"},
    {"ph":"X","pid":1,"tid":9,"ts":0,"dur":1,"name":"a"},
    {"ph":"X","pid":1,"tid":2,"ts":0,"dur":1,"name":"a"},
    {"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":5}},
    {"ph":"M","pid":1,"tid":10,"name":"thread_sort_index","args":{"sort_index":-1}}
  ])");
  REQUIRE(store.tracks.size() == 3);
  CHECK(store.tracks[0].name == "thread 10");
  CHECK(store.tracks[1].name == "thread 9");
  CHECK(store.tracks[2].name == "thread 2");
}

TEST_CASE("other parts of the file do not matter") {
  std::string deep = std::string(100000, '[') + std::string(100000, ']');
  TraceStore store =
      readGood("\xEF\xBB\xBF{\"stackFrames\":{\"a\":[1,{}]},\"deep\":" + deep +
               R"(,"x":"a\"]}","n":-1.5e3,"traceEvents":[
      {"ph":"X","tid":1,"ts":1,"dur":1,"name":"a","args":{"deep":{"x":[{}]}}}]
      ,"after":null} )");
  CHECK(store.size() == 1);
  CHECK(readGood("{\"traceEvents\":[]}").size() == 0);
  CHECK(readGood("[]").size() == 0);
  CHECK(hasNote(readGood("["), "lacks its closing"));
  CHECK(hasNote(readGood(R"([{"ph":"i","tid":1,"ts":1,"name":"a"},)"),
                "lacks its closing"));
}

TEST_CASE("what is no trace is refused, and why") {
  CHECK(readBad("").code == "TW0081");
  CHECK(readBad("  \n").code == "TW0081");
  CHECK(readBad("hello").code == "TW0081");
  CHECK(readBad(std::string("\0\0\0", 3)).code == "TW0081");
  model::Diagnostic error = readBad(R"({"nodes":[],"edges":[]})");
  CHECK(error.code == "TW0081");
  CHECK(error.message.find("nodes, edges") != std::string::npos);
  CHECK(readBad(R"({"traceEvents":{}})").code == "TW0081");
}

TEST_CASE("malformed JSON is refused with its place") {
  std::string good = R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"})";
  struct Case {
    std::string text;
    int64_t least, most; // where the fault may be said to be
  };
  for (const Case &c : std::vector<Case>{
           {"[" + good + "," + good.substr(0, 20), 54, 75},
           {"[" + good + " " + good + "]", 1, 110},
           {"{\"traceEvents\":[" + good, 68, 70},
           {"{\"traceEvents\":[" + good + "]", 69, 71},
           {"{\"traceEvents\" [" + good + "]}", 15, 15},
           {"{traceEvents:[]}", 1, 1},
           {"[" + good + "}]", 53, 53},
           {"[{\"ph\":\"X\" \"ts\":1}]", 10, 20},
           {"[{\"ph\":\"X\",\"ts\":1]]", 1, 20},
           {"[" + good + "] tail", 55, 55},
           {"{\"traceEvents\":[" + good + "]} tail", 71, 71},
           {"[\"\xff\xfe\"]", 0, 5},
           {"[{\"ph\":\"X", 1, 10},
       }) {
    INFO(c.text);
    model::Diagnostic error = readBad(c.text);
    CHECK(error.code == "TW0082");
    INFO(error.message);
    CHECK(error.range.begin >= c.least);
    CHECK(error.range.begin <= c.most);
    CHECK(error.message.find("byte") != std::string::npos);
  }
}

TEST_CASE("a broken file can be kept up to the fault") {
  std::string good = R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"})";
  ReadOptions options;
  options.keepBroken = true;
  model::Diagnostic error;
  auto store = readChromeTraceText("{\"traceEvents\":[" + good + "," + good +
                                       "," + good.substr(0, 30),
                                   error, options);
  REQUIRE(store);
  CHECK(store->size() == 2);
  CHECK(hasNote(*store, "events before it were kept"));
}

TEST_CASE("too many events are refused") {
  ReadOptions options;
  options.maxEvents = 2;
  model::Diagnostic error;
  std::string event = R"({"ph":"i","tid":1,"ts":1,"name":"a"})";
  CHECK(readChromeTraceText("[" + event + "," + event + "]", error, options));
  CHECK_FALSE(readChromeTraceText("[" + event + "," + event + "," + event + "]",
                                  error, options));
  CHECK(error.code == "TW0084");
}

TEST_CASE("files: missing, folders, gzip, damaged gzip, cancelled") {
  model::Diagnostic error;
  CHECK_FALSE(readChromeTrace("/nonexistent/trace.json", error));
  CHECK(error.code == "TW0080");
  CHECK(error.message.find("/nonexistent/trace.json") != std::string::npos);
  CHECK_FALSE(readChromeTrace("/", error));
  CHECK(error.code == "TW0080");

  auto store = fromModel(samples::randomTrace(5, 500));
  std::string path = temporary("trace.json.gz");
  REQUIRE(writeChromeTrace(*store, path, error));
  CHECK_FALSE(std::filesystem::exists(path + ".partial"));
  double last = -1;
  bool ascends = true;
  auto back = readChromeTrace(path, error, {}, {}, [&](double share) {
    ascends &= share >= last && share <= 1;
    last = share;
  });
  REQUIRE(back);
  CHECK(back->size() == 500);
  CHECK(ascends);
  CHECK(last == 1);

  std::ifstream file(path, std::ios::binary);
  std::string packed((std::istreambuf_iterator<char>(file)), {});
  CHECK(packed.substr(0, 2) == "\x1f\x8b");
  CHECK(readBad(packed.substr(0, packed.size() / 2)).code == "TW0083");
  std::string damaged = packed;
  for (size_t i = packed.size() / 3; i < packed.size() / 3 + 20; ++i)
    damaged[i] = char(~damaged[i]);
  model::Diagnostic fault = readBad(damaged);
  CHECK((fault.code == "TW0083" || fault.code == "TW0082"));
  CHECK(readGood(packed + packed.substr(0, 0)).size() == 500);

  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(readChromeTrace(path, error, {}, stop.get_token()));
  CHECK(error.code == "TW0085");
  CHECK_FALSE(writeChromeTrace(*store, "/nonexistent/x.json", error));
  CHECK(error.code == "TW0086");
  CHECK_FALSE(writeChromeTrace(*store, "/dev/full/x.json", error));
  CHECK(error.code == "TW0086");
  std::filesystem::remove_all(std::filesystem::path(path).parent_path());
}

TEST_CASE("what is written is read back the same") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    model::Trace trace = samples::randomTrace(seed, 50);
    trace.origin =
        seed % 2 ? model::Origin::Simulated : model::Origin::Measured;
    if (seed % 3 == 0 && trace.tracks.size() > 1)
      trace.tracks[1].parent = trace.tracks[0].id;
    auto store = fromModel(trace);
    WriteOptions options;
    options.maxFlowEvents = seed % 4 ? 200000 : 0;
    TraceStore back = readGood(toChromeTrace(*store, options));
    model::Trace a = store->toModel(), b = back.toModel();
    REQUIRE(nlohmann::json(a) == nlohmann::json(b));
    REQUIRE(back.timeBase == store->timeBase);
  }
}

TEST_CASE("flows are readable for others without our arguments") {
  model::Trace trace;
  trace.tracks = {{0, -1, "core 0"}, {1, -1, "core 1"}};
  trace.events = {{1, 0, 0, 100, "a", {}, {}},
                  {2, 1, 60, 150, "b", {}, {}},
                  {3, 1, 200, 250, "c", {}, {}}};
  trace.flows = {{1, 2}, {2, 3}};
  std::string text = toChromeTrace(*fromModel(trace));
  for (size_t at; (at = text.find(",\"after\":")) != std::string::npos;)
    text.erase(at, text.find(']', at) + 1 - at);
  TraceStore back = readGood(text);
  REQUIRE(back.flows.size() == 2);
  CHECK(back.nameOf(back.flows[0].from) == "a");
  CHECK(back.nameOf(back.flows[0].to) == "b");
  CHECK(back.nameOf(back.flows[1].to) == "c");
}

TEST_CASE("every prefix and many mutations are survived") {
  model::Trace trace = samples::randomTrace(3, 12);
  std::string text = toChromeTrace(*fromModel(trace));
  text += "\n";
  model::Diagnostic error;
  for (size_t length = 0; length < text.size(); ++length) {
    ReadOptions options;
    options.keepBroken = length % 2;
    auto store = readChromeTraceText(std::string_view(text).substr(0, length),
                                     error, options);
    if (!options.keepBroken && length + 2 < text.size()) {
      REQUIRE_FALSE(store);
      REQUIRE((error.code == "TW0081" || error.code == "TW0082"));
    }
  }
  std::mt19937 generator(1);
  static constexpr std::string_view pieces[] = {"\"",
                                                "{",
                                                "}",
                                                "[",
                                                "]",
                                                ",",
                                                ":",
                                                "\\",
                                                "\xff",
                                                "null",
                                                "-",
                                                "1e999",
                                                "\"ph\":\"B\"",
                                                "\"ph\":\"E\"",
                                                "\"ts\":-1e18",
                                                "\"id\":9223372036854775807",
                                                "\"grid\":[[1],{}]",
                                                "\"track\":-5"};
  for (int round = 0; round < 3000; ++round) {
    std::string changed = text;
    for (int k = 1 + int(generator() % 4); k > 0; --k) {
      size_t at = generator() % changed.size();
      switch (generator() % 3) {
      case 0:
        changed.erase(at, 1 + generator() % 20);
        break;
      case 1:
        changed.insert(at, pieces[generator() % std::size(pieces)]);
        break;
      default:
        changed[at] = char(generator());
      }
      if (changed.empty())
        changed = " ";
    }
    ReadOptions options;
    options.keepBroken = round % 2;
    auto store = readChromeTraceText(changed, error, options);
    if (store)
      for (uint32_t l = 0; l < store->lanes.size(); ++l)
        (void)store->buckets(l, store->range(), 7);
  }
}
