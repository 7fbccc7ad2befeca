//===- Stage.h - stages, pass snapshots, printed text -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "core/model/Origin.h"
#include "core/model/ResultHead.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::model {

/// What one pass did. Its snapshot is named `stage/pass`, and `stage/pass@n`
/// if it ran more than once.
struct PassRecord {
  std::string stage;
  std::string pass;        ///< with its "@n" if any
  bool changed = false;    ///< only changed passes have a snapshot of their own
  bool reused = false;     ///< every scope came from the cache
  double milliseconds = 0; ///< measured
  int64_t operations = 0;  ///< in the snapshot after it
  std::vector<std::string> changedKeys; ///< at most 1,000
  /// Names of the overrides in force behind it: what a person wrote stands in
  /// place of what it left.
  std::vector<std::string> overrides;

  std::string name() const { return stage + "/" + pass; }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PassRecord, stage, pass,
                                                changed, reused, milliseconds,
                                                operations, changedKeys,
                                                overrides)

/// One compilation: every pass in the order it ran. The result of
/// `tilewright/stages`.
struct StageTable : ResultHead {
  static constexpr const char *schema = "tilewright/stages";
  static constexpr int version = 1;

  bool complete = false; ///< false if an error stopped it; see diagnostics
  std::vector<PassRecord> passes;
  std::vector<Diagnostic> diagnostics;
};
void to_json(nlohmann::json &json, const StageTable &table);
void from_json(const nlohmann::json &json, StageTable &table);

/// Part of a printed text that belongs to one operation, value or buffer.
struct TextSpan {
  TextRange range;
  std::vector<std::string> keys;
  std::string id; ///< node id in that stage's graph; may be empty
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TextSpan, range, keys, id)

/// A snapshot as text. Value names are the source's. Spans are sorted by
/// begin, an enclosing span first. The result of `tilewright/ir`.
struct PrintedStage {
  static constexpr const char *schema = "tilewright/ir";
  static constexpr int version = 1;

  std::string stage;
  std::string pass;
  std::string text;
  std::vector<TextSpan> spans;
};
void to_json(nlohmann::json &json, const PrintedStage &printed);
void from_json(const nlohmann::json &json, PrintedStage &printed);

} // namespace tilewright::model
