//===- PinTable.h - pins for a terminal -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Pins.h"
#include <string>

namespace tilewright::tool {

/// The pins of a source, a line each, and below why those that are not honoured
/// are not.
std::string pinTable(const model::PinStates &states);

/// What the pin of this key and kind came to, in a line or two.
std::string pinOutcome(const model::PinStates &states, const std::string &key,
                       const std::string &kind);

} // namespace tilewright::tool
