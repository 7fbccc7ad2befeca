//===- Override.h - stages that a person wrote ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::model {

/// One function or kernel whose IR after a pass is what a person wrote. The
/// file `.tilewright/overrides/SOURCE/NAME.json`, its texts as lists of lines,
/// so that it diffs well. Unknown fields are kept in `extra`.
struct Override {
  static constexpr const char *schema = "tilewright/override";
  static constexpr int version = 1;

  std::string name;         ///< of the file, without ".json"; not in it
  std::string stage;        ///< the pass behind which it stands, "tile/dce"
  std::string target = "*"; ///< a name, or "*"
  /// The function or kernel, without `@`, and the scope it is part of; the
  /// latter is empty for passes that see the whole program.
  std::string part, scope;
  std::string key;         ///< of the operation it is about
  std::string fingerprint; ///< of the IR it stands for
  std::string base;        ///< text of that IR
  std::string text;        ///< what stands there instead
  std::string note;
  nlohmann::json extra = nlohmann::json::object();
};
void to_json(nlohmann::json &json, const Override &override);
void from_json(const nlohmann::json &json, Override &override);

/// One override and what the compilation made of it.
struct OverrideState {
  std::string name, stage, target, part, scope, key, note;
  /// in force: it is what the passes behind it went on with. conflicting: what
  /// it stands for has changed. stale: there is no such function or kernel
  /// behind that pass any more. refused: its text, or what a later pass made of
  /// it, is wrong. unreadable: the file is. elsewhere: for another target. not
  /// reached: an error stopped the compilation before.
  std::string state;
  std::string reason;     ///< why; may be empty
  std::string code;       ///< of the diagnostic that says so; may be empty
  std::string likelyPart; ///< stale: what its part is probably called now
  std::string edit;       ///< unified diff: what it changes
  std::string drift;      ///< unified diff: what changed under it; may be empty
  // Asked for by name: both sides, and what the pass leaves now.
  std::string base, text, now;
};
/// What `override` says of itself; the state is still to be set.
OverrideState stateOf(const Override &override);
void to_json(nlohmann::json &json, const OverrideState &state);
void from_json(const nlohmann::json &json, OverrideState &state);

/// The result of `tilewright/override`.
struct OverrideStates {
  static constexpr const char *schema = "tilewright/overrideStates";
  static constexpr int version = 1;

  int64_t documentVersion = 0;
  int64_t generation = 0;
  std::string target;
  std::string path;                     ///< of the folder they are kept in
  std::vector<OverrideState> overrides; ///< by name
  std::vector<std::string> written;     ///< names, by this request
  std::vector<std::string> removed;     ///< names, by this request
};
void to_json(nlohmann::json &json, const OverrideStates &states);
void from_json(const nlohmann::json &json, OverrideStates &states);

/// A name for the override of `part` behind `stage` for `target`, which is that
/// of its file: letters, digits, `.`, `-`, `_`; at most 120 bytes.
std::string overrideName(const std::string &stage, const std::string &part,
                         const std::string &target);

} // namespace tilewright::model
