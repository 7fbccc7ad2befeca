//===- ChromeEventCollector.cpp - Chrome's events as tracks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/ChromeEventCollector.h"
#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

namespace tilewright::profiler {

void ChromeEventCollector::take(const ChromeEvent &event) {
  raw = &event;
  switch (raw->phase) {
  case 'M':
    return takeMetadata();
  case 'C':
    return takeCounter();
  case 'B':
  case 'E':
  case 'X':
  case 'i':
  case 'I':
  case 'R':
  case 's':
  case 't':
  case 'f':
  case 'b':
  case 'e':
  case 'n':
    break;
  case 0:
    ++ignored["without a phase"];
    return;
  default:
    ++ignored[std::string("of phase '") +
              (raw->phase > ' ' && raw->phase < 0x7f ? raw->phase : '?') + "'"];
    return;
  }
  int64_t time = 0;
  if (!raw->time.present || !parseMicroseconds(raw->time.text, time)) {
    ++ignored["without a time"];
    return;
  }
  switch (raw->phase) {
  case 'X':
    return takeComplete(time);
  case 'B':
    return marks.push_back(
        {threadOf(), addSlice(threadOf(), time, time, EventKind::Unfinished),
         time, 0});
  case 'E':
    return marks.push_back({threadOf(), noEvent, time, nameNumber()});
  case 'b':
  case 'e':
  case 'n':
    return takeAsync(time);
  case 's':
  case 't':
  case 'f':
    return takeFlow(time);
  default:
    addSlice(threadOf(), time, time, EventKind::Instant);
  }
}

uint32_t ChromeEventCollector::nameNumber() {
  return builder.intern(raw->name);
}

uint32_t ChromeEventCollector::addSlice(uint32_t track, int64_t begin,
                                        int64_t end, EventKind kind) {
  uint32_t event = builder.addEvent(track, begin, end, nameNumber(),
                                    builder.internKeys(raw->keys), raw->grid,
                                    raw->ownId, kind);
  for (int64_t before : raw->after)
    after.push_back({before, event});
  return event;
}

void ChromeEventCollector::takeComplete(int64_t time) {
  int64_t duration = 0;
  bool known =
      raw->duration.present && parseMicroseconds(raw->duration.text, duration);
  uint32_t event = addSlice(threadOf(), time, time + duration,
                            known ? EventKind::Slice : EventKind::Unfinished);
  if (raw->bindId.present && (raw->flowIn || raw->flowOut)) {
    FlowPoint point;
    point.flow = flowNumber(raw->bindId, {}, {});
    point.time = time;
    point.event = event;
    point.phase = raw->flowIn ? 't' : 's';
    flowPoints.push_back(point);
  }
}

uint32_t ChromeEventCollector::processOf() {
  std::string_view key = raw->process.text;
  if (lastProcess < processes.size() && processes[lastProcess].key == key)
    return lastProcess;
  auto found = processNumber.find(key);
  if (found == processNumber.end()) {
    Process process;
    process.key = key;
    processes.push_back(std::move(process));
    found = processNumber
                .emplace(std::string(key),
                         static_cast<uint32_t>(processes.size() - 1))
                .first;
  }
  return lastProcess = found->second;
}

uint32_t ChromeEventCollector::threadRecord(bool async, std::string_view key) {
  uint32_t process = processOf();
  if (lastThread < threads.size() && threads[lastThread].async == async &&
      threads[lastThread].process == process && threads[lastThread].key == key)
    return lastThread;
  scratch.assign(reinterpret_cast<const char *>(&process), sizeof process);
  scratch += async ? 'a' : 't';
  scratch += key;
  auto found = threadNumber.find(scratch);
  if (found == threadNumber.end()) {
    Thread thread;
    thread.process = process;
    thread.async = async;
    thread.key = key;
    thread.track = builder.addTrack(0, -1, "");
    threads.push_back(std::move(thread));
    found =
        threadNumber.emplace(scratch, static_cast<uint32_t>(threads.size() - 1))
            .first;
  }
  return lastThread = found->second;
}

uint32_t ChromeEventCollector::threadOf() {
  return threads[threadRecord(false, raw->thread.text)].track;
}

void ChromeEventCollector::takeMetadata() {
  int64_t sort = 0;
  bool hasSort =
      raw->sortIndex.present && parseInteger(raw->sortIndex.text, sort);
  if (raw->name == "process_name") {
    Process &process = processes[processOf()];
    process.name = raw->argName;
    process.named = true;
  } else if (raw->name == "process_sort_index" && hasSort) {
    processes[processOf()].sortIndex = sort;
  } else if (raw->name == "thread_name") {
    Thread &thread = threads[threadRecord(false, raw->thread.text)];
    thread.name = raw->argName;
    thread.named = true;
    thread.ownId = raw->ownTrack;
    thread.ownParent = raw->ownParent;
  } else if (raw->name == "thread_sort_index" && hasSort) {
    threads[threadRecord(false, raw->thread.text)].sortIndex = sort;
  }
}

void ChromeEventCollector::takeCounter() {
  int64_t time = 0;
  if (!raw->time.present || !parseMicroseconds(raw->time.text, time)) {
    ++ignored["without a time"];
    return;
  }
  uint32_t process = processOf();
  for (auto [series, text] : raw->numbers) {
    double value = 0;
    auto [end, code] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size())
      continue;
    scratch.assign(reinterpret_cast<const char *>(&process), sizeof process);
    scratch += raw->name;
    scratch += '\0';
    scratch += raw->id.text;
    scratch += '\0';
    scratch += series;
    auto found = counterNumber.find(scratch);
    if (found == counterNumber.end()) {
      std::string name(raw->name);
      if (raw->id.present)
        name += "[" + std::string(raw->id.text) + "]";
      if (series != "value" && series != raw->name)
        name += " / " + std::string(series);
      found =
          counterNumber.emplace(scratch, builder.addCounter(name, -1)).first;
      counterProcess.push_back(process);
    }
    builder.addSample(found->second, time, value);
  }
}

void ChromeEventCollector::finishTracks() {
  std::vector<uint32_t> order(processes.size());
  for (uint32_t p = 0; p < order.size(); ++p)
    order[p] = p;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(processes[a].sortIndex, a) <
           std::pair(processes[b].sortIndex, b);
  });
  std::vector<std::vector<uint32_t>> threadsOf(processes.size());
  for (uint32_t t = 0; t < threads.size(); ++t)
    threadsOf[threads[t].process].push_back(t);
  std::vector<int32_t> processTrack(processes.size(), -1);
  std::map<int64_t, uint32_t> ownTracks;
  int64_t nextId = 0;
  if (own)
    for (const Thread &thread : threads)
      if (thread.ownId)
        nextId = std::max(nextId, *thread.ownId < (int64_t(1) << 60)
                                      ? *thread.ownId + 1
                                      : int64_t(0));
  for (uint32_t p : order) {
    const Process &process = processes[p];
    bool allOwn = own && !threadsOf[p].empty();
    for (uint32_t t : threadsOf[p])
      allOwn &= threads[t].ownId.has_value();
    if (!allOwn && (process.named || processes.size() > 1)) {
      std::string name = process.named         ? process.name
                         : process.key.empty() ? "process"
                                               : "process " + process.key;
      processTrack[p] =
          static_cast<int32_t>(builder.addTrack(nextId, -1, name, nextId));
      ++nextId;
    }
    auto numeric = [&](const Thread &thread) {
      int64_t value = 0;
      return parseInteger(thread.key, value)
                 ? value
                 : std::numeric_limits<int64_t>::max();
    };
    std::sort(threadsOf[p].begin(), threadsOf[p].end(),
              [&](uint32_t a, uint32_t b) {
                const Thread &x = threads[a], &y = threads[b];
                return std::tuple(x.async, x.sortIndex, numeric(x), a) <
                       std::tuple(y.async, y.sortIndex, numeric(y), b);
              });
    for (uint32_t t : threadsOf[p]) {
      Thread &thread = threads[t];
      int64_t value;
      if (!thread.named)
        thread.name = thread.async ? (thread.key.empty() ? "async" : thread.key)
                      : thread.key.empty()              ? "thread"
                      : parseInteger(thread.key, value) ? "thread " + thread.key
                                                        : thread.key;
      builder.renameTrack(thread.track, thread.name);
      bool keepsId = own && thread.ownId &&
                     ownTracks.emplace(*thread.ownId, thread.track).second;
      builder.setTrackId(thread.track, keepsId ? *thread.ownId : nextId++);
      builder.setSortIndex(thread.track, trackOrder++);
      builder.setParent(thread.track, processTrack[p]);
    }
  }
  for (const Thread &thread : threads)
    if (own && thread.ownParent)
      if (auto parent = ownTracks.find(*thread.ownParent);
          parent != ownTracks.end())
        builder.setParent(thread.track, static_cast<int32_t>(parent->second));
  for (uint32_t c = 0; c < counterProcess.size(); ++c)
    builder.setCounterTrack(c, processTrack[counterProcess[c]]);
}

void ChromeEventCollector::takeAsync(int64_t time) {
  uint32_t track = threads[threadRecord(true, raw->category)].track;
  if (raw->phase == 'n') {
    addSlice(track, time, time, EventKind::Instant);
    return;
  }
  uint32_t process = processOf();
  scratch.assign(reinterpret_cast<const char *>(&process), sizeof process);
  scratch += raw->category;
  scratch += '\0';
  scratch += raw->id.text;
  auto found =
      chainNumber
          .try_emplace(scratch, static_cast<uint32_t>(chainNumber.size()))
          .first;
  if (raw->phase == 'b')
    asyncMarks.push_back({found->second,
                          addSlice(track, time, time, EventKind::Unfinished),
                          time, 0});
  else
    asyncMarks.push_back({found->second, noEvent, time, nameNumber()});
}

void ChromeEventCollector::match(std::vector<Mark> &list) {
  std::vector<uint32_t> order(list.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(list[a].stack, list[a].time, a) <
           std::tuple(list[b].stack, list[b].time, b);
  });
  struct Open {
    uint32_t event, name;
  };
  std::vector<Open> open;
  for (size_t i = 0; i < order.size(); ++i) {
    const Mark &mark = list[order[i]];
    if (i > 0 && list[order[i - 1]].stack != mark.stack)
      open.clear();
    if (mark.event != noEvent) {
      open.push_back({mark.event, builder.nameOf(mark.event)});
      continue;
    }
    size_t depth = open.size();
    if (mark.name != 0) {
      // Names that do not match are common enough to look only a little
      // way down.
      constexpr size_t farthest = 64;
      size_t least = open.size() > farthest ? open.size() - farthest : 0;
      while (depth > least && open[depth - 1].name != mark.name)
        --depth;
      if (depth == least && (depth == 0 || open[depth - 1].name != mark.name))
        depth = open.size();
    }
    if (open.empty()) {
      ++strayEnds;
      continue;
    }
    // What was opened inside it and not closed ends with it.
    for (size_t k = depth - 1; k < open.size(); ++k) {
      builder.endEvent(open[k].event, mark.time);
      impliedEnds += k >= depth;
    }
    open.resize(depth - 1);
  }
  list = {};
}

uint32_t ChromeEventCollector::flowNumber(const ChromeScalar &id,
                                          std::string_view category,
                                          std::string_view name) {
  scratch = id.text;
  scratch += '\0';
  scratch += category;
  scratch += '\0';
  scratch += name;
  return flowNumbers
      .try_emplace(scratch, static_cast<uint32_t>(flowNumbers.size()))
      .first->second;
}

void ChromeEventCollector::takeFlow(int64_t time) {
  if (!raw->id.present) {
    ++ignored["of a flow without an id"];
    return;
  }
  FlowPoint point;
  point.flow = flowNumber(raw->id, raw->category, raw->name);
  point.time = time;
  point.track = threadOf();
  point.phase = raw->phase;
  point.next = raw->phase == 'f' && raw->bind != "e";
  flowPoints.push_back(point);
}

void ChromeEventCollector::matchFlows() {
  // Our own files name the dependencies themselves.
  for (auto [from, to] : after)
    builder.addFlowToEvent(from, to);
  if (own && !after.empty())
    return;
  std::sort(flowPoints.begin(), flowPoints.end(),
            [](const FlowPoint &a, const FlowPoint &b) {
              auto rank = [](char phase) {
                return phase == 's' ? 0 : phase == 't' ? 1 : 2;
              };
              return std::tuple(a.flow, a.time, rank(a.phase)) <
                     std::tuple(b.flow, b.time, rank(b.phase));
            });
  for (size_t i = 1; i < flowPoints.size(); ++i) {
    const FlowPoint &from = flowPoints[i - 1], &to = flowPoints[i];
    if (from.flow != to.flow || from.phase == 'f' || to.phase == 's')
      continue;
    if (from.event != noEvent && to.event != noEvent)
      builder.addFlow(from.event, to.event);
    else if (from.event == noEvent && to.event == noEvent)
      builder.addFlowByTime(from.track, from.time, to.track, to.time, to.next);
  }
  flowPoints = {};
}

void ChromeEventCollector::report() {
  for (const auto &[what, count] : ignored)
    builder.note(std::to_string(count) + " events " + what + " were left out");
  if (strayEnds)
    builder.note(std::to_string(strayEnds) +
                 " ends without a begin were left out");
  if (impliedEnds)
    builder.note(std::to_string(impliedEnds) +
                 " events without an end of their own end with what is "
                 "around them");
}

void ChromeEventCollector::finish() {
  finishTracks();
  match(marks);
  match(asyncMarks);
  matchFlows();
  report();
}

} // namespace tilewright::profiler
