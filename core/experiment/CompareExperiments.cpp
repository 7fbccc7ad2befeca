//===- CompareExperiments.cpp - two experiments side by side --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/experiment/CompareExperiments.h"
#include "core/model/OverrideFiles.h"
#include <cmath>
#include <map>

namespace tilewright::experiment {

namespace {

template <typename Enum> std::string nameOf(Enum value) {
  return nlohmann::json(value).get<std::string>();
}

model::Experiment summary(const model::Experiment &experiment) {
  model::Experiment result = experiment;
  result.decisions.clear();
  result.sourceText.clear();
  result.pinsText.clear();
  result.overridesText.clear();
  return result;
}

} // namespace

model::ExperimentComparison compare(const model::Experiment &before,
                                    const model::Experiment &after) {
  model::ExperimentComparison result;
  result.before = summary(before);
  result.after = summary(after);
  result.sameSource = before.sourceFingerprint == after.sourceFingerprint;
  result.samePins = before.pinsFingerprint == after.pinsFingerprint;
  result.sameOverrides =
      before.overridesFingerprint == after.overridesFingerprint;
  if (!result.sameOverrides)
    result.overrides =
        model::differingOverrides(before.overridesText, after.overridesText);

  struct Sides {
    const model::Decision *before = nullptr;
    const model::Decision *after = nullptr;
  };
  std::map<std::pair<std::string, std::string>, Sides> decisions;
  for (const model::Decision &decision : before.decisions)
    decisions[{decision.key, decision.kind}].before = &decision;
  for (const model::Decision &decision : after.decisions)
    decisions[{decision.key, decision.kind}].after = &decision;
  std::string target = before.target == after.target
                           ? before.target
                           : before.target + ", " + after.target;
  for (const auto &[name, sides] : decisions) {
    if (sides.before && sides.after &&
        sides.before->value == sides.after->value &&
        sides.before->origin == sides.after->origin)
      continue;
    model::DecisionChange change;
    change.key = name.first;
    change.kind = name.second;
    change.target = target;
    if (sides.before) {
      change.before = sides.before->value;
      change.beforeOrigin = nameOf(sides.before->origin);
    }
    if (sides.after) {
      change.after = sides.after->value;
      change.afterOrigin = nameOf(sides.after->origin);
    }
    result.decisions.push_back(std::move(change));
  }

  std::map<std::pair<std::string, std::string>, size_t> places;
  auto placeOf = [&](const model::Metric &metric) -> model::MetricChange & {
    auto [it, isNew] =
        places.try_emplace({metric.name, metric.unit}, result.metrics.size());
    if (isNew)
      result.metrics.push_back({metric.name, metric.unit, NAN, NAN, "", ""});
    return result.metrics[it->second];
  };
  for (const model::Metric &metric : before.metrics) {
    model::MetricChange &change = placeOf(metric);
    change.before = metric.value;
    change.beforeOrigin = nameOf(metric.origin);
  }
  for (const model::Metric &metric : after.metrics) {
    model::MetricChange &change = placeOf(metric);
    change.after = metric.value;
    change.afterOrigin = nameOf(metric.origin);
  }
  return result;
}

} // namespace tilewright::experiment
