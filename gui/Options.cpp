//===- Options.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Options.h"

#include "gui/MainWindow.h"
#include "gui/UiScale.h"
#include <QCommandLineParser>
#include <QCoreApplication>
#include <QRegularExpression>

namespace tilewright::gui {

static constexpr int mostPixels = 16384;

Options Options::parse(const QStringList &arguments) {
  Options options;
  QCommandLineParser parser;
  parser.setApplicationDescription(
      "Looks at an operator at every stage of its compilation.");
  parser.addPositionalArgument("file", "The source (.mlir) to open.", "[file]");
  auto help = parser.addHelpOption();
  auto version = parser.addVersionOption();
  parser.addOptions({
      {"screenshot",
       "Write a picture of the window and exit. Needs no display.", "out.png"},
      {"size",
       "Size of the window in pixels (default 1280x720, at least 900x560).",
       "WxH"},
      {"theme", "light or dark.", "theme"},
      {"scale",
       "How large everything is drawn: 1, 1.25, 1.5, 2 or percent. A picture "
       "of 3840x2160 with --scale 2 shows what one of 1920x1080 shows.",
       "factor"},
      {"stage", "Stage or pass to show: tile, tile/expand-tiles …", "stage"},
      {"select", "Key of an operation to select (with --screenshot).", "key"},
      {"run", "Run the operator once it is compiled."},
      {"trace", "Open a Chrome trace.", "file.json"},
      {"target", "Target to compile for.", "name"},
      {"language", "en or zh_CN.", "language"},
      {"timeout", "Seconds to wait for a screenshot (default 60).", "seconds"},
  });
  if (!parser.parse(arguments)) {
    options.error = parser.errorText();
    return options;
  }
  if (parser.isSet(help)) {
    // There is no application yet whose name Qt could put there.
    options.text = parser.helpText().replace(
        "<executable_name>", QCoreApplication::applicationName());
    return options;
  }
  if (parser.isSet(version)) {
    options.text = QCoreApplication::applicationName() + " " +
                   QCoreApplication::applicationVersion() + "\n";
    return options;
  }
  QStringList files = parser.positionalArguments();
  if (files.size() > 1) {
    options.error = QString("one file can be opened, not %1").arg(files.size());
    return options;
  }
  options.file = files.value(0);
  options.trace = parser.value("trace");
  options.stage = parser.value("stage");
  options.theme = parser.value("theme");
  options.target = parser.value("target");
  options.language = parser.value("language");
  options.run = parser.isSet("run");
  if (!options.theme.isEmpty() && options.theme != "light" &&
      options.theme != "dark") {
    options.error =
        QString("theme is \"%1\"; use light or dark").arg(options.theme);
    return options;
  }
  static const QStringList languages = {"en", "en_US", "zh", "zh_CN"};
  if (!options.language.isEmpty() && !languages.contains(options.language)) {
    options.error =
        QString("language is \"%1\"; use en or zh_CN").arg(options.language);
    return options;
  }
  if (parser.isSet("scale")) {
    options.scale = uiscale::parse(parser.value("scale"));
    if (options.scale == 0) {
      options.error =
          QString("scale is \"%1\"; use a factor from 0.5 to 4, or percent")
              .arg(parser.value("scale"));
      return options;
    }
  }
  double scale = options.scale ? options.scale / 100.0 : 1;
  ScreenshotRequest shot;
  if (parser.isSet("size")) {
    static const QRegularExpression form("^(\\d{1,5})x(\\d{1,5})$");
    auto match = form.match(parser.value("size"));
    shot.size = {match.captured(1).toInt(), match.captured(2).toInt()};
    const QSize least = (QSizeF(MainWindow::leastSize) * scale).toSize();
    if (!match.hasMatch() || shot.size.width() < least.width() ||
        shot.size.height() < least.height() || shot.size.width() > mostPixels ||
        shot.size.height() > mostPixels) {
      options.error =
          QString("size is \"%1\"; use WIDTHxHEIGHT, from %2x%3 to %4x%4")
              .arg(parser.value("size"))
              .arg(least.width())
              .arg(least.height())
              .arg(mostPixels);
      return options;
    }
  }
  if (parser.isSet("timeout")) {
    bool isNumber = false;
    double seconds = parser.value("timeout").toDouble(&isNumber);
    if (!isNumber || seconds <= 0 || seconds > 86400) {
      options.error = QString("timeout is \"%1\"; use seconds, more than 0")
                          .arg(parser.value("timeout"));
      return options;
    }
    shot.timeoutMs = int(seconds * 1000);
  }
  if (parser.isSet("screenshot")) {
    shot.path = parser.value("screenshot");
    shot.run = options.run;
    shot.select = parser.value("select");
    options.screenshot = shot;
  }
  return options;
}

} // namespace tilewright::gui
