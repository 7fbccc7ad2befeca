//===- Estimate.h - what computing something is said to cost ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Origin.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::model {

/// Bytes that go from one level of memory to another, of all tasks together.
struct LevelTraffic {
  std::string from, to;
  double bytes = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LevelTraffic, from, to, bytes)

/// How long one engine works: a pipe of the cores, or what they share ("GM").
struct EngineTime {
  std::string engine; ///< "cube.MTE2", "any.CORE: pack", "GM"
  double seconds = 0; ///< of the whole kernel: on the core that works longest
  double share = 0;   ///< of the kernel's time
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(EngineTime, engine, seconds,
                                                share)

/// On-chip room of one buffer of a task.
struct BufferRoom {
  std::string level;
  std::string name;
  int64_t bytes = 0;  ///< of one copy
  int64_t copies = 1; ///< used in turn
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BufferRoom, level, name, bytes,
                                                copies)

/// What one kernel is estimated to cost, in closed form. Every number is of
/// origin `estimated`; core/estimate/Estimate.h has the formulas.
struct Estimate {
  std::string key;  ///< of the operation that carries the tile decision
  std::string kind; ///< matmul, rows, attention
  std::vector<std::string> keys; ///< of all operations of the kernel
  double seconds = 0; ///< of the whole kernel, without launching the program
  int64_t tasks = 0;  ///< 0: depends on a size only known at run time
  int64_t cores = 0;  ///< that there are
  int64_t waves = 0;  ///< tasks of the core that has most
  double coreUse = 0; ///< share of the cores that work, over the kernel's time
  double flop = 0;
  double globalBytes = 0; ///< that cross global memory
  double intensity = 0;   ///< flop for each byte of it
  /// flop a byte from which on the machine computes longer than it moves.
  double balance = 0;
  std::string bound;      ///< engine that works longest
  std::string boundBy;    ///< the one next to it
  double boundMargin = 0; ///< by which share it works longer than that
  std::vector<LevelTraffic> traffic;
  std::vector<EngineTime> engines; ///< longest first
  std::vector<BufferRoom> buffers;
  /// What was assumed of it, for a person: sizes only known at run time.
  std::vector<std::string> assumptions;
};
void to_json(nlohmann::json &json, const Estimate &estimate);
void from_json(const nlohmann::json &json, Estimate &estimate);

/// The result of `tilewright/estimate`.
struct EstimateList {
  static constexpr const char *schema = "tilewright/estimate";
  static constexpr int version = 1;

  int64_t documentVersion = 0;
  int64_t generation = 0;
  std::string target;
  std::vector<Estimate> kernels;
  /// Kernels one after the other, each as often as it runs, and launching the
  /// program.
  double seconds = 0;
  double launchSeconds = 0;
};
void to_json(nlohmann::json &json, const EstimateList &list);
void from_json(const nlohmann::json &json, EstimateList &list);

/// "12.3 us"
std::string formatSeconds(double seconds);
/// "1.42 TB", decimal.
std::string formatAmount(double value, const std::string &unit);

} // namespace tilewright::model
