//===- WhatIf.cpp - what other tiles would do -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/WhatIf.h"
#include "core/model/Json.h"

namespace tilewright::model {

static void to_json(nlohmann::json &json, const TilePoint &point) {
  json = {{"x", point.x},
          {"y", point.y},
          {"sizes", point.sizes},
          {"legal", point.legal}};
  if (!point.legal) {
    json["code"] = point.code;
    json["why"] = point.why;
    return;
  }
  json["seconds"] = point.seconds;
  json["tasks"] = point.tasks;
  json["coreUse"] = point.coreUse;
  json["bound"] = point.bound;
}

static void from_json(const nlohmann::json &json, TilePoint &point) {
  requireObject(json, "point");
  point = TilePoint();
  readField(json, "x", point.x);
  readField(json, "y", point.y);
  readField(json, "sizes", point.sizes);
  readField(json, "legal", point.legal);
  readField(json, "code", point.code);
  readField(json, "why", point.why);
  readField(json, "seconds", point.seconds);
  readField(json, "tasks", point.tasks);
  readField(json, "coreUse", point.coreUse);
  readField(json, "bound", point.bound);
}

void to_json(nlohmann::json &json, const WhatIf &map) {
  json = makeHeader(WhatIf::schema, WhatIf::version);
  json["documentVersion"] = map.documentVersion;
  json["generation"] = map.generation;
  json["key"] = map.key;
  json["asked"] = map.asked;
  json["target"] = map.target;
  json["origin"] = Origin::Estimated;
  json["xDim"] = map.xDim;
  json["yDim"] = map.yDim;
  json["xs"] = map.xs;
  json["ys"] = map.ys;
  json["points"] = map.points;
  json["current"] = map.current;
  json["best"] = map.best;
  json["currentSeconds"] = map.currentSeconds;
  json["weighed"] = map.weighed;
  json["milliseconds"] = map.milliseconds;
}

void from_json(const nlohmann::json &json, WhatIf &map) {
  checkHeader(json, WhatIf::schema, WhatIf::version);
  map = WhatIf();
  readField(json, "documentVersion", map.documentVersion);
  readField(json, "generation", map.generation);
  readField(json, "key", map.key);
  readField(json, "asked", map.asked);
  readField(json, "target", map.target);
  readField(json, "xDim", map.xDim);
  readField(json, "yDim", map.yDim);
  readField(json, "xs", map.xs);
  readField(json, "ys", map.ys);
  readField(json, "points", map.points);
  readField(json, "current", map.current);
  readField(json, "best", map.best);
  readField(json, "currentSeconds", map.currentSeconds);
  readField(json, "weighed", map.weighed);
  readField(json, "milliseconds", map.milliseconds);
  size_t wanted = map.xs.size() * std::max<size_t>(1, map.ys.size());
  if (map.points.size() != wanted)
    throw JsonError("points: " + std::to_string(map.points.size()) +
                    " of the " + std::to_string(wanted) + " of the axes");
  for (int64_t *index : {&map.current, &map.best})
    if (*index < -1 || *index >= int64_t(map.points.size()))
      throw JsonError("current, best: no point has the index " +
                      std::to_string(*index));
}

std::string tileText(const TileSizes &sizes) {
  std::string text;
  for (const auto &[level, dims] : sizes)
    for (const auto &[dim, size] : dims)
      text += (text.empty() ? "" : " ") + level + "." + dim + "=" +
              std::to_string(size);
  return text;
}

} // namespace tilewright::model
