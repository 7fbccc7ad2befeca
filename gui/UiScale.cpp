//===- UiScale.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/UiScale.h"

#include <QCoreApplication>
#include <QProcess>
#include <QSettings>
#include <QStringList>

namespace tilewright::gui::uiscale {

static constexpr const char *variable = "QT_SCALE_FACTOR";
/// Says that the variable is ours, not the user's.
static constexpr const char *mark = "TILEWRIGHT_STUDIO_SCALED";
static constexpr const char *setting = "uiScale";
static constexpr int least = 50, most = 400;

const std::vector<int> &choices() {
  static const std::vector<int> all = {0, 100, 125, 150, 200};
  return all;
}

int stored() {
  int percent = QSettings().value(setting).toInt();
  return percent >= least && percent <= most ? percent : 0;
}

void store(int percent) {
  if (percent > 0)
    QSettings().setValue(setting, percent);
  else
    QSettings().remove(setting);
}

void applyAtStart(int percent, bool useStored) {
  if (qEnvironmentVariableIsSet(mark)) {
    qunsetenv(mark);
    qunsetenv(variable);
  }
  if (percent == 0 && qEnvironmentVariableIsSet(variable))
    return;
  if (percent == 0 && useStored)
    percent = stored();
  if (percent == 0)
    return;
  qputenv(variable, QByteArray::number(percent / 100.0));
  qputenv(mark, "1");
}

int parse(const QString &text) {
  bool isNumber = false;
  QString digits = text.endsWith('%') ? text.chopped(1) : text;
  double value = digits.toDouble(&isNumber);
  if (!isNumber)
    return 0;
  if (!text.endsWith('%') && value <= most / 100.0)
    value *= 100;
  int percent = qRound(value);
  return percent >= least && percent <= most ? percent : 0;
}

bool startAgain(const QString &file) {
  QStringList arguments;
  if (!file.isEmpty())
    arguments << file;
  return QProcess::startDetached(QCoreApplication::applicationFilePath(),
                                 arguments);
}

} // namespace tilewright::gui::uiscale
