//===- LabelPainter.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/LabelPainter.h"

#include "gui/QtTextMeasurer.h"
#include <QPainter>

namespace tilewright::gui {

static constexpr qsizetype mostPrepared = 8000;
/// Less than this shows an ellipsis and little else.
static constexpr double leastRoom = 18;
static constexpr double anyRoom = 100'000;
static constexpr double mostShift = 22;

/// The scale at which this style has its size on the screen.
static double scaleFor(viz::TextStyle style, double scale) {
  return std::max(scale, viz::leastLabelPixels / viz::fontSize(style));
}

double LabelPainter::naturalPixels(viz::TextStyle style, double scale) {
  return viz::fontSize(style) * scale;
}

bool LabelPainter::isNatural(viz::TextStyle style, double scale) {
  return naturalPixels(style, scale) >= viz::leastLabelPixels - 1e-6;
}

const QStaticText &LabelPainter::prepare(const std::string &text,
                                         viz::TextStyle style, double scale,
                                         double room) {
  QFont font = sceneFont(style, scaleFor(style, scale));
  QString all = QString::fromUtf8(text.data(), qsizetype(text.size()));
  // In steps, so that a drag re-uses what is there.
  int steps = int(std::min(room, anyRoom) / 2);
  QString key =
      QString(QChar(int(style) * 512 + font.pixelSize())) + QChar(steps) + all;
  auto found = prepared.find(key);
  if (found != prepared.end())
    return *found;
  QFontMetricsF metrics(font);
  if (metrics.horizontalAdvance(all) > steps * 2 + 1)
    all = metrics.elidedText(
        all, style == viz::TextStyle::Title ? Qt::ElideMiddle : Qt::ElideRight,
        steps * 2);
  QStaticText made(all);
  made.setTextFormat(Qt::PlainText);
  made.setPerformanceHint(QStaticText::AggressiveCaching);
  made.prepare({}, font);
  return *prepared.insert(key, made);
}

void LabelPainter::paint(QPainter &painter, const Viewport2D &view,
                         const viz::SceneText &text, const QColor &ink) {
  paintIn(painter, view.scale, text, view.toScreen(text.position), anyRoom,
          text.centered, ink);
}

void LabelPainter::paintOnGround(QPainter &painter, const Viewport2D &view,
                                 const viz::SceneText &text, double right,
                                 const QColor &ink, const QColor &ground) {
  if (text.text.empty())
    return;
  QPointF at = view.toScreen(text.position);
  double wide = width(text, view.scale);
  if (text.centered)
    at.rx() -= wide / 2;
  // Rather over its own edge than out of the frame.
  double beyond = at.x() + wide - right;
  if (beyond > 0 && right > at.x())
    at.rx() -= std::min(beyond, mostShift);
  double room = std::min(wide + 1, right - at.x());
  if (room < leastRoom && room < wide)
    return;
  double height = lineHeight(text.style, view.scale);
  painter.fillRect(QRectF(at.x() - 1, at.y() - height * 0.86,
                          std::min(wide, room) + 2, height * 1.12),
                   ground);
  paintIn(painter, view.scale, text, at, std::max(room, leastRoom), false, ink);
}

void LabelPainter::paintIn(QPainter &painter, double scale,
                           const viz::SceneText &text, QPointF baseline,
                           double room, bool centered, const QColor &ink) {
  if (text.text.empty() || room < leastRoom)
    return;
  const QStaticText &label = prepare(text.text, text.style, scale, room);
  QFont font = sceneFont(text.style, scaleFor(text.style, scale));
  if (centered)
    baseline.rx() -= label.size().width() / 2;
  baseline.ry() -= QFontMetricsF(font).ascent();
  ++painted.labels;
  painted.leastPixels = std::min(painted.leastPixels, font.pixelSize());
  painter.setFont(font);
  painter.setPen(ink);
  painter.drawStaticText(baseline, label);
}

double LabelPainter::width(const viz::SceneText &text, double scale) {
  return prepare(text.text, text.style, scale, anyRoom).size().width();
}

double LabelPainter::lineHeight(viz::TextStyle style, double scale) {
  return viz::fontSize(style) * scaleFor(style, scale);
}

void LabelPainter::trim() {
  if (prepared.size() > mostPrepared)
    prepared.clear();
}

} // namespace tilewright::gui
