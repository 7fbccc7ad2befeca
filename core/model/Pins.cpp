//===- Pins.cpp - the pins of a source and what became of them ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Pins.h"
#include "core/model/Json.h"

namespace tilewright::model {

static void to_json(nlohmann::json &json, const PinState &state) {
  json = {{"pin", state.pin},       {"state", state.state},
          {"reason", state.reason}, {"code", state.code},
          {"keys", state.keys},     {"likelyKey", state.likelyKey}};
}

static void from_json(const nlohmann::json &json, PinState &state) {
  requireObject(json, "pin state");
  state = PinState();
  readField(json, "pin", state.pin);
  readField(json, "state", state.state);
  readField(json, "reason", state.reason);
  readField(json, "code", state.code);
  readField(json, "keys", state.keys);
  readField(json, "likelyKey", state.likelyKey);
}

void to_json(nlohmann::json &json, const PinStates &states) {
  json = makeHeader(PinStates::schema, PinStates::version);
  json["documentVersion"] = states.documentVersion;
  json["generation"] = states.generation;
  json["target"] = states.target;
  json["path"] = states.path;
  json["fingerprint"] = states.fingerprint;
  json["pins"] = states.pins;
  json["changed"] = states.changed;
}

void from_json(const nlohmann::json &json, PinStates &states) {
  checkHeader(json, PinStates::schema, PinStates::version);
  states = PinStates();
  readField(json, "documentVersion", states.documentVersion);
  readField(json, "generation", states.generation);
  readField(json, "target", states.target);
  readField(json, "path", states.path);
  readField(json, "fingerprint", states.fingerprint);
  readField(json, "pins", states.pins);
  readField(json, "changed", states.changed);
}

} // namespace tilewright::model
