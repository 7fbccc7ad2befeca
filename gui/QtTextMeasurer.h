//===- QtTextMeasurer.h - text widths in Studio's own fonts ---------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/Text.h"
#include <QFont>
#include <QFontMetricsF>
#include <array>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tilewright::gui {

/// The font of a text style at a zoom: a whole number of pixels, rounded down
/// so that a text never outgrows the room the layout gave it.
QFont sceneFont(viz::TextStyle style, double scale = 1);

class QtTextMeasurer final : public viz::TextMeasurer {
public:
  QtTextMeasurer();
  double width(std::string_view utf8, viz::TextStyle style) const override;

private:
  struct Style {
    QFontMetricsF metrics;
    std::unordered_map<std::string, double> widths;
  };
  mutable std::mutex mutex;
  mutable std::vector<Style> styles;
};

} // namespace tilewright::gui
