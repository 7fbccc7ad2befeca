//===- Sci.h - one way to send messages to Scintilla ----------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QColor>
#include <Qsci/qsciscintilla.h>
#include <cstdint>

namespace tilewright::gui {

using Sci = QsciScintillaBase;

/// SendScintilla has a dozen overloads that integers and pointers pick from by
/// accident; this is the plain one.
inline long send(const Sci *view, unsigned message, long a = 0, long b = 0) {
  return view->SendScintilla(message, static_cast<unsigned long>(a), b);
}
inline long sendText(const Sci *view, unsigned message, long a,
                     const char *text) {
  return send(view, message, a, reinterpret_cast<intptr_t>(text));
}
inline long sciColor(const QColor &color) {
  return color.red() | color.green() << 8 | color.blue() << 16;
}

} // namespace tilewright::gui
