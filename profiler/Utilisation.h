//===- Utilisation.h - how busy each track was ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "profiler/TraceStore.h"
#include <nlohmann/json.hpp>
#include <optional>

namespace tilewright::profiler {

/// A time in which a track did nothing.
struct Gap {
  int64_t begin = 0; ///< ns
  int64_t end = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Gap, begin, end)

/// Of one track that works or could have: overlapping and nested events count
/// once. A track without work beside tracks with work (a core that got no task)
/// counts as idle all the time; one that only groups others, or whose siblings
/// do nothing either, is left out.
struct TrackUtilisation {
  uint32_t track = 0; ///< index in TraceStore::tracks
  std::string name;
  int64_t busy = 0;  ///< ns
  int64_t total = 0; ///< ns of the range looked at
  double share = 0;  ///< busy / total; 0 for an empty range
  int64_t events = 0;
  int64_t gaps = 0;         ///< idle times, before the first event and after
                            ///< the last included
  std::vector<Gap> longest; ///< of the gaps, longest first, at most 10
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TrackUtilisation, track, name,
                                                busy, total, share, events,
                                                gaps, longest)

struct Utilisation {
  model::Origin origin = model::Origin::Measured;
  int64_t busy = 0;  ///< ns, over all tracks
  int64_t total = 0; ///< ns, range times tracks
  double share = 0;
  std::vector<TrackUtilisation> tracks;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Utilisation, origin, busy,
                                                total, share, tracks)

/// Over `range`, or the whole trace. Instants do not count as work. Empty only
/// if `stop` was requested.
std::optional<Utilisation> utilisation(const TraceStore &store,
                                       std::optional<TimeRange> range = {},
                                       std::stop_token stop = {},
                                       const Progress &progress = {});

} // namespace tilewright::profiler
