//===- Format.cpp ---------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Format.h"

#include <QCoreApplication>
#include <QLocale>
#include <cmath>

namespace tilewright::gui {

/// Three significant digits without an exponent.
static QString threeDigits(double value) {
  double size = std::abs(value);
  int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return QString::number(value, 'f', decimals);
}

QString formatMilliseconds(double milliseconds) {
  return threeDigits(milliseconds);
}

QString formatNanoseconds(double ns) {
  double size = std::abs(ns);
  if (size < 1e3)
    return QString::number(ns, 'f', 0) + " ns";
  if (size < 1e6)
    return threeDigits(ns / 1e3) + " µs";
  if (size < 1e9)
    return threeDigits(ns / 1e6) + " ms";
  return threeDigits(ns / 1e9) + " s";
}

QString formatCount(qint64 count) {
  return QLocale(QLocale::English).toString(count);
}

QString formatType(const model::TensorType &type) {
  QString text;
  for (const model::Expr &dimension : type.shape) {
    if (!text.isEmpty())
      text += QChar(0x00d7);
    text += QString::fromStdString(dimension.str());
  }
  if (!type.dtype.empty()) {
    if (!text.isEmpty())
      text += ' ';
    text += QString::fromStdString(type.dtype);
  }
  if (!type.level.empty())
    text += " @" + QString::fromStdString(type.level);
  return text;
}

QString formatOrigin(model::Origin origin) {
  switch (origin) {
  case model::Origin::Estimated:
    return QCoreApplication::translate("Origin", "estimated");
  case model::Origin::Simulated:
    return QCoreApplication::translate("Origin", "simulated");
  case model::Origin::Measured:
    return QCoreApplication::translate("Origin", "measured");
  }
  return {};
}

QString formatMetric(const model::Metric &metric) {
  double value = metric.value;
  QString prefix;
  // Large counts read better with a prefix; times and ratios stay as they are.
  if (metric.unit == "flop" || metric.unit == "bytes") {
    bool bytes = metric.unit == "bytes";
    double step = bytes ? 1024 : 1000;
    const char *prefixes[] = {"", "K", "M", "G", "T"};
    int at = 0;
    while (std::abs(value) >= step && at < 4) {
      value /= step;
      ++at;
    }
    prefix = at ? QString(prefixes[at]) + (bytes ? "i" : "") : QString();
  }
  QString unit =
      metric.unit == "bytes" ? "B" : QString::fromStdString(metric.unit);
  QString number = value == std::floor(value) && std::abs(value) < 1e6
                       ? QString::number(value, 'f', 0)
                       : threeDigits(value);
  return QString("%1 %2 %3%4, %5")
      .arg(QString::fromStdString(metric.name), number, prefix, unit,
           formatOrigin(metric.origin));
}

} // namespace tilewright::gui
