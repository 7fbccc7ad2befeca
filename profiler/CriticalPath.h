//===- CriticalPath.h - what bounded the whole time -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "profiler/TraceStore.h"
#include <nlohmann/json.hpp>
#include <optional>

namespace tilewright::profiler {

/// Why a step of the path could not begin earlier.
enum class PathReason {
  Start,      ///< nothing before it
  Dependency, ///< it waited for a flow
  Track       ///< its core was busy with the step before
};
NLOHMANN_JSON_SERIALIZE_ENUM(PathReason,
                             {{PathReason::Start, "start"},
                              {PathReason::Dependency, "dependency"},
                              {PathReason::Track, "track"}})

/// One event on the path. [begin, end) is the time it is charged for, which is
/// shorter than the event where the next step began before it ended.
struct PathStep {
  EventIndex event = 0;
  int64_t id = 0; ///< of the event
  int64_t begin = 0;
  int64_t end = 0;
  int64_t wait = 0; ///< ns between the step before (or the start) and `begin`
  PathReason reason = PathReason::Start;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PathStep, event, id, begin, end,
                                                wait, reason)

/// Share of the path of the events of one name.
struct PathBlame {
  std::string name;
  int64_t steps = 0;
  int64_t run = 0;  ///< ns
  int64_t wait = 0; ///< ns waited before its steps
  double share = 0; ///< (run + wait) / makespan
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PathBlame, name, steps, run,
                                                wait, share)

/// run + wait = makespan, exactly.
struct CriticalPath {
  model::Origin origin = model::Origin::Measured;
  int64_t makespan = 0; ///< ns
  int64_t run = 0;
  int64_t wait = 0;
  std::vector<PathStep> steps;  ///< in time order
  std::vector<PathBlame> blame; ///< largest run + wait first
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CriticalPath, origin, makespan,
                                                run, wait, steps, blame)

/// Walks back from the event that ended last. What came before an event is the
/// one that ended last among those it has a flow from and the latest that had
/// ended on its track when it began (of equal ones the flow, then the
/// outermost). Flows from events that did not begin earlier are ignored, and so
/// are instants. Empty only if `stop` was requested.
std::optional<CriticalPath> criticalPath(const TraceStore &store,
                                         std::stop_token stop = {},
                                         const Progress &progress = {});

} // namespace tilewright::profiler
