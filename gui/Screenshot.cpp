//===- Screenshot.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Screenshot.h"

#include "gui/GraphCanvas.h"
#include "gui/MainWindow.h"
#include <QFileInfo>
#include <QSaveFile>
#include <algorithm>
#include <cstdio>

namespace tilewright::gui {

Screenshot::Screenshot(MainWindow *window, ScreenshotRequest request)
    : QObject(window), window(window), request(std::move(request)) {
  poll.setInterval(30);
  connect(&poll, &QTimer::timeout, this, &Screenshot::look);
}

void Screenshot::start() {
  // The picture's size; the window's is in units that the screen draws larger.
  window->resize((QSizeF(request.size) / window->devicePixelRatioF()).toSize());
  window->show();
  clock.start();
  poll.start();
}

/// Of an operation of the source or of what a pass has made.
static bool isKey(const Workbench &bench, const std::string &key) {
  if (bench.sourceKeys())
    for (const SourceKey &one : bench.sourceKeys()->keys)
      if (one.key == key)
        return true;
  if (bench.table())
    for (const auto &pass : bench.table()->passes)
      if (std::ranges::count(pass.changedKeys, key))
        return true;
  return false;
}

void Screenshot::look() {
  Workbench &bench = window->workbench();
  bool dead = bench.engineState() == EngineState::Failed;
  if (clock.elapsed() > request.timeoutMs)
    return finish(tr("nothing to show after %1 s; the engine is %2")
                      .arg(request.timeoutMs / 1000)
                      .arg(bench.settled() ? tr("idle") : tr("still working")));
  if (dead && bench.hasDocument())
    return finish(bench.engineDetail());
  // Whether the wished target is one is known when the targets are.
  bool targetsKnown = dead || !bench.targets().targets.empty();
  if (!bench.settled() || (bench.hasDocument() && !targetsKnown) ||
      (bench.hasDocument() && bench.engineState() == EngineState::Starting)) {
    quietTurns = 0;
    return;
  }
  // A few turns more: diagnostics and repaints come after what they are about.
  if (++quietTurns < 8)
    return;
  quietTurns = 0;
  if (!bench.wishError().isEmpty())
    return finish(bench.wishError(), 2);
  if (!bench.stagesError().isEmpty())
    return finish(bench.stagesError());
  if (request.run && !ran && bench.hasDocument()) {
    ran = true;
    bench.run();
    return;
  }
  if (!request.select.isEmpty() && !selected) {
    selected = true;
    if (bench.hasDocument() && !isKey(bench, request.select.toStdString()))
      return finish(tr("no operation has the key %1").arg(request.select), 2);
    bench.selection().select({request.select.toStdString()},
                             SelectionModel::Origin::None);
    return;
  }
  // A target that is interpreted is not timed, and leaves no trace.
  bool interpreted = bench.runError().isEmpty() && bench.lastRun() &&
                     bench.lastRun()->milliseconds.empty();
  if (request.run && bench.hasDocument() && !bench.trace() && !interpreted)
    return finish(bench.runError().isEmpty() ? tr("the run left no trace")
                                             : bench.runError());
  finish(write(*window, request.path));
}

QString Screenshot::write(MainWindow &window, const QString &path) {
  QPixmap picture = window.grab();
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly))
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
  QByteArray format = QFileInfo(path).suffix().toLatin1();
  if (!picture.save(&file, format.isEmpty() ? "png" : format.constData()))
    return tr("%1 cannot be written as an image of kind \"%2\"")
        .arg(path, QString::fromLatin1(format));
  if (!file.commit())
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
  return {};
}

void Screenshot::finish(const QString &error, int failure) {
  poll.stop();
  if (!error.isEmpty())
    std::fprintf(stderr, "tilewright-studio: %s\n", qPrintable(error));
  emit finished(error.isEmpty() ? 0 : failure);
}

} // namespace tilewright::gui
