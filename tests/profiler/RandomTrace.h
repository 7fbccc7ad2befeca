//===- RandomTrace.h - traces for tests against brute force -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Trace.h"
#include <random>

namespace tilewright::samples {

/// Up to `events` events on a few tracks, overlapping, nested and equal ones
/// among them, with flows from anywhere to anywhere.
inline model::Trace randomTrace(uint32_t seed, int events) {
  std::mt19937 generator(seed);
  auto below = [&](int n) { return int(generator() % uint32_t(n)); };
  model::Trace trace;
  trace.target = "cpu";
  int tracks = 1 + below(4);
  for (int t = 0; t < tracks; ++t)
    trace.tracks.push_back({10 + t, -1, "core " + std::to_string(t)});
  int span = 20 + below(200);
  for (int i = 0; i < events; ++i) {
    model::TraceEvent event;
    event.id = 1000 - i;
    event.track = 10 + below(tracks);
    event.begin = below(span);
    event.end = event.begin + (below(6) == 0 ? 0 : below(30));
    event.name = "kernel " + std::to_string(below(5));
    for (int k = below(3); k > 0; --k)
      event.keys.push_back("f/op" + std::to_string(below(4)));
    for (int k = below(3); k > 0; --k)
      event.grid.push_back(below(100) - 50);
    trace.events.push_back(event);
  }
  for (int f = below(events + 1); f > 0; --f)
    trace.flows.push_back({1000 - below(events), 1000 - below(events)});
  return trace;
}

} // namespace tilewright::samples
