//===- SelectionModel.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/SelectionModel.h"

#include "gui/Keys.h"
#include <algorithm>

namespace tilewright::gui {

void SelectionModel::select(std::vector<std::string> keys, Origin origin) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  if (keys == selectedKeys)
    return;
  selectedKeys = std::move(keys);
  lastOrigin = origin;
  emit changed();
}

bool SelectionModel::matches(const std::vector<std::string> &keys) const {
  return anyKeyMatches(selectedKeys, keys);
}

QString SelectionModel::describe() const {
  if (selectedKeys.empty())
    return {};
  QString first = QString::fromStdString(selectedKeys.front());
  if (selectedKeys.size() == 1)
    return first;
  if (selectedKeys.size() == 2)
    return first + ", " + QString::fromStdString(selectedKeys.back());
  return tr("%1 and %n more", nullptr, int(selectedKeys.size()) - 1).arg(first);
}

} // namespace tilewright::gui
