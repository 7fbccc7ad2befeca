//===- MlirHighlighter.h - colours what a code view shows -----------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QObject>

class QsciScintilla;

namespace tilewright::gui {

/// Colours MLIR in a Scintilla view as its container lexer. Only the lines on
/// screen are styled, whatever the size of the text: a QsciLexer would be
/// handed everything up to them.
class MlirHighlighter : public QObject {
  Q_OBJECT
public:
  explicit MlirHighlighter(QsciScintilla *view);
  /// Sets fonts and colours of all styles from the theme.
  void applyTheme();

private:
  void styleVisible();
  QsciScintilla *view = nullptr;
};

} // namespace tilewright::gui
