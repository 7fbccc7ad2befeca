//===- ResultHead.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/ResultHead.h"
#include "core/model/Json.h"

namespace tilewright::model {

nlohmann::json makeHeader(const char *schema, int version,
                          const ResultHead &head) {
  nlohmann::json json = makeHeader(schema, version);
  json["uri"] = head.uri;
  json["documentVersion"] = head.documentVersion;
  json["generation"] = head.generation;
  json["target"] = head.target;
  return json;
}

void readHeader(const nlohmann::json &json, const char *schema, int version,
                ResultHead &head) {
  checkHeader(json, schema, version);
  head = ResultHead();
  readField(json, "uri", head.uri);
  readField(json, "documentVersion", head.documentVersion);
  readField(json, "generation", head.generation);
  readField(json, "target", head.target);
}

} // namespace tilewright::model
