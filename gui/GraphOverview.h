//===- GraphOverview.h - the small map in a corner of the graph -----------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/GraphScene.h"
#include "gui/Viewport2D.h"
#include <QImage>

class QPainter;

namespace tilewright::gui {

/// Shows all of a graph and which part of it is in view. There only while some
/// of the graph is out of view.
class GraphOverview {
public:
  /// Forgets the picture: another scene or other colours.
  void reset() { picture = {}; }
  /// Where the map lies on a canvas of this size.
  static QRectF frame(const viz::Rect &bounds, QSizeF canvas);
  /// The point of the graph under a point of the map.
  static viz::Point planeAt(QPointF at, const viz::Rect &bounds, QSizeF canvas);
  void paint(QPainter &painter, const GraphScene &scene, const Viewport2D &view,
             QSizeF canvas, const std::vector<char> &lit);

private:
  void draw(const GraphScene &scene, QSizeF size, double ratio);
  QImage picture;
};

} // namespace tilewright::gui
