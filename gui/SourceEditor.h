//===- SourceEditor.h - the source, with what is wrong with it ------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/CodeView.h"
#include "gui/EditTracker.h"
#include "gui/KeyIndex.h"

namespace tilewright::gui {

/// The editor of the source text. Shows diagnostics as squiggles, marks in the
/// margin and text after the end of the line, and finds which operation the
/// caret is in.
class SourceEditor : public CodeView {
  Q_OBJECT
public:
  explicit SourceEditor(QWidget *parent = nullptr);

  void setBytes(const QByteArray &utf8) override;
  EditTracker &edits() { return tracker; }

  void setDiagnostics(const std::vector<SourceDiagnostic> &diagnostics,
                      Encoding encoding);
  /// Where operations are; replaces what was known.
  void setKeys(const std::vector<SourceKey> &keys, Encoding encoding);
  /// Keys of the innermost operation around a byte.
  std::vector<std::string> keysAt(long byte) const;
  /// Lights up the operations `keys` are about.
  void showKeys(const std::vector<std::string> &keys, bool reveal);
  /// Puts the caret there, in view, and takes the focus.
  void goTo(DocumentPosition position, Encoding encoding);

  /// Goes to the first operation `keys` are about. False if there is none.
  bool goToKeys(const std::vector<std::string> &keys);

  /// Text after the end of a line, as shown; for tests.
  QString lineNote(long line) const;

protected:
  void paintEvent(QPaintEvent *event) override;
  void applyTheme() override;
  void resizeEvent(QResizeEvent *event) override;
  QString toolTipAt(long byte) override;

private:
  struct Shown {
    model::TextRange range;
    model::Severity severity;
    QString message;
    QString hint;
    QString code;
  };
  struct Note {
    int marker; ///< handle; moves with its line
    model::Severity severity;
    QString text;
    bool below = false; ///< shown under its line: there is no room after it
  };
  struct KeyRange {
    std::string key;
    model::TextRange range;
    model::TextRange selection;
  };

  /// Notes without room after their line go below it.
  void placeNotes();
  EditTracker tracker;
  std::vector<Shown> shown;
  std::vector<Note> notes;
  std::vector<KeyRange> keyRanges;
  KeyIndex keyIndex;
};

} // namespace tilewright::gui
