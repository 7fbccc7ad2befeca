//===- KeyColors.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/KeyColors.h"

#include "gui/Keys.h"
#include "gui/Theme.h"

namespace tilewright::gui {

void KeyColors::setOrder(const std::vector<SourceKey> &keys) {
  order.clear();
  int next = 0;
  for (const SourceKey &key : keys) {
    // Functions enclose operations and are no operation themselves.
    if (key.key.find('/') == std::string::npos)
      continue;
    auto [entry, isNew] =
        order.try_emplace(std::string(operationKey(key.key)), next);
    next += isNew;
  }
}

int KeyColors::hueOf(const std::vector<std::string> &keys) const {
  if (keys.empty())
    return -1;
  // Of several operations (a fused kernel) the first in the source, so that
  // the hue does not depend on the order they are listed in.
  int best = -1;
  for (const std::string &key : keys) {
    auto found = order.find(operationKey(key));
    if (found != order.end() && (best < 0 || found->second < best))
      best = found->second;
  }
  if (best < 0)
    best = int(std::hash<std::string_view>()(operationKey(keys.front())) % 997);
  return best % int(Theme::current().hues.size());
}

QColor KeyColors::colorOf(const std::vector<std::string> &keys) const {
  int hue = hueOf(keys);
  return hue < 0 ? Theme::current().muted : Theme::current().hues[hue];
}

} // namespace tilewright::gui
