//===- Interleavings.cpp - every order the pipes may take -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/core/check/Interleavings.h"
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace tilewright::test {
namespace {

using check::KernelTrace;
using check::Touch;
using check::TraceEntry;

/// Memory cut at every border of an access; pieces are numbered.
class Pieces {
public:
  explicit Pieces(const KernelTrace &trace) : borders(size_t(trace.spaces)) {
    std::vector<std::set<int64_t>> sets(borders.size());
    for (const Touch &touch : trace.touches) {
      sets[size_t(touch.space)].insert(touch.begin);
      sets[size_t(touch.space)].insert(touch.end);
    }
    for (size_t space = 0; space < sets.size(); ++space) {
      borders[space].assign(sets[space].begin(), sets[space].end());
      first.push_back(count);
      count += int(borders[space].size());
    }
  }
  std::vector<int> of(const Touch &touch) const {
    const std::vector<int64_t> &list = borders[size_t(touch.space)];
    std::vector<int> out;
    for (size_t i = 0; i < list.size(); ++i)
      if (touch.begin <= list[i] && list[i] < touch.end)
        out.push_back(first[size_t(touch.space)] + int(i));
    return out;
  }
  int count = 0;

private:
  std::vector<std::vector<int64_t>> borders;
  std::vector<int> first;
};

struct Action {
  const TraceEntry *entry;
  int number;
  std::vector<std::pair<int, int>> reads; ///< piece, who must have written it
  std::vector<int> writes;
};

/// All numbers fit a byte: traces are small.
struct State {
  std::vector<uint8_t> at;      ///< by pipe: queue position
  std::vector<uint8_t> reading; ///< by pipe: the head has read
  std::vector<uint8_t> events;
  std::vector<uint8_t> writers; ///< by piece; 255: nobody

  std::string key() const {
    std::string out;
    for (auto *list : {&at, &reading, &events, &writers})
      out.append(list->begin(), list->end());
    return out;
  }
};

constexpr uint8_t nobody = 255;

class Enumerator {
public:
  Enumerator(const KernelTrace &trace, size_t maxStates)
      : trace(trace), maxStates(maxStates), pieces(trace) {}

  Enumeration run() {
    prepare();
    if (!result.wrong.empty())
      return result;
    State start;
    start.at.assign(queues.size(), 0);
    start.reading.assign(queues.size(), 0);
    start.events.assign(size_t(eventCount), 0);
    start.writers.assign(size_t(pieces.count), nobody);
    std::vector<State> open = {start};
    seen.insert(start.key());
    while (!open.empty() && result.wrong.empty()) {
      if (seen.size() > maxStates) {
        result.complete = false;
        break;
      }
      State state = std::move(open.back());
      open.pop_back();
      bool stuck = true, ended = true;
      for (size_t pipe = 0; pipe < queues.size(); ++pipe) {
        if (state.at[pipe] == queues[pipe].size())
          continue;
        ended = false;
        State next = state;
        if (!step(next, pipe))
          continue;
        stuck = false;
        if (!result.wrong.empty())
          break;
        if (seen.insert(next.key()).second)
          open.push_back(std::move(next));
      }
      if (result.wrong.empty() && ended)
        end(state);
      else if (stuck)
        result.wrong = "deadlock";
    }
    result.states = seen.size();
    return result;
  }

private:
  const KernelTrace &trace;
  size_t maxStates;
  Pieces pieces;
  std::vector<std::vector<Action>> queues;
  int eventCount = 0;
  std::vector<int> finals; ///< by piece: who must have written it; -1: any
  std::unordered_set<std::string> seen;
  Enumeration result;

  /// Works out who must have written what, by one run in program order with
  /// each buffer in a memory of its own.
  void prepare() {
    if (trace.error) {
      result.wrong = trace.error->message;
      return;
    }
    if (!trace.overwriting.empty()) {
      result.wrong = "an instruction reads what it has overwritten";
      return;
    }
    queues.resize(trace.pipes.size());
    finals.assign(size_t(pieces.count), -1);
    std::map<std::pair<int, int>, int> writers; // buffer, piece
    int global = trace.spaces - 1;
    for (size_t i = 0; i < trace.entries.size(); ++i) {
      const TraceEntry &entry = trace.entries[i];
      Action action{&entry, int(i), {}, {}};
      eventCount = std::max(eventCount, entry.event + 1);
      for (const Touch &touch : trace.touchesOf(entry)) {
        // Arguments may be the same buffer; its bytes say which it is.
        int buffer = touch.space == global ? -1 : touch.buffer;
        for (int piece : pieces.of(touch)) {
          if (!touch.write) {
            auto it = writers.find({buffer, piece});
            if (it == writers.end() && touch.space != global) {
              result.wrong =
                  "entry " + std::to_string(i) + " reads what nobody wrote";
              return;
            }
            action.reads.push_back(
                {piece, it == writers.end() ? int(nobody) : it->second});
          } else {
            action.writes.push_back(piece);
            writers[{buffer, piece}] = int(i);
            if (touch.space == global)
              finals[size_t(piece)] = int(i);
          }
        }
      }
      queues[size_t(entry.pipe)].push_back(std::move(action));
    }
    if (trace.entries.size() >= nobody) {
      result.complete = false;
      result.wrong.clear();
      queues.clear();
    }
  }

  /// One step of a pipe; false if it cannot go on.
  bool step(State &state, size_t pipe) {
    const Action &action = queues[pipe][state.at[pipe]];
    switch (action.entry->kind) {
    case TraceEntry::Instruction:
      if (!state.reading[pipe]) {
        for (auto [piece, writer] : action.reads)
          if (state.writers[size_t(piece)] != writer)
            result.wrong = "entry " + std::to_string(action.number) +
                           " reads what entry " +
                           std::to_string(state.writers[size_t(piece)]) +
                           " wrote instead of " + std::to_string(writer);
        state.reading[pipe] = 1;
        return true;
      }
      for (int piece : action.writes)
        state.writers[size_t(piece)] = uint8_t(action.number);
      state.reading[pipe] = 0;
      break;
    case TraceEntry::Set: {
      uint8_t &event = state.events[size_t(action.entry->event)];
      if (event)
        result.wrong = "an event is set twice";
      event = 1;
      break;
    }
    case TraceEntry::Wait: {
      uint8_t &event = state.events[size_t(action.entry->event)];
      if (!event)
        return false;
      event = 0;
      break;
    }
    case TraceEntry::Barrier:
      for (size_t other = 0; other < queues.size(); ++other)
        if (state.at[other] == queues[other].size() ||
            queues[other][state.at[other]].entry->barrier !=
                action.entry->barrier)
          return false;
      for (size_t other = 0; other < queues.size(); ++other)
        if (other != pipe)
          ++state.at[other];
      break;
    }
    ++state.at[pipe];
    return true;
  }

  void end(const State &state) {
    for (uint8_t event : state.events)
      if (event)
        result.wrong = "an event is left set";
    for (size_t piece = 0; piece < finals.size(); ++piece)
      if (finals[piece] >= 0 && state.writers[piece] != finals[piece])
        result.wrong =
            "a result is of entry " + std::to_string(state.writers[piece]);
  }
};

} // namespace

Enumeration enumerate(const KernelTrace &trace, size_t maxStates) {
  return Enumerator(trace, maxStates).run();
}

} // namespace tilewright::test
