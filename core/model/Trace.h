//===- Trace.h - what ran when ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Origin.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::model {

/// A row of the timeline: a core, or a pipe of a core.
struct Track {
  int64_t id = 0;
  int64_t parent = -1;
  std::string name; ///< "core 0", "AIC 3 / MTE2"
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Track, id, parent, name)

/// One event. Times are nanoseconds from the start of the trace.
struct TraceEvent {
  int64_t id = 0;
  int64_t track = 0;
  int64_t begin = 0;
  int64_t end = 0;
  std::string name;              ///< kernel or instruction
  std::vector<std::string> keys; ///< tensor-graph operations
  std::vector<int64_t> grid;     ///< coordinates of the task; may be empty
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TraceEvent, id, track, begin,
                                                end, name, keys, grid)

/// `to` waited for `from`.
struct Flow {
  int64_t from = 0;
  int64_t to = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Flow, from, to)

/// A trace in its plain form; profiler/ keeps large ones in columns.
struct Trace {
  static constexpr const char *schema = "tilewright/trace";
  static constexpr int version = 1;

  Origin origin = Origin::Measured;
  std::string target;
  std::vector<Track> tracks;
  std::vector<TraceEvent> events;
  std::vector<Flow> flows;
};
void to_json(nlohmann::json &json, const Trace &trace);
void from_json(const nlohmann::json &json, Trace &trace);

} // namespace tilewright::model
