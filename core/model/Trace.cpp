//===- Trace.cpp - what ran when ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Trace.h"
#include "core/model/Json.h"

using namespace tilewright::model;

void tilewright::model::to_json(nlohmann::json &json, const Trace &trace) {
  json = makeHeader(Trace::schema, Trace::version);
  json["origin"] = trace.origin;
  json["target"] = trace.target;
  json["tracks"] = trace.tracks;
  json["events"] = trace.events;
  json["flows"] = trace.flows;
}

void tilewright::model::from_json(const nlohmann::json &json, Trace &trace) {
  checkHeader(json, Trace::schema, Trace::version);
  trace = Trace();
  readField(json, "origin", trace.origin);
  readField(json, "target", trace.target);
  readField(json, "tracks", trace.tracks);
  readField(json, "events", trace.events);
  readField(json, "flows", trace.flows);
}
