//===- Screenshot.h - the window as a picture, without a display ----------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QSize>
#include <QString>
#include <QTimer>

namespace tilewright::gui {

class MainWindow;

struct ScreenshotRequest {
  QString path;
  QSize size{1280, 720};
  bool run = false; ///< run once and show the timeline
  QString select;   ///< a key to select; may be empty
  int timeoutMs = 60'000;
};

/// Waits until everything the window asked for has arrived, then writes the
/// picture and ends the program: 0 if it was written, 1 if not, 2 if there is
/// no such target, stage or pass, with the reason on standard error.
class Screenshot : public QObject {
  Q_OBJECT
public:
  Screenshot(MainWindow *window, ScreenshotRequest request);
  void start();
  /// Writes the window now. Empty on success.
  static QString write(MainWindow &window, const QString &path);

signals:
  void finished(int exitCode);

private:
  void look();
  void finish(const QString &error, int failure = 1);

  MainWindow *window = nullptr;
  ScreenshotRequest request;
  QTimer poll;
  QElapsedTimer clock;
  int quietTurns = 0;
  bool ran = false;
  bool selected = false;
};

} // namespace tilewright::gui
