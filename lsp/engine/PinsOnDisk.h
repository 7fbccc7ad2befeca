//===- PinsOnDisk.h - pins files that several write -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <functional>
#include <optional>
#include <string>

namespace tilewright::engine {

/// A number for a text: 16 hexadecimal digits (FNV-1a). Empty for no text.
std::string fingerprintOf(const std::string &text);

/// The new text of a file from its old one; none and `problem` set: it stays.
using TextChange = std::function<std::optional<std::string>(
    const std::string &text, model::Diagnostic &problem)>;

/// Replaces the file at `path` by what `change` makes of it, as a whole or not
/// at all. Who changes it by this function at the same time waits; who writes
/// it otherwise in between makes us begin anew. An empty new text removes the
/// file. Returns the new text; none with the problem of `change`, TW0218 if
/// `expected` (unless empty) is not the fingerprint of what is there or others
/// kept writing, TW0225 if it cannot be written, TW0219 if it cannot be read.
std::optional<std::string> changePins(const std::string &path,
                                      const std::string &expected,
                                      const TextChange &change,
                                      model::Diagnostic &problem);

} // namespace tilewright::engine
