//===- ChromeEventCollector.h - Chrome's events as tracks -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "profiler/ChromeEvent.h"
#include "profiler/TraceBuilder.h"
#include <map>
#include <string>
#include <unordered_map>

namespace tilewright::profiler {

/// Takes a Chrome trace's events one by one and makes tracks, slices, counters
/// and dependencies of them in a TraceBuilder.
class ChromeEventCollector {
public:
  explicit ChromeEventCollector(TraceBuilder &builder) : builder(builder) {}

  /// Says that our writer wrote the trace: arguments name tracks, events and
  /// dependencies as they are.
  void setOwn() { own = true; }
  /// Counts an event that is not taken, as "events " + `what`.
  void ignore(const std::string &what) { ++ignored[what]; }
  /// Texts of `event` are looked at during the call only.
  void take(const ChromeEvent &event);
  /// After the last event: names and orders tracks, matches begins and ends,
  /// and flows, and notes what was left out.
  void finish();

private:
  struct Process {
    std::string key, name;
    int64_t sortIndex = 0;
    bool named = false;
  };

  struct Thread {
    uint32_t process = 0, track = 0;
    std::string key, name;
    int64_t sortIndex = 0;
    bool named = false, async = false;
    std::optional<int64_t> ownId, ownParent;
  };

  struct Mark {
    uint32_t stack; ///< a track, or behind all tracks an async chain
    uint32_t event; ///< that begins, or noEvent: an end
    int64_t time;
    uint32_t name; ///< of an end
  };

  struct FlowPoint {
    uint32_t flow = 0;
    int64_t time = 0;
    uint32_t track = 0;
    uint32_t event = noEvent; ///< known, or by track and time
    char phase = 's';
    bool next = false; ///< binds to what begins next
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Numbers =
      std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>>;

  uint32_t nameNumber();
  uint32_t addSlice(uint32_t track, int64_t begin, int64_t end, EventKind kind);
  void takeComplete(int64_t time);
  uint32_t processOf();
  uint32_t threadRecord(bool async, std::string_view key);
  uint32_t threadOf();
  void takeMetadata();
  void takeCounter();
  /// Names, order and parents, now that all metadata has been seen. A process
  /// becomes a row above its threads if it has a name or is not the only one.
  void finishTracks();
  void takeAsync(int64_t time);
  /// Ends close the innermost open event of their name, or the innermost if
  /// they have none. The order of the file counts only at equal times.
  void match(std::vector<Mark> &list);
  uint32_t flowNumber(const ChromeScalar &id, std::string_view category,
                      std::string_view name);
  void takeFlow(int64_t time);
  void matchFlows();
  void report();

  TraceBuilder &builder;
  const ChromeEvent *raw = nullptr; ///< being taken
  bool own = false;
  std::string scratch;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  Numbers processNumber, threadNumber, counterNumber, chainNumber, flowNumbers;
  std::vector<uint32_t> counterProcess;
  uint32_t lastProcess = 0, lastThread = 0;
  int64_t trackOrder = 0;
  std::vector<Mark> marks, asyncMarks;
  std::vector<FlowPoint> flowPoints;
  std::vector<std::pair<int64_t, uint32_t>> after; ///< id, event
  std::map<std::string, int64_t> ignored;
  int64_t strayEnds = 0, impliedEnds = 0;
};

} // namespace tilewright::profiler
