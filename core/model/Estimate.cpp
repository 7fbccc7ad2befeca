//===- Estimate.cpp - what computing something is said to cost ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Estimate.h"
#include "core/model/Json.h"
#include <cmath>
#include <cstdio>

namespace tilewright::model {

void to_json(nlohmann::json &json, const Estimate &estimate) {
  json = {{"key", estimate.key},
          {"kind", estimate.kind},
          {"keys", estimate.keys},
          {"origin", Origin::Estimated},
          {"seconds", estimate.seconds},
          {"tasks", estimate.tasks},
          {"cores", estimate.cores},
          {"waves", estimate.waves},
          {"coreUse", estimate.coreUse},
          {"flop", estimate.flop},
          {"globalBytes", estimate.globalBytes},
          {"intensity", estimate.intensity},
          {"balance", estimate.balance},
          {"bound", estimate.bound},
          {"boundBy", estimate.boundBy},
          {"boundMargin", estimate.boundMargin},
          {"traffic", estimate.traffic},
          {"engines", estimate.engines},
          {"buffers", estimate.buffers},
          {"assumptions", estimate.assumptions}};
}

void from_json(const nlohmann::json &json, Estimate &estimate) {
  requireObject(json, "estimate");
  estimate = Estimate();
  readField(json, "key", estimate.key);
  readField(json, "kind", estimate.kind);
  readField(json, "keys", estimate.keys);
  readField(json, "seconds", estimate.seconds);
  readField(json, "tasks", estimate.tasks);
  readField(json, "cores", estimate.cores);
  readField(json, "waves", estimate.waves);
  readField(json, "coreUse", estimate.coreUse);
  readField(json, "flop", estimate.flop);
  readField(json, "globalBytes", estimate.globalBytes);
  readField(json, "intensity", estimate.intensity);
  readField(json, "balance", estimate.balance);
  readField(json, "bound", estimate.bound);
  readField(json, "boundBy", estimate.boundBy);
  readField(json, "boundMargin", estimate.boundMargin);
  readField(json, "traffic", estimate.traffic);
  readField(json, "engines", estimate.engines);
  readField(json, "buffers", estimate.buffers);
  readField(json, "assumptions", estimate.assumptions);
}

void to_json(nlohmann::json &json, const EstimateList &list) {
  json = makeHeader(EstimateList::schema, EstimateList::version);
  json["documentVersion"] = list.documentVersion;
  json["generation"] = list.generation;
  json["target"] = list.target;
  json["origin"] = Origin::Estimated;
  json["kernels"] = list.kernels;
  json["seconds"] = list.seconds;
  json["launchSeconds"] = list.launchSeconds;
}

void from_json(const nlohmann::json &json, EstimateList &list) {
  checkHeader(json, EstimateList::schema, EstimateList::version);
  list = EstimateList();
  readField(json, "documentVersion", list.documentVersion);
  readField(json, "generation", list.generation);
  readField(json, "target", list.target);
  readField(json, "kernels", list.kernels);
  readField(json, "seconds", list.seconds);
  readField(json, "launchSeconds", list.launchSeconds);
}

/// Three significant digits, without zeros at the end.
static std::string digits(double value) {
  char text[32];
  int whole = value < 1 ? 1 : int(std::floor(std::log10(value))) + 1;
  std::snprintf(text, sizeof text, "%.*f", std::max(0, 3 - whole), value);
  std::string number = text;
  if (number.find('.') != std::string::npos) {
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.')
      number.pop_back();
  }
  return number;
}

std::string formatSeconds(double seconds) {
  if (!std::isfinite(seconds))
    return "unknown";
  if (seconds >= 1)
    return digits(seconds) + " s";
  if (seconds >= 1e-3)
    return digits(seconds * 1e3) + " ms";
  if (seconds >= 1e-6)
    return digits(seconds * 1e6) + " us";
  return digits(seconds * 1e9) + " ns";
}

std::string formatAmount(double value, const std::string &unit) {
  static const char *scales[] = {"", "k", "M", "G", "T", "P"};
  int scale = 0;
  while (std::abs(value) >= 1000 && scale < 5) {
    value /= 1000;
    ++scale;
  }
  return digits(value) + " " + scales[scale] + unit;
}

} // namespace tilewright::model
