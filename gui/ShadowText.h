//===- ShadowText.h - applying edits to a copy of the text ----------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Document.h"
#include <QByteArray>

namespace tilewright::gui {

/// A copy of the edited text that is kept by the very edits the server gets, so
/// that a restarted server can be given the same text.
class ShadowText {
public:
  void reset(QByteArray text);
  /// Positions outside the text are taken as its nearest end.
  void apply(const TextChange &change);
  const QByteArray &text() const { return bytes; }

private:
  long byteOf(DocumentPosition position) const;
  QByteArray bytes;
  std::vector<long> lineStarts;
};

} // namespace tilewright::gui
