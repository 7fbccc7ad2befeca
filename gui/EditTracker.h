//===- EditTracker.h - a view's modifications as protocol edits -----------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Document.h"
#include <QObject>
#include <vector>

class QsciScintilla;

namespace tilewright::gui {

/// Turns every modification of a Scintilla document (typing, paste, undo, redo,
/// several carets) into edits in the protocol's terms, in order.
///
/// It listens to the *before* events only: with the events that follow a change
/// QScintilla counts characters from the start of the text on each key, which
/// takes a second in a 100 MB file. The inserted text is therefore fetched when
/// the next event comes, or by flush().
class EditTracker : public QObject {
  Q_OBJECT
public:
  explicit EditTracker(QsciScintilla *view);

  /// While paused nothing is recorded (loading a file).
  void setPaused(bool paused);
  /// Delivers what is recorded now instead of on the next event-loop turn.
  void flush();

signals:
  void edited(const std::vector<tilewright::gui::TextChange> &changes);

private:
  void modified(int position, int type, int length);
  void completeInsertion();
  DocumentPosition position(long at, Encoding encoding) const;

  QsciScintilla *view = nullptr;
  bool paused = false;
  bool scheduled = false;
  long pendingAt = -1; ///< insertion whose text is not fetched yet
  long pendingLength = 0;
  std::vector<TextChange> changes;
};

} // namespace tilewright::gui
