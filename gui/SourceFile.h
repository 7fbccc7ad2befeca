//===- SourceFile.h - reading and writing the source ----------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QByteArray>
#include <QCoreApplication>
#include <QString>

namespace tilewright::gui {

/// A file's text, or why there is none.
struct SourceFile {
  Q_DECLARE_TR_FUNCTIONS(SourceFile)
public:
  QByteArray text; ///< UTF-8
  QString error;   ///< what is wrong and what to do
  /// The file holds bytes that are not UTF-8; `text` has U+FFFD in their place
  /// and must not be written back.
  bool repaired = false;

  static SourceFile read(const QString &path);
  /// Writes beside the file and renames, so that a full disk loses nothing.
  /// Empty on success.
  static QString write(const QString &path, const QByteArray &text);
};

} // namespace tilewright::gui
