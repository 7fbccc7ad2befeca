//===- PinStates.h - what became of the pins --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Pins.h"
#include "core/pipeline/Session.h"

namespace tilewright {

/// For each of `pins`, with which `compilation` was made, in their order: what
/// became of it and why (model::PinState). An orphan is told the likeliest new
/// key of its operation: the one spelt most alike among those that have such a
/// decision, else the only one of its function that could obey it.
std::vector<model::PinState> pinStates(const Compilation &compilation,
                                       const std::vector<model::Pin> &pins);

} // namespace tilewright
