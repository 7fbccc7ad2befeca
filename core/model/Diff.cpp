//===- Diff.cpp - two snapshots compared ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Diff.h"
#include "core/model/Json.h"

using namespace tilewright::model;

void tilewright::model::to_json(nlohmann::json &json, const Diff &diff) {
  json = makeHeader(Diff::schema, Diff::version);
  json["from"] = diff.from;
  json["to"] = diff.to;
  json["ops"] = diff.ops;
  json["text"] = diff.text;
}

void tilewright::model::from_json(const nlohmann::json &json, Diff &diff) {
  checkHeader(json, Diff::schema, Diff::version);
  diff = Diff();
  readField(json, "from", diff.from);
  readField(json, "to", diff.to);
  readField(json, "ops", diff.ops);
  readField(json, "text", diff.text);
}
