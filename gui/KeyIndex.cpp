//===- KeyIndex.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/KeyIndex.h"

#include "gui/Keys.h"
#include <algorithm>

namespace tilewright::gui {

void KeyIndex::add(const std::string &key, uint32_t item) {
  std::string_view operation = operationKey(key);
  auto found = items.find(operation);
  if (found == items.end())
    found =
        items.emplace(std::string(operation), std::vector<uint32_t>()).first;
  if (found->second.empty() || found->second.back() != item)
    found->second.push_back(item);
}

void KeyIndex::add(const std::vector<std::string> &keys, uint32_t item) {
  for (const std::string &key : keys)
    add(key, item);
}

std::vector<uint32_t>
KeyIndex::lookup(const std::vector<std::string> &selected) const {
  std::vector<uint32_t> found;
  for (const std::string &key : selected) {
    std::string_view operation = operationKey(key);
    if (operation.empty())
      continue;
    if (auto own = items.find(operation); own != items.end())
      found.insert(found.end(), own->second.begin(), own->second.end());
    std::string prefix = std::string(operation) + "/";
    for (auto inner = items.lower_bound(prefix);
         inner != items.end() && inner->first.starts_with(prefix); ++inner)
      found.insert(found.end(), inner->second.begin(), inner->second.end());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

} // namespace tilewright::gui
