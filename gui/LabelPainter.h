//===- LabelPainter.h - the texts of a graph, never too small to read -----===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Viewport2D.h"
#include "viz/Scene.h"
#include <QHash>
#include <QStaticText>
#include <utility>

class QPainter;

namespace tilewright::gui {

/// Draws labels in whole pixel sizes of at least viz::leastLabelPixels, so that
/// zooming re-uses what is prepared. Where a label would be smaller by itself
/// it is drawn at that size and cut to the room there is.
class LabelPainter {
public:
  /// Its size on the screen before the lower limit.
  static double naturalPixels(viz::TextStyle style, double scale);
  static bool isNatural(viz::TextStyle style, double scale);

  /// Where the layout put it.
  void paint(QPainter &painter, const Viewport2D &view,
             const viz::SceneText &text, const QColor &ink);
  /// The same on a ground of its own, so that lines below do not cross it, and
  /// cut where it would reach `right`: at the least size it is wider than the
  /// layout has planned.
  void paintOnGround(QPainter &painter, const Viewport2D &view,
                     const viz::SceneText &text, double right,
                     const QColor &ink, const QColor &ground);
  /// From (or, centered, around) a point of the baseline on the screen, cut to
  /// `room` pixels. Nothing if not even a few letters fit.
  void paintIn(QPainter &painter, double scale, const viz::SceneText &text,
               QPointF baseline, double room, bool centered, const QColor &ink);
  /// Pixels `text` takes at this scale.
  double width(const viz::SceneText &text, double scale);
  /// Height of a line of a style at this scale.
  static double lineHeight(viz::TextStyle style, double scale);
  void clear() { prepared.clear(); }
  /// What was drawn since the last call; for tests.
  struct Painted {
    int labels = 0;
    int leastPixels = 1000;
  };
  Painted takePainted() { return std::exchange(painted, {}); }
  void trim();

private:
  const QStaticText &prepare(const std::string &text, viz::TextStyle style,
                             double scale, double room);
  QHash<QString, QStaticText> prepared;
  Painted painted;
};

} // namespace tilewright::gui
