//===- Statistics.h - times per kernel --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "profiler/TraceStore.h"
#include <nlohmann/json.hpp>
#include <optional>

namespace tilewright::profiler {

/// Durations, in ns, of all events of one name. Percentiles are by nearest
/// rank: an event's own time, never between two.
struct KernelStatistics {
  std::string name;
  model::Origin origin = model::Origin::Measured;
  std::vector<std::string> keys; ///< union over its events, at most 100
  int64_t count = 0;
  int64_t min = 0;
  double mean = 0;
  int64_t p50 = 0;
  int64_t p95 = 0;
  int64_t max = 0;
  int64_t total = 0;
  int64_t self = 0;   ///< total without what nested events took
  int64_t tracks = 0; ///< how many it ran on
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelStatistics, name, origin,
                                                keys, count, min, mean, p50,
                                                p95, max, total, self, tracks)

/// Of the events that lie in `range` with their begin, or of all; instants are
/// left out. Largest total first, equal ones by name. Empty only if `stop` was
/// requested.
std::optional<std::vector<KernelStatistics>>
kernelStatistics(const TraceStore &store, std::optional<TimeRange> range = {},
                 std::stop_token stop = {}, const Progress &progress = {});

} // namespace tilewright::profiler
