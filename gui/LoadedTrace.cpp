//===- LoadedTrace.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/LoadedTrace.h"

#include "profiler/ChromeTraceReader.h"
#include <algorithm>
#include <set>

namespace tilewright::gui {

LoadedTrace::Outcome LoadedTrace::read(const QString &path,
                                       std::stop_token stop) {
  Outcome outcome;
  auto store =
      profiler::readChromeTrace(path.toStdString(), outcome.error, {}, stop);
  if (!store)
    return outcome;
  auto trace =
      std::const_pointer_cast<LoadedTrace>(make(std::move(*store), stop));
  if (trace)
    trace->path = path;
  outcome.trace = trace;
  return outcome;
}

std::shared_ptr<const LoadedTrace> LoadedTrace::make(profiler::TraceStore store,
                                                     std::stop_token stop) {
  auto trace = std::make_shared<LoadedTrace>();
  trace->store = std::move(store);
  const profiler::TraceStore &events = trace->store;
  auto utilisation = profiler::utilisation(events, {}, stop);
  auto critical = profiler::criticalPath(events, stop);
  if (!utilisation || !critical)
    return nullptr;
  trace->utilisation = std::move(*utilisation);
  trace->critical = std::move(*critical);
  trace->share.assign(events.tracks.size(), -1);
  for (const profiler::TrackUtilisation &one : trace->utilisation.tracks)
    trace->share[one.track] = one.share;
  // A core that did nothing beside cores that worked was idle all the time.
  std::set<int32_t> parents, working;
  for (const profiler::TrackRecord &track : events.tracks) {
    parents.insert(track.parent);
    if (track.eventCount > 0)
      working.insert(track.parent);
  }
  for (uint32_t i = 0; i < events.tracks.size(); ++i) {
    const profiler::TrackRecord &track = events.tracks[i];
    if (track.eventCount > 0) {
      trace->order.push_back(i);
    } else if (!parents.count(int32_t(i)) && working.count(track.parent)) {
      trace->order.push_back(i);
      trace->share[i] = 0;
      trace->utilisation.total += events.range().length();
    }
  }
  if (trace->utilisation.total > 0)
    trace->utilisation.share =
        double(trace->utilisation.busy) / double(trace->utilisation.total);
  std::sort(trace->order.begin(), trace->order.end(),
            [&](uint32_t a, uint32_t b) {
              return std::pair(events.tracks[a].sortIndex, a) <
                     std::pair(events.tracks[b].sortIndex, b);
            });
  trace->isCritical.assign(events.size(), false);
  for (const profiler::PathStep &step : trace->critical.steps)
    trace->isCritical[step.event] = true;
  trace->keysOfSet.resize(events.keySets.size());
  for (uint32_t set = 0; set < events.keySets.size(); ++set) {
    for (uint32_t key : events.keySets[set])
      trace->keysOfSet[set].emplace_back(events.strings[key]);
    trace->keySets.add(trace->keysOfSet[set], set);
  }
  return trace;
}

} // namespace tilewright::gui
