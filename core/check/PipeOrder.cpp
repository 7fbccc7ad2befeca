//===- PipeOrder.cpp - what happens before what ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the queues once, in any order that is allowed. As long as no event can
// be set while it is set, which set a wait meets does not depend on that order,
// so one run tells for all; where one can, that is reported.
//
//===----------------------------------------------------------------------===//
#include "core/check/PipeOrder.h"
#include <algorithm>
#include <deque>

namespace tilewright::check {
namespace {

struct EventState {
  std::deque<int> sets; ///< not yet waited for
  int lastSet = -1;     ///< entry
  int lastWait = -1;    ///< entry
  int waitingPipe = -1; ///< stopped at a wait for it
};

} // namespace

PipeOrder::PipeOrder(const KernelTrace &trace,
                     const std::function<bool(const TraceEntry &)> &without)
    : trace(trace), pipes(trace.pipes.size()) {
  size_t count = trace.entries.size();
  sequence.assign(count, 0);
  clocks.assign(count * pipes, 0);
  std::vector<std::vector<int>> queues(pipes);
  int events = 0, barriers = 0;
  for (size_t i = 0; i < count; ++i) {
    const TraceEntry &entry = trace.entries[i];
    if (without && without(entry))
      continue;
    queues[size_t(entry.pipe)].push_back(int(i));
    sequence[i] = int(queues[size_t(entry.pipe)].size());
    events = std::max(events, entry.event + 1);
    barriers = std::max(barriers, entry.barrier + 1);
  }
  std::vector<EventState> states(static_cast<size_t>(events));
  std::vector<int> arrived(static_cast<size_t>(barriers));
  std::vector<size_t> heads(pipes);
  std::vector<std::vector<int>> now(pipes, std::vector<int>(pipes));
  std::vector<size_t> ready;
  for (size_t pipe = pipes; pipe-- > 0;)
    ready.push_back(pipe);

  auto start = [&](int entry, size_t pipe) {
    std::copy(now[pipe].begin(), now[pipe].end(),
              clocks.begin() + ptrdiff_t(size_t(entry) * pipes));
    now[pipe][pipe] = sequence[size_t(entry)];
  };
  auto join = [&](std::vector<int> &into, const int *from) {
    for (size_t p = 0; p < pipes; ++p)
      into[p] = std::max(into[p], from[p]);
  };
  // Clocks of sets as seen by who waits for them: the set itself is done.
  std::vector<int> signal(pipes);
  while (!ready.empty()) {
    size_t pipe = ready.back();
    ready.pop_back();
    bool stopped = false;
    while (!stopped && heads[pipe] < queues[pipe].size()) {
      int index = queues[pipe][heads[pipe]];
      const TraceEntry &entry = trace.entries[size_t(index)];
      switch (entry.kind) {
      case TraceEntry::Instruction:
        start(index, pipe);
        ++heads[pipe];
        break;
      case TraceEntry::Set: {
        EventState &event = states[size_t(entry.event)];
        start(index, pipe);
        if (!event.sets.empty() ||
            (event.lastWait >= 0 && !before(event.lastWait, index)))
          found.push_back({Problem::SetTwice, index, event.lastSet});
        event.sets.push_back(index);
        event.lastSet = index;
        ++heads[pipe];
        if (event.waitingPipe >= 0) {
          ready.push_back(size_t(event.waitingPipe));
          event.waitingPipe = -1;
        }
        break;
      }
      case TraceEntry::Wait: {
        EventState &event = states[size_t(entry.event)];
        if (event.sets.empty()) {
          event.waitingPipe = int(pipe);
          stopped = true;
          break;
        }
        int set = event.sets.front();
        event.sets.pop_front();
        event.lastWait = index;
        const int *clock = clocks.data() + size_t(set) * pipes;
        std::copy(clock, clock + pipes, signal.begin());
        signal[size_t(pipeOf(set))] = sequence[size_t(set)];
        start(index, pipe);
        join(now[pipe], signal.data());
        ++heads[pipe];
        break;
      }
      case TraceEntry::Barrier: {
        if (++arrived[size_t(entry.barrier)] < int(pipes)) {
          stopped = true;
          break;
        }
        // The last to come: everybody is here, and knows what all know.
        std::vector<int> all(pipes);
        for (size_t p = 0; p < pipes; ++p) {
          start(queues[p][heads[p]], p);
          join(all, now[p].data());
        }
        for (size_t p = 0; p < pipes; ++p) {
          now[p] = all;
          ++heads[p];
          if (p != pipe)
            ready.push_back(p);
        }
        break;
      }
      }
    }
  }

  // What is left waits for ever.
  std::vector<Problem> stuck;
  for (size_t pipe = 0; pipe < pipes; ++pipe) {
    if (heads[pipe] == queues[pipe].size())
      continue;
    complete = false;
    int index = queues[pipe][heads[pipe]];
    const TraceEntry &entry = trace.entries[size_t(index)];
    int other = -1;
    for (size_t from = 0; from < pipes && other < 0; ++from)
      for (size_t i = heads[from]; i < queues[from].size(); ++i) {
        int candidate = queues[from][i];
        const TraceEntry &set = trace.entries[size_t(candidate)];
        bool missing =
            entry.kind == TraceEntry::Wait
                ? set.kind == TraceEntry::Set && set.event == entry.event
                : from != pipe && set.barrier == entry.barrier &&
                      i != heads[from];
        if (missing) {
          other = candidate;
          break;
        }
      }
    if (entry.kind == TraceEntry::Wait && other < 0)
      found.push_back({Problem::NeverSet, index, -1});
    else if (other >= 0)
      stuck.push_back({Problem::Deadlock, index, other});
  }
  // Who stands behind a wait that is never met is no deadlock of its own.
  if (!complete && std::ranges::none_of(found, [](const Problem &problem) {
        return problem.kind == Problem::NeverSet;
      }))
    for (const Problem &problem : stuck) {
      // Each pipe waits for one other: only those on a circle are at fault.
      auto next = [&](int pipe) {
        for (const Problem &candidate : stuck)
          if (pipeOf(candidate.entry) == pipe)
            return pipeOf(candidate.other);
        return -1;
      };
      int pipe = pipeOf(problem.other);
      for (size_t hops = 0; hops < pipes && pipe >= 0; ++hops) {
        if (pipe == pipeOf(problem.entry)) {
          found.push_back(problem);
          break;
        }
        pipe = next(pipe);
      }
    }
  if (complete)
    for (const EventState &event : states)
      for (int set : event.sets)
        found.push_back({Problem::LeftSet, set, -1});
}

} // namespace tilewright::check
