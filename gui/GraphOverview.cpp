//===- GraphOverview.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/GraphOverview.h"

#include "gui/Theme.h"
#include "viz/Theme.h"
#include <QPainter>

namespace tilewright::gui {

static constexpr double margin = 10, padding = 4, thinnest = 26;

/// How the graph lies inside the map.
static Viewport2D viewOf(const viz::Rect &bounds, const QRectF &frame) {
  Viewport2D view;
  QRectF inside = frame.adjusted(padding, padding, -padding, -padding);
  view.fit(bounds, inside.size(), 1);
  view.offset += inside.topLeft();
  return view;
}

QRectF GraphOverview::frame(const viz::Rect &bounds, QSizeF canvas) {
  double most = std::clamp(canvas.width() * 0.24, 90.0, 220.0);
  double tallest = std::clamp(canvas.height() * 0.34, 60.0, 220.0);
  double scale = std::min(most / std::max(1.0, bounds.width),
                          tallest / std::max(1.0, bounds.height));
  double width = std::max(thinnest, bounds.width * scale + 2 * padding);
  double height = std::max(thinnest, bounds.height * scale + 2 * padding);
  return {canvas.width() - margin - width, canvas.height() - margin - height,
          width, height};
}

viz::Point GraphOverview::planeAt(QPointF at, const viz::Rect &bounds,
                                  QSizeF canvas) {
  return viewOf(bounds, frame(bounds, canvas)).toPlane(at);
}

void GraphOverview::draw(const GraphScene &scene, QSizeF size, double ratio) {
  const Theme &theme = Theme::current();
  auto name = theme.dark() ? viz::ThemeName::Dark : viz::ThemeName::Light;
  picture =
      QImage((size * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
  picture.setDevicePixelRatio(ratio);
  picture.fill(theme.raised);
  QPainter painter(&picture);
  Viewport2D view = viewOf(scene.scene.bounds, QRectF({}, size));
  auto shade = [](viz::Colour c) { return QColor(c.red, c.green, c.blue); };
  for (const viz::SceneGroup &group : scene.scene.groups) {
    viz::NodeColours c = viz::groupColours(name, group.kind, group.depth);
    painter.fillRect(view.toScreen(group.rect),
                     mix(shade(c.border), theme.raised, 0.25));
  }
  for (const viz::SceneNode &node : scene.scene.nodes) {
    QRectF where = view.toScreen(node.rect);
    where.setWidth(std::max(where.width(), 1.0));
    where.setHeight(std::max(where.height(), 1.0));
    painter.fillRect(where, shade(viz::nodeColours(name, node.kind).border));
  }
}

void GraphOverview::paint(QPainter &painter, const GraphScene &scene,
                          const Viewport2D &view, QSizeF canvas,
                          const std::vector<char> &lit) {
  const Theme &theme = Theme::current();
  const viz::Rect &bounds = scene.scene.bounds;
  QRectF where = frame(bounds, canvas);
  double ratio = painter.device()->devicePixelRatioF();
  if (picture.size() != (where.size() * ratio).toSize())
    draw(scene, where.size(), ratio);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(mix(theme.text, theme.surface, 0.08));
  painter.drawRoundedRect(where.adjusted(-2, -1, 2, 3), 4, 4);
  painter.drawImage(where.topLeft(), picture);
  Viewport2D map = viewOf(bounds, where);
  for (size_t i = 0; i < lit.size(); ++i) {
    if (!lit[i])
      continue;
    QPointF at = map.toScreen(scene.scene.nodes[i].rect.center());
    painter.fillRect(QRectF(at.x() - 1.5, at.y() - 1.5, 3, 3), theme.accent);
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.border, 1));
  painter.drawRect(where);
  // At least a few pixels, so that it is seen in a very large graph.
  QRectF seen = map.toScreen(view.toPlane(QRectF({}, canvas)));
  QPointF middle = seen.center();
  seen.setSize({std::max(seen.width(), 6.0), std::max(seen.height(), 6.0)});
  seen.moveCenter(middle);
  seen = seen.intersected(where);
  if (seen.isEmpty())
    return;
  QColor tint = theme.accent;
  tint.setAlphaF(0.12);
  painter.setBrush(tint);
  painter.setPen(QPen(theme.accent, 1.5));
  painter.drawRect(seen);
}

} // namespace tilewright::gui
