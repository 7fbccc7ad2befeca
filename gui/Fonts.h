//===- Fonts.h - the two fonts Studio uses --------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QFont>
#include <QString>

namespace tilewright::gui {

/// Font families are named explicitly, with simplified Chinese as the fallback
/// for Han: left to itself the platform picks Japanese glyph shapes.
class Fonts {
public:
  /// Registers fallbacks and sets the application font. Call once, after
  /// QApplication exists.
  static void install();
  static QFont ui(double scale = 1, int weight = QFont::Normal);
  static QFont mono(double scale = 1);
  /// First installed monospaced family, for Scintilla, which takes one name.
  static QString monoFamily();
};

} // namespace tilewright::gui
