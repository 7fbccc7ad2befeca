//===- Run.cpp - what was run and how it came out -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Run.h"
#include "core/model/Json.h"

using namespace tilewright::model;

void tilewright::model::to_json(nlohmann::json &json,
                                const CheckResult &check) {
  json = {{"result", check.result},       {"reference", check.reference},
          {"passed", check.passed},       {"error", check.error},
          {"tolerance", check.tolerance}, {"rule", check.rule},
          {"worst", check.worst}};
}

void tilewright::model::from_json(const nlohmann::json &json,
                                  CheckResult &check) {
  check = CheckResult();
  requireObject(json, "a check");
  readField(json, "result", check.result);
  readField(json, "reference", check.reference);
  readField(json, "passed", check.passed);
  // A comparison with NaN has no finite error.
  readNumber(json, "error", check.error);
  readNumber(json, "tolerance", check.tolerance);
  readField(json, "rule", check.rule);
  readField(json, "worst", check.worst);
}

void tilewright::model::to_json(nlohmann::json &json, const RunResult &result) {
  json = makeHeader(RunResult::schema, RunResult::version, result);
  json["function"] = result.function;
  json["threads"] = result.threads;
  json["repeats"] = result.repeats;
  json["milliseconds"] = result.milliseconds;
  json["flop"] = result.flop;
  json["peakGflops"] = result.peakGflops;
  json["tasks"] = result.tasks;
  json["metrics"] = result.metrics;
  json["checks"] = result.checks;
  json["outputs"] = result.outputs;
  json["tracePath"] = result.tracePath;
  json["diagnostics"] = result.diagnostics;
}

void tilewright::model::from_json(const nlohmann::json &json,
                                  RunResult &result) {
  result = RunResult();
  readHeader(json, RunResult::schema, RunResult::version, result);
  readField(json, "function", result.function);
  readField(json, "threads", result.threads);
  readField(json, "repeats", result.repeats);
  readField(json, "milliseconds", result.milliseconds);
  readNumber(json, "flop", result.flop);
  readNumber(json, "peakGflops", result.peakGflops);
  readField(json, "tasks", result.tasks);
  readField(json, "metrics", result.metrics);
  readField(json, "checks", result.checks);
  readField(json, "outputs", result.outputs);
  readField(json, "tracePath", result.tracePath);
  readField(json, "diagnostics", result.diagnostics);
}
