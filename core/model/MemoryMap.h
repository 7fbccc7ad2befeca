//===- MemoryMap.h - on-chip buffers in address and time --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::model {

/// One instruction of a kernel: a point on the time axis of its memory map.
struct MapStep {
  std::string op;                ///< operation, "block.matmul"
  std::string label;             ///< what it makes, as the printed IR names it
  std::string pipe;              ///< "MTE2"; empty where none is chosen yet
  std::vector<std::string> keys; ///< tensor-graph operations it came from
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MapStep, op, label, pipe, keys)

/// A loop of a kernel: its body is the steps `first` to `last`, which run
/// `turns` times.
struct MapLoop {
  std::string label; ///< name of its variable, "i"
  int64_t first = 0;
  int64_t last = 0;
  int64_t turns = 0; ///< 0 where it is not known before the run
  int depth = 0;     ///< number of loops around it
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MapLoop, label, first, last,
                                                turns, depth)

/// One buffer: a rectangle of `bytes` from `offset`, over the steps `first` to
/// `last`. A buffer that a loop uses and that is made outside of it lives for
/// the whole loop.
struct MapBuffer {
  std::string id;                ///< unique in the map, "kernel/name"
  std::string name;              ///< as the printed IR has it
  std::vector<std::string> keys; ///< tensor-graph operations it came from
  TensorType type;
  int64_t offset = 0; ///< bytes from the start of the level
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
  /// Ids of the buffers that had some of these bytes directly before.
  std::vector<std::string> reuses;
  /// Keys of the operations that write it; more than one: in place.
  std::vector<std::string> writers;
  bool used = true; ///< false: no instruction touches it
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MapBuffer, id, name, keys, type,
                                                offset, bytes, first, last,
                                                reuses, writers, used)

/// One memory level of the core that runs a kernel. Sizes in bytes.
struct MapLevel {
  std::string name;
  std::string kind;     ///< "memory", "cache" or "register", as the target says
  int64_t capacity = 0; ///< physical, for display
  int64_t usable = 0;   ///< for legality
  int64_t highWater = 0; ///< how far the buffers reach: the largest end
  int64_t peakBytes = 0; ///< most that is alive at once
  int64_t peakStep = 0;  ///< the first step at which that much is alive
  std::vector<std::string> atPeak; ///< ids of those buffers, largest first
  std::vector<MapBuffer> buffers;  ///< in program order
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MapLevel, name, kind, capacity,
                                                usable, highWater, peakBytes,
                                                peakStep, atPeak, buffers)

/// One kernel. Time is the order of its instructions, not seconds: pipes that
/// run ahead keep to it where they touch the same bytes.
struct KernelMemory {
  std::string id; ///< as in the stage's graph, "kernel:name"
  std::string kernel;
  std::string core; ///< kind of core: cube, vector, any
  std::vector<std::string> keys;
  std::vector<MapStep> steps;
  std::vector<MapLoop> loops;
  std::vector<MapLevel> levels; ///< outermost first; those that are used
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KernelMemory, id, kernel, core,
                                                keys, steps, loops, levels)

/// What lies where and when in the on-chip memories. The result of
/// `tilewright/memoryMap`.
struct MemoryMap {
  static constexpr const char *schema = "tilewright/memoryMap";
  static constexpr int version = 1;

  std::string pass; ///< snapshot it shows, "block/allocate-onchip"
  std::string target;
  std::vector<KernelMemory> kernels;
};
void to_json(nlohmann::json &json, const MemoryMap &map);
void from_json(const nlohmann::json &json, MemoryMap &map);

} // namespace tilewright::model
