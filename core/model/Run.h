//===- Run.h - what was run and how it came out -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Origin.h"
#include "core/model/ResultHead.h"
#include "core/model/Stage.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::model {

/// One result compared with one reference.
struct CheckResult {
  std::string result;    ///< "result0"
  std::string reference; ///< "tensor interpreter", "block interpreter"
  bool passed = false;
  double error = 0;     ///< by the rule named in `rule`
  double tolerance = 0; ///< same unit
  std::string rule;     ///< see core/execute/CompareTensors.h
  std::string worst;    ///< index of the worst element, "[3, 17]", both values
};
void to_json(nlohmann::json &json, const CheckResult &check);
void from_json(const nlohmann::json &json, CheckResult &check);

/// The result of `tilewright/run`.
struct RunResult : ResultHead {
  static constexpr const char *schema = "tilewright/run";
  static constexpr int version = 1;

  std::string function;
  int threads = 0;
  int repeats = 0;
  std::vector<double> milliseconds; ///< one a repeat, measured
  double flop = 0;                  ///< of one run, estimated by counting
  double peakGflops = 0; ///< measured peak of the machine for these threads
  int64_t tasks = 0;
  std::vector<Metric> metrics;
  std::vector<CheckResult> checks;
  std::vector<std::string> outputs; ///< paths of .npy files written
  std::string tracePath;            ///< Chrome JSON; empty if not asked for
  std::vector<Diagnostic> diagnostics;
};
void to_json(nlohmann::json &json, const RunResult &result);
void from_json(const nlohmann::json &json, RunResult &result);

} // namespace tilewright::model
