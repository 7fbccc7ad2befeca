//===- CodeAccessible.h - code views for screen readers -------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QAccessibleTextInterface>
#include <QAccessibleWidget>

namespace tilewright::gui {

class CodeView;

/// The accessible text of a CodeView. Replaces QScintilla's own, which counts
/// the characters before the caret on every key stroke even when no assistive
/// program listens; this one works only when it is asked.
class CodeAccessible : public QAccessibleWidget,
                       public QAccessibleTextInterface {
public:
  explicit CodeAccessible(CodeView *view);
  /// Makes Qt use this class for code views. Idempotent; call after the first
  /// view exists, since QScintilla installs its factory then.
  static void install();

  void *interface_cast(QAccessible::InterfaceType type) override;
  QString text(QAccessible::Text which) const override;

  void selection(int index, int *start, int *end) const override;
  int selectionCount() const override;
  void addSelection(int start, int end) override;
  void removeSelection(int index) override;
  void setSelection(int index, int start, int end) override;
  int cursorPosition() const override;
  void setCursorPosition(int position) override;
  QString text(int start, int end) const override;
  int characterCount() const override;
  QRect characterRect(int offset) const override;
  int offsetAtPoint(const QPoint &point) const override;
  void scrollToSubstring(int start, int end) override;
  QString attributes(int offset, int *start, int *end) const override;

private:
  CodeView *view() const;
  long byteOf(int offset) const;
  int offsetOf(long byte) const;
};

} // namespace tilewright::gui
