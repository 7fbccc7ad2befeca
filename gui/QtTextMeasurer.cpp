//===- QtTextMeasurer.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/QtTextMeasurer.h"

#include "gui/Fonts.h"
#include <algorithm>
#include <cmath>

namespace tilewright::gui {

static constexpr int styleCount = int(viz::TextStyle::Heading) + 1;

QFont sceneFont(viz::TextStyle style, double scale) {
  QFont font =
      Fonts::ui(1, viz::isBold(style) ? QFont::DemiBold : QFont::Normal);
  font.setPixelSize(std::max(1, int(std::floor(viz::fontSize(style) * scale))));
  return font;
}

QtTextMeasurer::QtTextMeasurer() {
  for (int i = 0; i < styleCount; ++i)
    styles.push_back({QFontMetricsF(sceneFont(viz::TextStyle(i))), {}});
}

double QtTextMeasurer::width(std::string_view utf8,
                             viz::TextStyle style) const {
  std::lock_guard lock(mutex);
  Style &own = styles[int(style)];
  auto [entry, isNew] = own.widths.try_emplace(std::string(utf8), 0);
  if (isNew)
    entry->second = own.metrics.horizontalAdvance(
        QString::fromUtf8(utf8.data(), qsizetype(utf8.size())));
  return entry->second;
}

} // namespace tilewright::gui
