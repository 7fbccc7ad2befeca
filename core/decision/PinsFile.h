//===- PinsFile.h - decisions fixed by a person -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// foo.mlir.pins.json beside foo.mlir. Text in, text out: who reads and writes
// the file does that itself.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include "core/model/Diagnostic.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::decision {

struct PinsFile {
  static constexpr const char *schema = "tilewright/pins";
  static constexpr int version = 1;

  std::vector<model::Pin> pins;
  /// Entries that are no pins, as they stand in the file; kept.
  struct Unread {
    size_t index; ///< in the file's list, from 0
    nlohmann::json entry;
    std::string fault; ///< completes "pin 3 …"
  };
  std::vector<Unread> unread;
  /// Place of each of `pins` in the file's list, if it was parsed.
  std::vector<size_t> indices;
  /// Members of the document besides schema, version and pins; kept.
  nlohmann::json extra = nlohmann::json::object();

  /// TW0210 if the text is no pins file, with the place; a version after ours
  /// is read as far as we know it. What is wrong with single entries hinders no
  /// other: see checkPins.
  static std::optional<PinsFile> parse(std::string_view text,
                                       model::Diagnostic &problem);
  /// Sorted by key, target and kind, two spaces a level, a line break at the
  /// end: the same pins are the same bytes.
  std::string str() const;

  /// Sets `pin`, replacing the one of the same key, target and kind.
  void set(model::Pin pin);
  /// Whether there was one to remove.
  bool remove(std::string_view key, std::string_view target,
              std::string_view kind);
  /// The pin of `kind` for `key` on `target`; the most specific wins: a key
  /// without wildcards, then a target without, then the longest key, then the
  /// last. Null if there is none.
  const model::Pin *find(std::string_view key, std::string_view target,
                         std::string_view kind) const;
};

/// `*` stands for any characters, `/` included, `?` for one.
bool matchesGlob(std::string_view glob, std::string_view text);

/// Path of the pins of the source at `path`.
std::string pinsPathOf(std::string_view path);

} // namespace tilewright::decision
