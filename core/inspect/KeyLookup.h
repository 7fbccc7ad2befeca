//===- KeyLookup.h - from a place in a printed stage to keys ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Stage.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::inspect {

/// The innermost operation at `offset` of `printed` that has keys.
std::optional<model::TextSpan> spanAt(const model::PrintedStage &printed,
                                      int64_t offset);

/// Ranges of the operations of `printed` that carry `key` or a part of it
/// ("f/p" finds "f/p.row_max"), in order of the text. Ranges inside a range
/// that is already listed are left out.
std::vector<model::TextRange> rangesOf(const model::PrintedStage &printed,
                                       std::string_view key);

/// True if something keyed `key` comes from what is keyed `from`: the same, a
/// part, result or operand of it, or inside it.
bool comesFrom(std::string_view key, std::string_view from);

} // namespace tilewright::inspect
