//===- Options.h - Studio's command line ----------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Screenshot.h"
#include <QString>
#include <QStringList>
#include <optional>

namespace tilewright::gui {

struct Options {
  QString file;
  QString trace;
  QString stage;    ///< "tile" or "tile/expand-tiles"
  QString theme;    ///< light, dark, or empty for the desktop's
  QString language; ///< "en", "zh_CN", or empty for the locale's
  QString target;
  int scale = 0; ///< percent; 0: what is kept, or the platform's
  bool run = false;
  std::optional<ScreenshotRequest> screenshot;

  QString error; ///< what is wrong with the command line
  QString text;  ///< answer to --help or --version

  static Options parse(const QStringList &arguments);
};

} // namespace tilewright::gui
