//===- Main.cpp - runs the test classes named on the command line ---------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "gui/Fonts.h"
#include "gui/StudioStyle.h"
#include "gui/Theme.h"
#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

using namespace tilewright::gui;

SuiteMap &tilewright::gui::suites() {
  static SuiteMap all;
  return all;
}

int main(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  QApplication::setApplicationName("tilewright-studio");
  QApplication::setOrganizationName("tilewright");
  QTemporaryDir settings;
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope,
                     settings.path());
  QApplication::setStyle(new StudioStyle);
  Fonts::install();
  Theme::apply(Theme::Kind::Light);

  std::string wanted = argc > 1 ? argv[1] : "";
  QStringList rest{argv[0]};
  for (int i = 2; i < argc; ++i)
    rest << argv[i];
  int failures = 0;
  bool any = false;
  for (auto &[name, make] : suites()) {
    if (!wanted.empty() && name != wanted)
      continue;
    any = true;
    failures += QTest::qExec(make().get(), rest);
  }
  if (!any)
    qCritical("no such suite: %s", wanted.c_str());
  return any ? failures : 2;
}
