//===- Pins.h - the pins of a source and what became of them ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include <string>
#include <vector>

namespace tilewright::model {

/// One pin and what the compilation made of it.
struct PinState {
  Pin pin;
  /// honoured: a decision follows it. conflicting: it cannot be obeyed, or
  /// nothing obeys it. not applicable: it names a level that the target lacks.
  /// orphaned: no operation has its key. shadowed: a more
  /// specific or a later pin decides. elsewhere: for another target. unread: no
  /// pin at all.
  std::string state;
  std::string reason; ///< why, with the figures
  std::string code;   ///< of the diagnostic that says so; may be empty
  std::vector<std::string> keys; ///< of the operations it is about
  std::string
      likelyKey; ///< orphaned: what its operation is probably called now
};

/// The result of `tilewright/pins`, `tilewright/pin` and `tilewright/unpin`.
struct PinStates {
  static constexpr const char *schema = "tilewright/pinStates";
  static constexpr int version = 1;

  int64_t documentVersion = 0;
  int64_t generation = 0;
  std::string target;
  std::string path;           ///< of the pins file
  std::string fingerprint;    ///< of its text; empty if there is none
  std::vector<PinState> pins; ///< in the order of the file
  int64_t changed = 0;        ///< pins written or taken away by this request
};
void to_json(nlohmann::json &json, const PinStates &states);
void from_json(const nlohmann::json &json, PinStates &states);

} // namespace tilewright::model
