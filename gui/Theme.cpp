//===- Theme.cpp ----------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Theme.h"

#include <QApplication>
#include <QToolTip>

namespace tilewright::gui {

QColor mix(const QColor &a, const QColor &b, double t) {
  auto blend = [t](int x, int y) { return int(x * t + y * (1 - t) + 0.5); };
  return QColor(blend(a.red(), b.red()), blend(a.green(), b.green()),
                blend(a.blue(), b.blue()));
}

Theme Theme::make(Kind kind) {
  Theme t;
  t.kind = kind;
  if (kind == Kind::Light) {
    t.window = "#f3f4f7";
    t.surface = "#ffffff";
    t.raised = "#f8f9fb";
    t.border = "#dde1e8";
    t.text = "#1d2330";
    t.muted = "#5d6679";
    t.faint = "#a2aab8";
    t.accent = "#2b62e3";
    t.onAccent = "#ffffff";
    t.accentSoft = "#dfe8fd";
    t.hover = "#e9ecf2";
    t.error = "#cf2a3d";
    t.warning = "#a86400";
    t.info = "#2b62e3";
    t.good = "#1a7f4b";
    t.grid = "#e4e7ed";
    t.synComment = "#76808f";
    t.synString = "#1a7f4b";
    t.synNumber = "#a6480a";
    t.synValue = "#1d2330";
    t.synSymbol = "#7a3fc4";
    t.synType = "#0b7285";
    t.synOp = "#2452c4";
    t.synKeyword = "#b0246e";
    t.synAttribute = "#8a5a00";
    t.synPunctuation = "#7d8696";
    t.hues = {"#3b6fe0", "#0f9d8a", "#c2570c", "#8b5cf6", "#d03a78",
              "#4d8a17", "#0e86b8", "#b58100", "#a04ad0", "#5b6b8c"};
  } else {
    t.window = "#15171c";
    t.surface = "#1a1d23";
    t.raised = "#20242c";
    t.border = "#2d323c";
    t.text = "#e4e8ef";
    t.muted = "#98a1b2";
    t.faint = "#596172";
    t.accent = "#6a9bff";
    t.onAccent = "#0d1220";
    t.accentSoft = "#25365c";
    t.hover = "#272c36";
    t.error = "#ff7383";
    t.warning = "#f0b457";
    t.info = "#6a9bff";
    t.good = "#58c98b";
    t.grid = "#282d36";
    t.synComment = "#7b8596";
    t.synString = "#8fd19e";
    t.synNumber = "#f2a56b";
    t.synValue = "#e4e8ef";
    t.synSymbol = "#c4a2ff";
    t.synType = "#6cc7d6";
    t.synOp = "#86aeff";
    t.synKeyword = "#f48bbd";
    t.synAttribute = "#e2c27a";
    t.synPunctuation = "#808a9b";
    t.hues = {"#6a9bff", "#3fc8b4", "#f08c4a", "#a98bfa", "#f472a8",
              "#8ccb4a", "#4fc1f0", "#e0b040", "#cf8bf0", "#93a4c8"};
  }
  return t;
}

QPalette Theme::palette() const {
  QPalette p;
  p.setColor(QPalette::Window, window);
  p.setColor(QPalette::WindowText, text);
  p.setColor(QPalette::Base, surface);
  p.setColor(QPalette::AlternateBase, raised);
  p.setColor(QPalette::Text, text);
  p.setColor(QPalette::Button, raised);
  p.setColor(QPalette::ButtonText, text);
  p.setColor(QPalette::BrightText, error);
  p.setColor(QPalette::Highlight, accent);
  p.setColor(QPalette::HighlightedText, onAccent);
  p.setColor(QPalette::Link, accent);
  p.setColor(QPalette::LinkVisited, accent);
  p.setColor(QPalette::PlaceholderText, muted);
  p.setColor(QPalette::ToolTipBase, raised);
  p.setColor(QPalette::ToolTipText, text);
  p.setColor(QPalette::Light, mix(surface, text, dark() ? 0.86 : 1));
  p.setColor(QPalette::Midlight, hover);
  p.setColor(QPalette::Mid, border);
  p.setColor(QPalette::Dark, mix(border, text, 0.75));
  p.setColor(QPalette::Shadow, dark() ? QColor("#0b0c0f") : QColor("#9aa2b1"));
  for (QPalette::ColorRole role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, faint);
  p.setColor(QPalette::Disabled, QPalette::Highlight, border);
  p.setColor(QPalette::Disabled, QPalette::HighlightedText, muted);
  return p;
}

// The look is one for the whole program, as QApplication's palette is.
static Theme &installed() {
  static Theme theme = Theme::make(Theme::Kind::Light);
  return theme;
}

const Theme &Theme::current() { return installed(); }

void Theme::apply(Kind kind) {
  installed() = make(kind);
  QPalette palette = installed().palette();
  QApplication::setPalette(palette);
  QToolTip::setPalette(palette);
}

Theme::Kind Theme::systemKind() {
  static const Kind kind =
      QApplication::palette().color(QPalette::Window).lightness() < 128
          ? Kind::Dark
          : Kind::Light;
  return kind;
}

} // namespace tilewright::gui
