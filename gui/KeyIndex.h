//===- KeyIndex.h - from keys to the items made from them -----------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilewright::gui {

/// Finds the items (spans, nodes, events) a selection lights up without
/// looking at all of them. Follows the rule of keyMatches().
class KeyIndex {
public:
  void add(const std::vector<std::string> &keys, uint32_t item);
  void add(const std::string &key, uint32_t item);
  void clear() { items.clear(); }
  /// Items for any of `selected`, ascending and unique.
  std::vector<uint32_t> lookup(const std::vector<std::string> &selected) const;

private:
  std::map<std::string, std::vector<uint32_t>, std::less<>> items;
};

} // namespace tilewright::gui
