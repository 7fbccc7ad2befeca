//===- PinEdit.h - changes to the text of a pins file -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only what changes is written: comments, unknown fields, the order of entries
// and the way they are laid out stay as a person left them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include "core/model/Diagnostic.h"
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::decision {

/// The value of a pin from the words of a command line:
///
///   tile L1.m=128 L1.n=256 L0.k=64      buffers 2     split_k 4
///   scope fuse=f/gate,f/up              merge 8       order blocked
///   scope apart                         core cube
///
/// or one word of JSON. None and TW0224 if they are no value of `kind`, TW0211
/// if there is no such kind.
std::optional<nlohmann::json> readPinWords(std::string_view kind,
                                           std::span<const std::string> words,
                                           model::Diagnostic &problem);

/// `text` with `pin` in it: over the one of the same key, target and kind
/// (whose note stays where the new one has none), else as a new entry behind
/// those that sort before it. An empty text becomes a new file. None and TW0210
/// if `text` is no pins file.
std::optional<std::string> withPin(std::string_view text, const model::Pin &pin,
                                   model::Diagnostic &problem);

/// `text` without the pins of exactly this key (a glob is not matched, but
/// compared) and, where not empty, of this target and kind; `removed` counts
/// them. None and TW0210 if it is no pins file.
std::optional<std::string> withoutPins(std::string_view text,
                                       std::string_view key,
                                       std::string_view target,
                                       std::string_view kind, int64_t &removed,
                                       model::Diagnostic &problem);

/// `text` with other keys: `renamed` maps each key of a pin, and each that the
/// value of a scope pin names. `changed` counts the pins. None and TW0210 if it
/// is no pins file.
std::optional<std::string>
withRenamedKeys(std::string_view text,
                const std::function<std::string(const std::string &)> &renamed,
                int64_t &changed, model::Diagnostic &problem);

} // namespace tilewright::decision
