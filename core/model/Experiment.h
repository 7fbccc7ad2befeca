//===- Experiment.h - recorded compiled states ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include "core/model/Diagnostic.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::model {

/// One compiled state: what it was made from, what was decided, and the numbers
/// that came out. `decisions` and the texts are filled where one
/// experiment is asked for, and empty in lists.
struct Experiment {
  int64_t id = 0;   ///< counts up in its folder; 0: not recorded yet
  std::string time; ///< UTC, "2026-11-30T23:21:57Z"
  std::string kind; ///< what was done: "compile", "estimate", "run"
  std::string file; ///< name of the source in its folder
  std::string target;
  std::string function; ///< that was run; empty for all
  std::string note;     ///< a person's own words
  std::string version;  ///< of Tilewright
  bool passed = true;   ///< no error, and every check held
  std::string sourceFingerprint;
  std::string pinsFingerprint;      ///< empty: there was no pins file
  std::string overridesFingerprint; ///< empty: there were none
  std::vector<Metric> metrics;
  std::vector<Decision> decisions;
  std::string sourceText;
  std::string pinsText;
  std::string overridesText; ///< OverrideFiles.h
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    Experiment, id, time, kind, file, target, function, note, version, passed,
    sourceFingerprint, pinsFingerprint, overridesFingerprint, metrics,
    decisions, sourceText, pinsText, overridesText)

/// Experiments of one folder, the newest last. The result of
/// `tilewright/experiments`.
struct ExperimentList {
  static constexpr const char *schema = "tilewright/experiments";
  static constexpr int version = 1;

  std::string path; ///< of the database; empty if nothing was recorded yet
  std::vector<Experiment> experiments;
};
void to_json(nlohmann::json &json, const ExperimentList &list);
void from_json(const nlohmann::json &json, ExperimentList &list);

/// One decision that is not the same in two experiments. A side that does not
/// have it has a null value.
struct DecisionChange {
  std::string key;
  std::string target; ///< of the experiments compared; both, if they differ
  std::string kind;
  nlohmann::json before;
  nlohmann::json after;
  std::string beforeOrigin; ///< "default", "tuned", "pinned"; may be empty
  std::string afterOrigin;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DecisionChange, key, target,
                                                kind, before, after,
                                                beforeOrigin, afterOrigin)

/// One number of two experiments. One that a side lacks is null in JSON.
struct MetricChange {
  std::string name;
  std::string unit;
  double before = 0; ///< NaN: missing
  double after = 0;  ///< NaN: missing
  std::string beforeOrigin;
  std::string afterOrigin;
};
void to_json(nlohmann::json &json, const MetricChange &change);
void from_json(const nlohmann::json &json, MetricChange &change);

/// Two experiments side by side. The result of `tilewright/compare`.
struct ExperimentComparison {
  static constexpr const char *schema = "tilewright/compare";
  static constexpr int version = 1;

  Experiment before; ///< as in lists
  Experiment after;
  bool sameSource = true;
  bool samePins = true;
  bool sameOverrides = true;
  /// Names of overrides that only one has, or that differ.
  std::vector<std::string> overrides;
  std::vector<DecisionChange> decisions; ///< those that differ, by key
  std::vector<MetricChange> metrics;     ///< all, in the order of `before`
};
void to_json(nlohmann::json &json, const ExperimentComparison &comparison);
void from_json(const nlohmann::json &json, ExperimentComparison &comparison);

} // namespace tilewright::model
