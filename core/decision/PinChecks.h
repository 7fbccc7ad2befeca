//===- PinChecks.h - what is odd about a pins file --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/PinsFile.h"

namespace tilewright::decision {

/// What a person who wrote the pins file `text` should know, each with its line
/// and range in `text`: entries that are no pins (TW0210, error), kinds that do
/// not exist (TW0211, error), pins of which a later one takes the place
/// (TW0208), targets that are not among `targets` (TW0209) and a version of the
/// form that is not ours (TW0216), warnings. `file` was parsed from `text`; the
/// `uri` of the diagnostics is left to the caller.
std::vector<model::Diagnostic>
checkPins(std::string_view text, const PinsFile &file,
          const std::vector<std::string> &targets);

} // namespace tilewright::decision
