//===- Origin.h - where a number comes from ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tilewright::model {

/// Every number shown or printed says which of these it is.
enum class Origin {
  Estimated, ///< closed form, from the target description
  Simulated, ///< from the event-driven machine model
  Measured   ///< from a real run or an imported device trace
};
NLOHMANN_JSON_SERIALIZE_ENUM(Origin, {{Origin::Estimated, "estimated"},
                                      {Origin::Simulated, "simulated"},
                                      {Origin::Measured, "measured"}})

/// A figure with its unit ("us", "bytes", "flop", "GFLOP/s") and origin. What
/// is not finite is null in JSON and NaN when read again.
struct Metric {
  std::string name;
  double value = 0;
  std::string unit;
  Origin origin = Origin::Estimated;
};
void to_json(nlohmann::json &json, const Metric &metric);
void from_json(const nlohmann::json &json, Metric &metric);

} // namespace tilewright::model
