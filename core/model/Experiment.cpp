//===- Experiment.cpp - recorded compiled states --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Experiment.h"
#include "core/model/Json.h"
#include <cmath>

using namespace tilewright::model;

void tilewright::model::to_json(nlohmann::json &json,
                                const ExperimentList &list) {
  json = makeHeader(ExperimentList::schema, ExperimentList::version);
  json["path"] = list.path;
  json["experiments"] = list.experiments;
}

void tilewright::model::from_json(const nlohmann::json &json,
                                  ExperimentList &list) {
  checkHeader(json, ExperimentList::schema, ExperimentList::version);
  list = ExperimentList();
  readField(json, "path", list.path);
  readField(json, "experiments", list.experiments);
}

void tilewright::model::to_json(nlohmann::json &json,
                                const MetricChange &change) {
  json = {{"name", change.name},
          {"unit", change.unit},
          {"before", nullptr},
          {"after", nullptr},
          {"beforeOrigin", change.beforeOrigin},
          {"afterOrigin", change.afterOrigin}};
  if (std::isfinite(change.before))
    json["before"] = change.before;
  if (std::isfinite(change.after))
    json["after"] = change.after;
}

void tilewright::model::from_json(const nlohmann::json &json,
                                  MetricChange &change) {
  requireObject(json, "a metric");
  change = MetricChange();
  readField(json, "name", change.name);
  readField(json, "unit", change.unit);
  readNumber(json, "before", change.before);
  readNumber(json, "after", change.after);
  readField(json, "beforeOrigin", change.beforeOrigin);
  readField(json, "afterOrigin", change.afterOrigin);
}

void tilewright::model::to_json(nlohmann::json &json,
                                const ExperimentComparison &comparison) {
  json =
      makeHeader(ExperimentComparison::schema, ExperimentComparison::version);
  json["before"] = comparison.before;
  json["after"] = comparison.after;
  json["sameSource"] = comparison.sameSource;
  json["samePins"] = comparison.samePins;
  json["sameOverrides"] = comparison.sameOverrides;
  json["overrides"] = comparison.overrides;
  json["decisions"] = comparison.decisions;
  json["metrics"] = comparison.metrics;
}

void tilewright::model::from_json(const nlohmann::json &json,
                                  ExperimentComparison &comparison) {
  checkHeader(json, ExperimentComparison::schema,
              ExperimentComparison::version);
  comparison = ExperimentComparison();
  readField(json, "before", comparison.before);
  readField(json, "after", comparison.after);
  readField(json, "sameSource", comparison.sameSource);
  readField(json, "samePins", comparison.samePins);
  readField(json, "sameOverrides", comparison.sameOverrides);
  readField(json, "overrides", comparison.overrides);
  readField(json, "decisions", comparison.decisions);
  readField(json, "metrics", comparison.metrics);
}
