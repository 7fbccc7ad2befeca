//===- Origin.cpp - where a number comes from -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Origin.h"
#include "core/model/Json.h"

using namespace tilewright::model;

void tilewright::model::to_json(nlohmann::json &json, const Metric &metric) {
  json = {{"name", metric.name},
          {"value", metric.value},
          {"unit", metric.unit},
          {"origin", metric.origin}};
}

void tilewright::model::from_json(const nlohmann::json &json, Metric &metric) {
  metric = Metric();
  requireObject(json, "a metric");
  readField(json, "name", metric.name);
  readNumber(json, "value", metric.value);
  readField(json, "unit", metric.unit);
  readField(json, "origin", metric.origin);
}
