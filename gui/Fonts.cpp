//===- Fonts.cpp ----------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Fonts.h"

#include <QApplication>
#include <QFontDatabase>

namespace tilewright::gui {

static constexpr double basePoints = 9.75;

static QString firstInstalled(const QStringList &wanted,
                              QFontDatabase::SystemFont fallback) {
  const QStringList families = QFontDatabase::families();
  for (const QString &family : wanted)
    if (families.contains(family))
      return family;
  return QFontDatabase::systemFont(fallback).family();
}

static QString uiFamily() {
  static const QString family = firstInstalled(
      {"Noto Sans", "Inter", "DejaVu Sans"}, QFontDatabase::GeneralFont);
  return family;
}

QString Fonts::monoFamily() {
  static const QString family = firstInstalled(
      {"Noto Sans Mono", "DejaVu Sans Mono"}, QFontDatabase::FixedFont);
  return family;
}

void Fonts::install() {
  // Also reaches code that can only name one family.
  QFont::insertSubstitutions(monoFamily(),
                             {"Noto Sans Mono CJK SC", "Noto Sans CJK SC"});
  QFont::insertSubstitutions(uiFamily(), {"Noto Sans CJK SC"});
  QApplication::setFont(ui());
}

QFont Fonts::ui(double scale, int weight) {
  QFont font;
  font.setFamilies({uiFamily(), "Noto Sans CJK SC"});
  font.setPointSizeF(basePoints * scale);
  font.setWeight(QFont::Weight(weight));
  return font;
}

QFont Fonts::mono(double scale) {
  QFont font;
  font.setFamilies({monoFamily(), "Noto Sans Mono CJK SC", "Noto Sans CJK SC"});
  font.setPointSizeF(basePoints * scale);
  font.setStyleHint(QFont::Monospace);
  return font;
}

} // namespace tilewright::gui
