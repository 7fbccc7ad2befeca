//===- CodeAccessible.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/CodeAccessible.h"

#include "gui/CodeView.h"
#include "gui/Sci.h"

namespace tilewright::gui {

static QAccessibleInterface *make(const QString &, QObject *object) {
  if (auto *view = qobject_cast<CodeView *>(object))
    return new CodeAccessible(view);
  return nullptr;
}

void CodeAccessible::install() {
  static bool installed = false;
  if (!installed)
    QAccessible::installFactory(make);
  installed = true;
}

CodeAccessible::CodeAccessible(CodeView *view)
    : QAccessibleWidget(view, QAccessible::EditableText) {}

CodeView *CodeAccessible::view() const {
  return static_cast<CodeView *>(widget());
}

void *CodeAccessible::interface_cast(QAccessible::InterfaceType type) {
  if (type == QAccessible::TextInterface)
    return static_cast<QAccessibleTextInterface *>(this);
  return QAccessibleWidget::interface_cast(type);
}

QString CodeAccessible::text(QAccessible::Text which) const {
  if (which == QAccessible::Value)
    return text(0, characterCount());
  return QAccessibleWidget::text(which);
}

long CodeAccessible::byteOf(int offset) const {
  if (offset <= 0)
    return 0;
  long at = send(view(), Sci::SCI_POSITIONRELATIVECODEUNITS, 0, offset);
  return at ? at : send(view(), Sci::SCI_GETLENGTH);
}

int CodeAccessible::offsetOf(long byte) const {
  return int(send(view(), Sci::SCI_COUNTCODEUNITS, 0, byte));
}

void CodeAccessible::selection(int index, int *start, int *end) const {
  *start = *end = 0;
  if (index >= selectionCount())
    return;
  *start = offsetOf(send(view(), Sci::SCI_GETSELECTIONNSTART, index));
  *end = offsetOf(send(view(), Sci::SCI_GETSELECTIONNEND, index));
}

int CodeAccessible::selectionCount() const {
  return send(view(), Sci::SCI_GETSELECTIONEMPTY)
             ? 0
             : int(send(view(), Sci::SCI_GETSELECTIONS));
}

void CodeAccessible::addSelection(int start, int end) {
  send(view(), Sci::SCI_ADDSELECTION, byteOf(end), byteOf(start));
}

void CodeAccessible::removeSelection(int index) {
  send(view(), Sci::SCI_DROPSELECTIONN, index);
}

void CodeAccessible::setSelection(int, int start, int end) {
  send(view(), Sci::SCI_SETSELECTION, byteOf(end), byteOf(start));
}

int CodeAccessible::cursorPosition() const { return offsetOf(view()->caret()); }

void CodeAccessible::setCursorPosition(int position) {
  send(view(), Sci::SCI_GOTOPOS, byteOf(position));
}

QString CodeAccessible::text(int start, int end) const {
  long from = byteOf(start), to = byteOf(end);
  if (to <= from)
    return {};
  auto *text = reinterpret_cast<const char *>(
      send(view(), Sci::SCI_GETRANGEPOINTER, from, to - from));
  return QString::fromUtf8(text, to - from);
}

int CodeAccessible::characterCount() const {
  return offsetOf(send(view(), Sci::SCI_GETLENGTH));
}

QRect CodeAccessible::characterRect(int offset) const {
  long at = byteOf(offset);
  QPoint corner(send(view(), Sci::SCI_POINTXFROMPOSITION, 0, at),
                send(view(), Sci::SCI_POINTYFROMPOSITION, 0, at));
  long next = send(view(), Sci::SCI_POSITIONAFTER, at);
  long right = send(view(), Sci::SCI_POINTXFROMPOSITION, 0, next);
  long height = send(view(), Sci::SCI_TEXTHEIGHT);
  return {view()->viewport()->mapToGlobal(corner),
          QSize(std::max(1L, right - corner.x()), height)};
}

int CodeAccessible::offsetAtPoint(const QPoint &point) const {
  long at = view()->byteAt(view()->viewport()->mapFromGlobal(point));
  return at < 0 ? -1 : offsetOf(at);
}

void CodeAccessible::scrollToSubstring(int start, int end) {
  send(view(), Sci::SCI_SCROLLRANGE, byteOf(end), byteOf(start));
}

QString CodeAccessible::attributes(int offset, int *start, int *end) const {
  *start = offset;
  *end = characterCount();
  return {};
}

} // namespace tilewright::gui
