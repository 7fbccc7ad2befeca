//===- Decision.h - choices, pins and why -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Estimate.h"
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::model {

/// Overridden: the IR it was made for is what a person wrote since.
enum class DecisionOrigin { Default, Tuned, Pinned, Overridden };
NLOHMANN_JSON_SERIALIZE_ENUM(DecisionOrigin,
                             {{DecisionOrigin::Default, "default"},
                              {DecisionOrigin::Tuned, "tuned"},
                              {DecisionOrigin::Pinned, "pinned"},
                              {DecisionOrigin::Overridden, "overridden"}})

/// Tile sizes: level name ("L1", "cache2") -> dimension ("m", "d0") -> size.
using TileSizes = std::map<std::string, std::map<std::string, int64_t>>;

/// An alternative that was weighed and not taken.
struct Alternative {
  nlohmann::json value;
  bool legal = true;
  std::string reason; ///< why it lost, with figures
  std::vector<Metric> metrics;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Alternative, value, legal,
                                                reason, metrics)

/// One choice in force. `kind` is one of tile, scope, buffers, merge, split_k,
/// core, order; the form of `value` depends on it (tile: TileSizes).
struct Decision {
  std::string key;
  std::string target;
  std::string kind;
  nlohmann::json value;
  DecisionOrigin origin = DecisionOrigin::Default;
  std::string reason;
  std::vector<Alternative> weighed;
  std::vector<Metric> metrics;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Decision, key, target, kind,
                                                value, origin, reason, weighed,
                                                metrics)

/// Every decision in force. The result of `tilewright/decisions`.
struct DecisionList {
  static constexpr const char *schema = "tilewright/decisions";
  static constexpr int version = 1;

  int64_t documentVersion = 0;
  int64_t generation = 0;
  std::vector<Decision> decisions;
  /// Where one operation was asked about: its key, …
  std::string key;
  /// … the operation whose kernel it is computed in, …
  std::string root;
  /// … what that is estimated to cost (none or one), …
  std::vector<Estimate> estimates;
  /// … and all of it as a person would tell it.
  std::string explanation;
};
void to_json(nlohmann::json &json, const DecisionList &list);
void from_json(const nlohmann::json &json, DecisionList &list);

/// One entry of a pins file; `key` may be a glob, `target` may be "*". Unknown
/// fields are kept in `extra`.
struct Pin {
  std::string key;
  std::string target = "*";
  std::string kind;
  nlohmann::json value;
  std::string note;
  nlohmann::json extra = nlohmann::json::object();
};
void to_json(nlohmann::json &json, const Pin &pin);
void from_json(const nlohmann::json &json, Pin &pin);

/// The file `foo.mlir.pins.json` beside `foo.mlir`. Written sorted by key,
/// target and kind, so that it diffs well.
struct PinsFile {
  static constexpr const char *schema = "tilewright/pins";
  static constexpr int version = 1;

  std::vector<Pin> pins;
  nlohmann::json extra = nlohmann::json::object();
};
void to_json(nlohmann::json &json, const PinsFile &file);
void from_json(const nlohmann::json &json, PinsFile &file);

} // namespace tilewright::model
