//===- KeyColors.h - one hue an operation, in every view ------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Document.h"
#include <QColor>
#include <map>
#include <string>

namespace tilewright::gui {

/// Hands out hues in the order operations stand in the source, so that
/// neighbours differ; unknown keys get one by their text.
class KeyColors {
public:
  void setOrder(const std::vector<SourceKey> &keys);
  QColor colorOf(const std::vector<std::string> &keys) const;
  /// Index into Theme::hues, or -1 for no key.
  int hueOf(const std::vector<std::string> &keys) const;

private:
  std::map<std::string, int, std::less<>> order;
};

} // namespace tilewright::gui
