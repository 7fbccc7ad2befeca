//===- MemoryMap.cpp - on-chip buffers in address and time ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/MemoryMap.h"
#include "core/model/Json.h"

using namespace tilewright::model;

void tilewright::model::to_json(nlohmann::json &json, const MemoryMap &map) {
  json = makeHeader(MemoryMap::schema, MemoryMap::version);
  json["pass"] = map.pass;
  json["target"] = map.target;
  json["kernels"] = map.kernels;
}

void tilewright::model::from_json(const nlohmann::json &json, MemoryMap &map) {
  checkHeader(json, MemoryMap::schema, MemoryMap::version);
  map = MemoryMap();
  readField(json, "pass", map.pass);
  readField(json, "target", map.target);
  readField(json, "kernels", map.kernels);
}
