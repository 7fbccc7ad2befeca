//===- EditTracker.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/EditTracker.h"

#include "gui/Sci.h"
#include <QTimer>

namespace tilewright::gui {

static constexpr int trackedEvents =
    Sci::SC_MOD_BEFOREINSERT | Sci::SC_MOD_BEFOREDELETE | Sci::SC_MOD_CONTAINER;

EditTracker::EditTracker(QsciScintilla *view) : QObject(view), view(view) {
  send(view, Sci::SCI_SETMODEVENTMASK, trackedEvents);
  connect(view, &Sci::SCN_MODIFIED, this,
          [this](int at, int type, const char *, int length, int, int, int, int,
                 int, int) { modified(at, type, length); });
}

void EditTracker::setPaused(bool value) {
  flush();
  paused = value;
  send(view, Sci::SCI_SETMODEVENTMASK, paused ? 0 : trackedEvents);
}

DocumentPosition EditTracker::position(long at, Encoding encoding) const {
  long line = send(view, Sci::SCI_LINEFROMPOSITION, at);
  long start = send(view, Sci::SCI_POSITIONFROMLINE, line);
  long column = encoding == Encoding::Utf8
                    ? at - start
                    : send(view, Sci::SCI_COUNTCODEUNITS, start, at);
  return {int(line), int(column)};
}

void EditTracker::modified(int at, int type, int length) {
  if (paused)
    return;
  completeInsertion();
  if (!(type & (Sci::SC_MOD_BEFOREINSERT | Sci::SC_MOD_BEFOREDELETE)))
    return;
  bool insertion = type & Sci::SC_MOD_BEFOREINSERT;
  long end = insertion ? at : long(at) + length;
  TextChange change;
  change.utf8 = {position(at, Encoding::Utf8), position(end, Encoding::Utf8)};
  change.utf16 = {position(at, Encoding::Utf16),
                  position(end, Encoding::Utf16)};
  changes.push_back(std::move(change));
  if (insertion) {
    pendingAt = at;
    pendingLength = length;
  }
  if (!scheduled) {
    scheduled = true;
    QTimer::singleShot(0, this, &EditTracker::flush);
  }
}

void EditTracker::completeInsertion() {
  if (pendingAt < 0)
    return;
  // The insertion may have been refused (read-only); then there is less text.
  long length =
      std::min(pendingLength, send(view, Sci::SCI_GETLENGTH) - pendingAt);
  if (auto *text = reinterpret_cast<const char *>(
          send(view, Sci::SCI_GETRANGEPOINTER, pendingAt, length));
      text && length > 0)
    changes.back().text = QByteArray(text, length);
  pendingAt = -1;
}

void EditTracker::flush() {
  completeInsertion();
  scheduled = false;
  if (changes.empty())
    return;
  std::vector<TextChange> batch;
  batch.swap(changes);
  emit edited(batch);
}

} // namespace tilewright::gui
