//===- Decision.cpp - choices, pins and why -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Decision.h"
#include "core/model/Json.h"
#include <algorithm>
#include <tuple>

using namespace tilewright::model;

/// Moves what `json` holds beside `known` into `extra`.
static nlohmann::json otherFields(const nlohmann::json &json,
                                  std::initializer_list<const char *> known) {
  nlohmann::json extra = json;
  for (const char *field : known)
    extra.erase(field);
  return extra;
}

void tilewright::model::to_json(nlohmann::json &json,
                                const DecisionList &list) {
  json = makeHeader(DecisionList::schema, DecisionList::version);
  json["documentVersion"] = list.documentVersion;
  json["generation"] = list.generation;
  json["decisions"] = list.decisions;
  if (list.key.empty())
    return;
  json["key"] = list.key;
  json["root"] = list.root;
  json["estimates"] = list.estimates;
  json["explanation"] = list.explanation;
}

void tilewright::model::from_json(const nlohmann::json &json,
                                  DecisionList &list) {
  checkHeader(json, DecisionList::schema, DecisionList::version);
  list = DecisionList();
  readField(json, "documentVersion", list.documentVersion);
  readField(json, "generation", list.generation);
  readField(json, "decisions", list.decisions);
  readField(json, "key", list.key);
  readField(json, "root", list.root);
  readField(json, "estimates", list.estimates);
  readField(json, "explanation", list.explanation);
}

void tilewright::model::to_json(nlohmann::json &json, const Pin &pin) {
  // Unknown fields first, so that they can never hide a known one.
  json = pin.extra.is_object() ? pin.extra : nlohmann::json::object();
  json["key"] = pin.key;
  json["target"] = pin.target;
  json["kind"] = pin.kind;
  json["value"] = pin.value;
  json["note"] = pin.note;
}

void tilewright::model::from_json(const nlohmann::json &json, Pin &pin) {
  if (!json.is_object())
    throw JsonError(std::string("a pin must be an object, but is ") +
                    json.type_name());
  pin = Pin();
  readField(json, "key", pin.key);
  readField(json, "target", pin.target);
  readField(json, "kind", pin.kind);
  readField(json, "note", pin.note);
  if (auto value = json.find("value"); value != json.end())
    pin.value = *value;
  if (pin.key.empty())
    throw JsonError("key: a pin must name an operation");
  if (pin.kind.empty())
    throw JsonError("kind: a pin must say what it decides");
  pin.extra = otherFields(json, {"key", "target", "kind", "value", "note"});
}

void tilewright::model::to_json(nlohmann::json &json, const PinsFile &file) {
  json = file.extra.is_object() ? file.extra : nlohmann::json::object();
  json.update(makeHeader(PinsFile::schema, PinsFile::version));
  std::vector<Pin> sorted = file.pins;
  std::sort(sorted.begin(), sorted.end(), [](const Pin &a, const Pin &b) {
    return std::tie(a.key, a.target, a.kind, a.note) <
           std::tie(b.key, b.target, b.kind, b.note);
  });
  json["pins"] = sorted;
}

void tilewright::model::from_json(const nlohmann::json &json, PinsFile &file) {
  checkHeader(json, PinsFile::schema, PinsFile::version);
  file = PinsFile();
  readField(json, "pins", file.pins);
  file.extra = otherFields(json, {"schema", "version", "pins"});
}
