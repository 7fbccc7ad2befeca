//===- Diagnostic.cpp - what is wrong, where, and what to do
//---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Diagnostic.h"
#include "core/model/Json.h"

using namespace tilewright::model;

void tilewright::model::to_json(nlohmann::json &json,
                                const DiagnosticList &list) {
  json = makeHeader(DiagnosticList::schema, DiagnosticList::version);
  json["uri"] = list.uri;
  json["documentVersion"] = list.documentVersion;
  json["generation"] = list.generation;
  json["diagnostics"] = list.diagnostics;
}

void tilewright::model::from_json(const nlohmann::json &json,
                                  DiagnosticList &list) {
  checkHeader(json, DiagnosticList::schema, DiagnosticList::version);
  list = DiagnosticList();
  readField(json, "uri", list.uri);
  readField(json, "documentVersion", list.documentVersion);
  readField(json, "generation", list.generation);
  readField(json, "diagnostics", list.diagnostics);
}
