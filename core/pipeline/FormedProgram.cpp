//===- FormedProgram.cpp - a program up to its scopes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/FormedProgram.h"

namespace tilewright {

std::vector<model::Pin> formingPins(const std::vector<model::Pin> &pins) {
  std::vector<model::Pin> forming;
  for (const model::Pin &pin : pins)
    if (pin.kind != "tile" && pin.kind != "buffers" && pin.kind != "merge" &&
        pin.kind != "order")
      forming.push_back(pin);
  return forming;
}

/// With their names, which are told of.
static nlohmann::json named(const std::vector<model::Override> &overrides) {
  nlohmann::json all = nlohmann::json::array();
  for (const model::Override &override : overrides)
    all.push_back({override.name, override});
  return all;
}

bool FormedProgram::serves(const CompileRequest &other,
                           const pass::TargetPtr &otherTarget,
                           const SharedContext &otherContext) const {
  return context == otherContext && target == otherTarget &&
         request.uri == other.uri &&
         request.documentVersion == other.documentVersion &&
         request.function == other.function && request.text == other.text &&
         nlohmann::json(request.pins) ==
             nlohmann::json(formingPins(other.pins)) &&
         named(request.overrides) == named(formingOverrides(other.overrides));
}

} // namespace tilewright
