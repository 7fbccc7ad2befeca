//===- Diff.h - two snapshots compared --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::model {

enum class Change { Changed, Added, Removed, Moved };
NLOHMANN_JSON_SERIALIZE_ENUM(Change, {{Change::Changed, "changed"},
                                      {Change::Added, "added"},
                                      {Change::Removed, "removed"},
                                      {Change::Moved, "moved"}})

/// What became of one operation. `before` and `after` are its printed text;
/// the one that does not exist is empty.
struct OperationDiff {
  std::string key;
  Change change = Change::Changed;
  std::string before;
  std::string after;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(OperationDiff, key, change,
                                                before, after)

/// Two snapshots compared operation by operation, by key. The result of
/// `tilewright/diff`.
struct Diff {
  static constexpr const char *schema = "tilewright/diff";
  static constexpr int version = 1;

  std::string from; ///< snapshot, "tile/expand-tiles"
  std::string to;
  std::vector<OperationDiff> ops;
  std::string text; ///< unified diff of the printed snapshots
};
void to_json(nlohmann::json &json, const Diff &diff);
void from_json(const nlohmann::json &json, Diff &diff);

} // namespace tilewright::model
