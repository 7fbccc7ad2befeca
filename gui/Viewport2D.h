//===- Viewport2D.h - what part of a plane is in view ---------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/Geometry.h"
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <algorithm>

namespace tilewright::gui {

/// Maps a plane to the screen: screen = plane * scale + offset.
struct Viewport2D {
  double scale = 1;
  QPointF offset;

  QPointF toScreen(viz::Point p) const {
    return {p.x * scale + offset.x(), p.y * scale + offset.y()};
  }
  QRectF toScreen(const viz::Rect &r) const {
    return {r.x * scale + offset.x(), r.y * scale + offset.y(), r.width * scale,
            r.height * scale};
  }
  viz::Point toPlane(QPointF p) const {
    return {(p.x() - offset.x()) / scale, (p.y() - offset.y()) / scale};
  }
  viz::Rect toPlane(const QRectF &r) const {
    viz::Point corner = toPlane(r.topLeft());
    return {corner.x, corner.y, r.width() / scale, r.height() / scale};
  }
  /// The point of the plane under `at` stays there.
  void zoomAround(QPointF at, double factor, double least, double most) {
    viz::Point under = toPlane(at);
    scale = std::clamp(scale * factor, least, most);
    offset = {at.x() - under.x * scale, at.y() - under.y * scale};
  }
  void fit(const viz::Rect &bounds, QSizeF size, double most) {
    if (bounds.width <= 0 || bounds.height <= 0 || size.isEmpty())
      return;
    scale = std::min(
        {size.width() / bounds.width, size.height() / bounds.height, most});
    center(bounds, size);
  }
  void center(const viz::Rect &bounds, QSizeF size) {
    offset = {size.width() / 2 - bounds.center().x * scale,
              size.height() / 2 - bounds.center().y * scale};
  }
};

} // namespace tilewright::gui
