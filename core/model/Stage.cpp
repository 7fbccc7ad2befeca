//===- Stage.cpp - stages, pass snapshots, printed text -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Stage.h"
#include "core/model/Json.h"

using namespace tilewright::model;

void tilewright::model::to_json(nlohmann::json &json, const StageTable &table) {
  json = makeHeader(StageTable::schema, StageTable::version, table);
  json["complete"] = table.complete;
  json["passes"] = table.passes;
  json["diagnostics"] = table.diagnostics;
}

void tilewright::model::from_json(const nlohmann::json &json,
                                  StageTable &table) {
  table = StageTable();
  readHeader(json, StageTable::schema, StageTable::version, table);
  readField(json, "complete", table.complete);
  readField(json, "passes", table.passes);
  readField(json, "diagnostics", table.diagnostics);
}

void tilewright::model::to_json(nlohmann::json &json,
                                const PrintedStage &printed) {
  json = makeHeader(PrintedStage::schema, PrintedStage::version);
  json["stage"] = printed.stage;
  json["pass"] = printed.pass;
  json["text"] = printed.text;
  json["spans"] = printed.spans;
}

void tilewright::model::from_json(const nlohmann::json &json,
                                  PrintedStage &printed) {
  checkHeader(json, PrintedStage::schema, PrintedStage::version);
  printed = PrintedStage();
  readField(json, "stage", printed.stage);
  readField(json, "pass", printed.pass);
  readField(json, "text", printed.text);
  readField(json, "spans", printed.spans);
}
