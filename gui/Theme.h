//===- Theme.h - colours of the light and the dark look -------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QColor>
#include <QPalette>
#include <QString>
#include <array>

class QApplication;

namespace tilewright::gui {

/// All colours Studio paints with. Widgets read `Theme::current()` when they
/// paint and re-style on QEvent::PaletteChange, so that a switch reaches
/// everything without a style sheet (which would cut widgets off from the
/// palette).
struct Theme {
  enum class Kind { Light, Dark };
  Kind kind = Kind::Light;

  QColor window;     ///< behind everything
  QColor surface;    ///< editors, lists, canvases
  QColor raised;     ///< headers, cards, graph nodes
  QColor border;     ///< hairlines between areas
  QColor text;       ///< main text
  QColor muted;      ///< secondary text (contrast at least 4.5 on surface)
  QColor faint;      ///< line numbers, disabled
  QColor accent;     ///< selection, primary action
  QColor onAccent;   ///< text on accent
  QColor accentSoft; ///< background of selected things
  QColor hover;
  QColor error;
  QColor warning;
  QColor info;
  QColor good;
  QColor grid; ///< dots of the graph canvas, rules of the timeline

  QColor synComment, synString, synNumber, synValue, synSymbol, synType, synOp,
      synKeyword, synAttribute, synPunctuation;

  /// Hues that tell operations apart; the same key has the same hue in every
  /// view.
  std::array<QColor, 10> hues;

  bool dark() const { return kind == Kind::Dark; }
  QPalette palette() const;

  static Theme make(Kind kind);
  static const Theme &current();
  /// Installs the theme: palette, tool tips. Takes effect on the next turn of
  /// the event loop.
  static void apply(Kind kind);
  /// What the desktop uses, judged by the palette it started with.
  static Kind systemKind();
};

/// `a` over `b` with weight `t` of a.
QColor mix(const QColor &a, const QColor &b, double t);

} // namespace tilewright::gui
