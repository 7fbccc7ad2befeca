//===- main.cpp - tilewright-studio ---------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Fonts.h"
#include "gui/LspBackend.h"
#include "gui/MainWindow.h"
#include "gui/Options.h"
#include "gui/Screenshot.h"
#include "gui/StudioStyle.h"
#include "gui/Theme.h"
#include "gui/Translations.h"
#include "gui/UiScale.h"
#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <csignal>
#include <cstdio>

using namespace tilewright::gui;

static bool hasDisplay() {
  return !qEnvironmentVariableIsEmpty("DISPLAY") ||
         !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
}

/// The offscreen platform says for each window what it cannot do, and Qt for
/// each script of a text which of the fonts cannot write it.
static void quietMessages(QtMsgType type, const QMessageLogContext &,
                          const QString &text) {
  if (text.startsWith("This plugin does not support") ||
      text.startsWith("QStandardPaths: ") ||
      text.contains("OpenType support missing for"))
    return;
  std::fprintf(stderr, "%s\n", qPrintable(text));
  if (type == QtFatalMsg)
    std::abort();
}

int main(int argc, char **argv) {
  // A server that dies must not take Studio with it.
  std::signal(SIGPIPE, SIG_IGN);
  QCoreApplication::setApplicationName("tilewright-studio");
  QCoreApplication::setOrganizationName("tilewright");
  QCoreApplication::setApplicationVersion(TILEWRIGHT_VERSION);
  QStringList arguments;
  for (int i = 0; i < argc; ++i)
    arguments << QString::fromLocal8Bit(argv[i]);
  Options options = Options::parse(arguments);
  if (!options.error.isEmpty()) {
    std::fprintf(stderr, "tilewright-studio: %s\n", qPrintable(options.error));
    return 2;
  }
  if (!options.text.isEmpty()) {
    std::fputs(qPrintable(options.text), stdout);
    return 0;
  }
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") &&
      (!hasDisplay() || options.screenshot)) {
    if (!options.screenshot) {
      std::fprintf(
          stderr,
          "tilewright-studio: there is no display (DISPLAY and "
          "WAYLAND_DISPLAY are not set); use --screenshot OUT.png for a "
          "picture without one\n");
      return 1;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  qInstallMessageHandler(quietMessages);
  // A picture does not depend on what someone has chosen for their screen.
  uiscale::applyAtStart(options.scale, !options.screenshot);
  QApplication app(argc, argv);
  QString language = options.language;
  if (language.isEmpty() && !options.screenshot)
    language = QSettings().value("language").toString();
  installTranslation(language);
  // A picture does not depend on how someone left their window.
  QTemporaryDir noSettings;
  if (options.screenshot) {
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope,
                       noSettings.path());
  }
  Theme::Kind system = Theme::systemKind();
  QApplication::setStyle(new StudioStyle);
  Fonts::install();
  QString theme = options.theme.isEmpty()
                      ? QSettings().value("theme").toString()
                      : options.theme;
  Theme::apply(theme == "dark"    ? Theme::Kind::Dark
               : theme == "light" ? Theme::Kind::Light
                                  : system);

  MainWindow window(std::make_unique<LspBackend>());
  Workbench &bench = window.workbench();
  if (!options.target.isEmpty())
    bench.setTarget(options.target);
  bench.wishFor(options.stage);
  if (!options.file.isEmpty()) {
    QString error;
    if (!window.openFile(options.file, &error) && options.screenshot) {
      std::fprintf(stderr, "tilewright-studio: %s\n", qPrintable(error));
      return 1;
    }
  }
  if (!options.trace.isEmpty())
    window.openTrace(options.trace);
  if (options.screenshot) {
    auto *shot = new Screenshot(&window, *options.screenshot);
    QObject::connect(shot, &Screenshot::finished, &app, &QApplication::exit,
                     Qt::QueuedConnection);
    shot->start();
    return QApplication::exec();
  }
  if (options.run)
    QObject::connect(&bench, &Workbench::stagesChanged, &bench, &Workbench::run,
                     Qt::SingleShotConnection);
  window.show();
  return QApplication::exec();
}
