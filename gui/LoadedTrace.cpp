//===- LoadedTrace.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/LoadedTrace.h"

#include "profiler/ChromeTraceReader.h"
#include <algorithm>

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
  for (uint32_t i = 0; i < events.tracks.size(); ++i)
    if (events.tracks[i].eventCount > 0 || trace->share[i] >= 0)
      trace->order.push_back(i);
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
