//===- SourceFile.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/SourceFile.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStringDecoder>

namespace tilewright::gui {

static constexpr qint64 mostBytes = 1LL << 30;

SourceFile SourceFile::read(const QString &path) {
  SourceFile result;
  QFileInfo info(path);
  if (info.isDir()) {
    result.error = tr("%1 is a folder; choose a file in it").arg(path);
    return result;
  }
  if (info.size() > mostBytes) {
    result.error =
        tr("%1 is larger than 1 GiB, the most Studio opens").arg(path);
    return result;
  }
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    result.error = tr("%1 cannot be read: %2").arg(path, file.errorString());
    return result;
  }
  result.text = file.readAll();
  if (!result.text.isValidUtf8()) {
    result.repaired = true;
    result.text = QString::fromUtf8(result.text).toUtf8();
  }
  return result;
}

QString SourceFile::write(const QString &path, const QByteArray &text) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() ||
      !file.commit())
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
  return {};
}

} // namespace tilewright::gui
