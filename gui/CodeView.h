//===- CodeView.h - what the source editor and the IR view share ----------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "gui/Document.h"
#include "gui/Searchable.h"
#include <Qsci/qsciscintilla.h>
#include <vector>

namespace tilewright::gui {

class MlirHighlighter;

/// A Scintilla view of MLIR text: theme, fonts, line numbers, highlighted
/// ranges. Positions and ranges are UTF-8 bytes.
class CodeView : public QsciScintilla, public Searchable {
  Q_OBJECT
public:
  explicit CodeView(QWidget *parent = nullptr);

  /// Replaces everything; forgets the undo history. Fast for large texts.
  virtual void setBytes(const QByteArray &utf8);
  QByteArray bytes() const;

  /// Marks the ranges the selection lights up. `reveal` scrolls to the first
  /// if none is on screen.
  void setHighlights(const std::vector<model::TextRange> &ranges, bool reveal);
  const std::vector<model::TextRange> &highlights() const { return marked; }

  long caret() const;
  long byteOf(DocumentPosition position, Encoding encoding) const;
  model::TextRange bytesOf(const DocumentRange &range, Encoding encoding) const;
  DocumentPosition positionOf(long byte, Encoding encoding) const;
  void revealLine(long line);
  /// Byte under a point of the viewport, -1 if there is no text.
  long byteAt(const QPoint &point) const;

  FindResult find(const QString &text, FindStep step) override;
  QString findHint() const override;
  void endFind() override;

signals:
  /// The user moved the caret (not by editing, not by a program).
  void caretMoved(long byte);
  /// The mouse rests on text that has no tool tip of its own.
  void hovered(long byte, QPoint globalPosition);

protected:
  void changeEvent(QEvent *event) override;
  bool viewportEvent(QEvent *event) override;
  virtual void applyTheme();
  /// Text to show for a byte the mouse rests on; empty for none.
  virtual QString toolTipAt(long byte);

private:
  void updateUi(int what);
  void sizeLineNumbers();

  MlirHighlighter *highlighter = nullptr;
  std::vector<model::TextRange> marked;
  int lineDigits = 0;
};

} // namespace tilewright::gui
