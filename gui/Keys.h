//===- Keys.h - how keys of operations relate -----------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::gui {

/// The operation a key belongs to: without result (":1"), operand ("#0"),
/// repetition ("@2") and part (".row_max") suffixes of its last segment.
std::string_view operationKey(std::string_view key);

/// Whether selecting `selected` should light up something made from `key`:
/// the same operation, or one inside it ("f/loop" lights "f/loop/qk").
bool keyMatches(std::string_view selected, std::string_view key);
bool anyKeyMatches(const std::vector<std::string> &selected,
                   const std::vector<std::string> &keys);

} // namespace tilewright::gui
