//===- GraphCanvas.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/GraphCanvas.h"

#include "gui/EmptyState.h"
#include "gui/Format.h"
#include "gui/QtTextMeasurer.h"
#include "gui/Theme.h"
#include "viz/Theme.h"
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <cmath>

namespace tilewright::gui {

static constexpr double leastScale = 0.002, mostScale = 4;
/// Below these, in screen pixels, detail is left out.
static constexpr double leastTextPixels = 6, leastNodePixels = 4;
/// Below this even the shape of a graph says little.
static constexpr double recognisableScale = 0.04;
static constexpr double readableScale = 0.6;
static constexpr size_t smoothEdges = 1000;

static QColor color(viz::Colour c) { return {c.red, c.green, c.blue}; }
static viz::ThemeName themeName() {
  return Theme::current().dark() ? viz::ThemeName::Dark : viz::ThemeName::Light;
}

GraphCanvas::GraphCanvas(const KeyColors *colors, QWidget *parent)
    : QWidget(parent), colors(colors) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(120, 80);
  setAccessibleName(tr("Graph of the chosen stage"));
}

void GraphCanvas::setScene(std::shared_ptr<const GraphScene> scene) {
  bool sameStage =
      current && scene && current->scene.stage == scene->scene.stage;
  current = std::move(scene);
  busy = false;
  textCache.clear();
  hovered = {};
  if (!sameStage) {
    placed = userMoved = false;
    anchorId.clear();
  }
  if (current && !anchorId.empty()) {
    // The toggled group keeps its top left corner where it was.
    QRectF now = screenRect(anchorId);
    if (!now.isNull())
      view.offset += anchorAt - now.topLeft();
    anchorId.clear();
  } else if (current && (!placed || !userMoved)) {
    placeAtStart();
  }
  updateLit();
  update();
}

void GraphCanvas::setEmptyText(const QString &title, const QString &hint) {
  emptyTitle = title;
  emptyHint = hint;
  update();
}

void GraphCanvas::setBusy(bool value) {
  if (busy == value)
    return;
  busy = value;
  update();
}

void GraphCanvas::placeAtStart() {
  if (!current || width() < 10 || height() < 10)
    return;
  view.fit(current->scene.bounds, QSizeF(size()), 1.15);
  if (view.scale < recognisableScale) {
    // Too large to see as a whole: begin at the top at a readable size.
    const viz::Rect &bounds = current->scene.bounds;
    double byWidth = width() / std::max(1.0, bounds.width);
    view.scale = std::clamp(byWidth, readableScale, 0.85);
    view.center(bounds, QSizeF(size()));
    view.offset.setY(-bounds.y * view.scale + 6);
    if (bounds.width * view.scale > width()) // titles are at the left
      view.offset.setX(-bounds.x * view.scale + 6);
  }
  placed = true;
  emit zoomChanged(view.scale);
}

bool GraphCanvas::showsAll() const {
  if (!current)
    return true;
  const viz::Rect &bounds = current->scene.bounds;
  QRectF shown(bounds.x * view.scale + view.offset.x(),
               bounds.y * view.scale + view.offset.y(),
               bounds.width * view.scale, bounds.height * view.scale);
  return QRectF(rect()).adjusted(-1, -1, 1, 1).contains(shown);
}

void GraphCanvas::fit() {
  if (!current)
    return;
  view.fit(current->scene.bounds, QSizeF(size()), 1.15);
  userMoved = false;
  emit zoomChanged(view.scale);
  update();
}

void GraphCanvas::actualSize() { zoom(1 / view.scale); }

void GraphCanvas::zoom(double factor) {
  view.zoomAround(QRectF(rect()).center(), factor, leastScale, mostScale);
  userMoved = true;
  emit zoomChanged(view.scale);
  update();
}

void GraphCanvas::showKeys(const std::vector<std::string> &keys, bool reveal) {
  selected = keys;
  if (reveal)
    focusId.clear();
  updateLit();
  update();
  if (!reveal || !current || lit.empty())
    return;
  QRectF all;
  for (uint32_t node : lit) {
    int32_t shown = current->shownNode(node);
    if (shown < 0)
      continue;
    QRectF where = view.toScreen(current->scene.nodes[shown].rect);
    if (QRectF(rect()).contains(where))
      return;
    all = all.isNull() ? where : all.united(where);
  }
  if (all.isNull())
    return;
  // Bring it in without changing the zoom.
  QPointF target = QRectF(rect()).center() - all.center();
  view.offset += target;
  userMoved = true;
  update();
}

void GraphCanvas::updateLit() {
  lit.clear();
  litScene.clear();
  litGroups.clear();
  if (!current)
    return;
  lit = current->keys.lookup(selected);
  litScene.assign(current->scene.nodes.size(), 0);
  litGroups.assign(current->scene.groups.size(), 0);
  for (uint32_t node : lit) {
    if (int32_t shown = current->shownNode(node); shown >= 0)
      litScene[shown] = 1;
    else if (int32_t group = current->sceneGroup[node]; group >= 0)
      litGroups[group] = 1;
  }
}

QRectF GraphCanvas::screenRect(const std::string &id) const {
  if (!current)
    return {};
  for (const viz::SceneNode &node : current->scene.nodes)
    if (node.id == id)
      return view.toScreen(node.rect);
  for (const viz::SceneGroup &group : current->scene.groups)
    if (group.id == id)
      return view.toScreen(group.rect);
  return {};
}

GraphCanvas::Hit GraphCanvas::hitAt(QPointF at) const {
  Hit hit;
  if (!current)
    return hit;
  viz::Point point = view.toPlane(at);
  hit.node = current->index->nodeAt(point);
  if (hit.node < 0) {
    hit.group = current->index->groupAt(point);
    hit.title = hit.group >= 0 &&
                current->scene.groups[hit.group].titleRect.contains(point);
  }
  return hit;
}

const model::Node *GraphCanvas::modelNode(const Hit &hit) const {
  if (!current)
    return nullptr;
  if (hit.node >= 0)
    return &current->graph->nodes[current->scene.nodes[hit.node].graphNode];
  if (hit.group >= 0)
    return &current->graph->nodes[current->scene.groups[hit.group].graphNode];
  return nullptr;
}

void GraphCanvas::mousePressEvent(QMouseEvent *event) {
  pressed =
      event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton;
  pressAt = event->position();
  dragFrom = view.offset;
  dragging = false;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent *event) {
  if (pressed) {
    QPointF moved = event->position() - pressAt;
    if (!dragging && moved.manhattanLength() > 4) {
      dragging = true;
      setCursor(Qt::ClosedHandCursor);
    }
    if (dragging) {
      view.offset = dragFrom + moved;
      userMoved = true;
      update();
    }
    return;
  }
  Hit hit = hitAt(event->position());
  if (hit.node < 0 && !hit.title)
    hit = {};
  if (!(hit == hovered)) {
    hovered = hit;
    setCursor(hit.node >= 0 || hit.title ? Qt::PointingHandCursor
                                         : Qt::ArrowCursor);
    update();
  }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent *event) {
  bool click = pressed && !dragging && event->button() == Qt::LeftButton;
  pressed = dragging = false;
  unsetCursor();
  if (!click)
    return;
  Hit hit = hitAt(event->position());
  bool background = hit.node < 0 && !hit.title;
  const model::Node *node = background ? nullptr : modelNode(hit);
  focusId = node ? node->id : std::string();
  std::vector<std::string> keys =
      node ? node->keys : std::vector<std::string>();
  if (event->modifiers() & Qt::ControlModifier) {
    std::vector<std::string> all = selected;
    for (const std::string &key : keys) {
      auto found = std::find(all.begin(), all.end(), key);
      if (found == all.end())
        all.push_back(key);
      else
        all.erase(found);
    }
    keys = all;
  }
  update();
  emit keysChosen(keys);
  if (node)
    emit nodeChosen(QString::fromStdString(node->id));
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent *event) {
  Hit hit = hitAt(event->position());
  const model::Node *node = modelNode(hit);
  if (!node)
    return;
  bool closed = hit.node >= 0;
  if (closed && current->scene.nodes[hit.node].hidden == 0)
    return;
  rememberAnchor(node->id);
  emit toggled(QString::fromStdString(node->id), closed);
}

void GraphCanvas::rememberAnchor(const std::string &id) {
  anchorId = id;
  anchorAt = screenRect(id).topLeft();
  userMoved = true;
}

void GraphCanvas::wheelEvent(QWheelEvent *event) {
  if (event->modifiers() & Qt::ShiftModifier) {
    double by = event->angleDelta().y() ? event->angleDelta().y()
                                        : event->angleDelta().x();
    view.offset.rx() += by;
  } else {
    view.zoomAround(event->position(),
                    std::pow(1.0015, event->angleDelta().y()), leastScale,
                    mostScale);
    emit zoomChanged(view.scale);
  }
  userMoved = true;
  update();
  event->accept();
}

void GraphCanvas::keyPressEvent(QKeyEvent *event) {
  switch (event->key()) {
  case Qt::Key_F:
    return fit();
  case Qt::Key_Plus:
  case Qt::Key_Equal:
    return zoomIn();
  case Qt::Key_Minus:
    return zoomOut();
  case Qt::Key_0:
    return actualSize();
  case Qt::Key_Left:
    view.offset.rx() += 60;
    break;
  case Qt::Key_Right:
    view.offset.rx() -= 60;
    break;
  case Qt::Key_Up:
    view.offset.ry() += 60;
    break;
  case Qt::Key_Down:
    view.offset.ry() -= 60;
    break;
  case Qt::Key_Escape:
    focusId.clear();
    emit keysChosen({});
    break;
  default:
    return QWidget::keyPressEvent(event);
  }
  userMoved = true;
  update();
}

void GraphCanvas::resizeEvent(QResizeEvent *event) {
  if (!placed || !userMoved)
    placeAtStart();
  else
    view.offset +=
        QPointF(event->size().width() - event->oldSize().width(), 0) / 2;
}

void GraphCanvas::leaveEvent(QEvent *) {
  hovered = {};
  update();
}

void GraphCanvas::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    update();
}

bool GraphCanvas::event(QEvent *event) {
  if (event->type() == QEvent::ToolTip) {
    auto *help = static_cast<QHelpEvent *>(event);
    QString text = describe(hitAt(help->pos()));
    if (text.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), text, this);
    return true;
  }
  return QWidget::event(event);
}

QString GraphCanvas::describe(const Hit &hit) const {
  const model::Node *node = modelNode(hit);
  if (!node || (hit.node < 0 && !hit.title))
    return {};
  const Theme &theme = Theme::current();
  auto escape = [](const std::string &text, size_t most = 200) {
    QString all = QString::fromStdString(text.substr(0, most));
    return (text.size() > most ? all + QChar(0x2026) : all).toHtmlEscaped();
  };
  QString text = QString("<b>%1</b> <span style='color:%2'>%3</span>")
                     .arg(escape(node->label.empty() ? node->op : node->label),
                          theme.muted.name(),
                          node->label.empty() ? QString() : escape(node->op));
  QString rows;
  auto row = [&](const QString &name, const QString &value) {
    rows += QString("<tr><td style='color:%1;padding-right:12px'>%2</td>"
                    "<td>%3</td></tr>")
                .arg(theme.muted.name(), name, value);
  };
  for (const model::TensorType &type : node->results)
    row(tr("result"), formatType(type).toHtmlEscaped());
  if (!node->grid.empty()) {
    QStringList sizes;
    for (const model::Expr &size : node->grid)
      sizes << QString::fromStdString(size.str());
    row(tr("grid"), sizes.join(QChar(0x00d7)).toHtmlEscaped());
  }
  for (const auto &[name, value] : node->attributes)
    row(escape(name), escape(value));
  for (const model::Metric &metric : node->metrics)
    row(tr("figure"), formatMetric(metric).toHtmlEscaped());
  if (!node->keys.empty()) {
    QStringList keys;
    for (size_t i = 0; i < node->keys.size() && i < 6; ++i)
      keys << escape(node->keys[i]);
    if (node->keys.size() > 6)
      keys << tr("%n more", nullptr, int(node->keys.size()) - 6);
    row(tr("from"), keys.join("<br>"));
  }
  if (hit.node >= 0 && current->scene.nodes[hit.node].hidden > 0)
    row(tr("holds"), tr("%n node(s); double click opens it", nullptr,
                        int(current->scene.nodes[hit.node].hidden)));
  return text + "<table style='margin-top:4px'>" + rows + "</table>";
}

//===----------------------------------------------------------------------===//
// Painting
//===----------------------------------------------------------------------===//

void GraphCanvas::paintEvent(QPaintEvent *) {
  QPainter painter(this);
  painter.fillRect(rect(), Theme::current().surface);
  if (!current || current->scene.nodes.empty()) {
    paintEmpty(painter);
    return;
  }
  if (textCache.size() > 8000)
    textCache.clear();
  paintGrid(painter);
  viz::Rect area = view.toPlane(QRectF(rect()).adjusted(-4, -4, 4, 4));
  paintGroups(painter, area);
  paintEdges(painter, area);
  paintGroupTitles(painter, area);
  paintNodes(painter, area);
}

void GraphCanvas::paintEmpty(QPainter &painter) {
  if (busy)
    paintEmptyState(painter, rect(), tr("Laying out the graph…"), {});
  else
    paintEmptyState(painter, rect(), emptyTitle, emptyHint);
}

void GraphCanvas::paintGrid(QPainter &painter) {
  double step = 24 * view.scale;
  while (step < 16)
    step *= 4;
  painter.setPen(QPen(Theme::current().grid, 1.5, Qt::SolidLine, Qt::RoundCap));
  QList<QPointF> dots;
  double x0 = std::fmod(view.offset.x(), step),
         y0 = std::fmod(view.offset.y(), step);
  for (double y = y0; y < height(); y += step)
    for (double x = x0; x < width(); x += step)
      dots << QPointF(x, y);
  painter.drawPoints(dots.constData(), int(dots.size()));
}

void GraphCanvas::paintGroups(QPainter &painter, const viz::Rect &area) {
  const Theme &theme = Theme::current();
  painter.setRenderHint(QPainter::Antialiasing);
  for (size_t i = 0; i < current->scene.groups.size(); ++i) {
    const viz::SceneGroup &group = current->scene.groups[i];
    if (!group.rect.intersects(area))
      continue;
    viz::NodeColours c =
        viz::groupColours(themeName(), group.kind, group.depth);
    QRectF where = view.toScreen(group.rect);
    bool chosen = group.id == focusId;
    bool hover = hovered.group == int32_t(i);
    QColor border = chosen || litGroups[i] ? theme.accent : color(c.border);
    painter.setPen(QPen(border, chosen ? 2 : hover ? 1.6 : 1));
    painter.setBrush(color(c.fill));
    double radius = std::min(10.0, 10 * view.scale);
    painter.drawRoundedRect(where, radius, radius);
  }
}

void GraphCanvas::paintGroupTitles(QPainter &painter, const viz::Rect &area) {
  for (const viz::SceneGroup &group : current->scene.groups) {
    if (!group.rect.intersects(area))
      continue;
    viz::NodeColours c =
        viz::groupColours(themeName(), group.kind, group.depth);
    paintText(painter, group.title, color(c.text));
    if (!group.badge.text.empty())
      paintBadge(painter, group.badgeRect, group.badge, color(c.text),
                 mix(color(c.border), color(c.fill), 0.35));
  }
}

void GraphCanvas::paintEdge(QPainter &painter, const viz::SceneEdge &edge,
                            bool strong) {
  const viz::Theme &look = viz::theme(themeName());
  QColor ink = edge.kind == model::EdgeKind::Data    ? color(look.dataEdge)
               : edge.kind == model::EdgeKind::Order ? color(look.orderEdge)
                                                     : color(look.eventEdge);
  if (strong)
    ink = Theme::current().accent;
  QPen pen(ink, strong ? 2 : 1.2);
  if (edge.kind == model::EdgeKind::Order)
    pen.setDashPattern({4, 3});
  else if (edge.kind == model::EdgeKind::Event)
    pen.setDashPattern({1.2, 2.6});
  pen.setCapStyle(Qt::FlatCap);
  bool coarse = view.scale < 0.3;
  auto draw = [&](std::span<const viz::Point> path, bool arrow) {
    if (path.size() < 2)
      return;
    QPointF first = view.toScreen(path.front()),
            last = view.toScreen(path.back());
    if (coarse && (first - last).manhattanLength() < 2)
      return;
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    if (coarse) {
      QPolygonF line;
      for (size_t i = 0; i < path.size(); i += 3)
        line << view.toScreen(path[i]);
      painter.drawPolyline(line);
      return;
    }
    QPainterPath curve(first);
    for (size_t i = 1; i + 2 < path.size(); i += 3)
      curve.cubicTo(view.toScreen(path[i]), view.toScreen(path[i + 1]),
                    view.toScreen(path[i + 2]));
    if (path.size() < 4)
      curve.lineTo(last);
    painter.drawPath(curve);
    if (!arrow)
      return;
    QPointF before = view.toScreen(path[path.size() - 2]);
    QPointF direction = last - before;
    double length = std::hypot(direction.x(), direction.y());
    if (length < 0.01)
      direction = {0, 1};
    else
      direction /= length;
    QPointF side(-direction.y(), direction.x());
    double size = std::clamp(7 * view.scale, 3.0, 9.0);
    QPolygonF head{last, last - direction * size + side * size * 0.45,
                   last - direction * size - side * size * 0.45};
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    painter.drawPolygon(head);
  };
  bool stubs = edge.stubPointCount > 0;
  draw(current->scene.path(edge), !stubs);
  if (stubs)
    draw(current->scene.stubPath(edge), true);
}

void GraphCanvas::paintEdges(QPainter &painter, const viz::Rect &area) {
  std::vector<uint32_t> edges = current->index->edgesIn(area);
  // Far out only a sample says as much as all of them, in time.
  size_t most = 20000, step = edges.size() / most + 1;
  painter.setRenderHint(QPainter::Antialiasing,
                        edges.size() <= smoothEdges && view.scale >= 0.12);
  auto isStrong = [&](const viz::SceneEdge &edge) {
    for (int32_t node : {edge.from.node, edge.to.node}) {
      if (node < 0)
        continue;
      if (node == hovered.node || litScene[node] ||
          (!focusId.empty() && current->scene.nodes[node].id == focusId))
        return true;
    }
    return false;
  };
  std::vector<uint32_t> strong;
  for (size_t i = 0; i < edges.size(); i += step) {
    const viz::SceneEdge &edge = current->scene.edges[edges[i]];
    if (isStrong(edge))
      strong.push_back(edges[i]);
    else
      paintEdge(painter, edge, false);
  }
  for (uint32_t edge : strong)
    paintEdge(painter, current->scene.edges[edge], true);
  if (view.scale < 0.5)
    return;
  QColor ink = color(viz::theme(themeName()).edgeLabel);
  for (uint32_t index : edges) {
    const viz::SceneEdge &edge = current->scene.edges[index];
    if (!edge.label.text.empty())
      paintText(painter, edge.label, ink);
    if (!edge.stubLabel.text.empty())
      paintText(painter, edge.stubLabel, ink);
  }
}

void GraphCanvas::paintNodes(QPainter &painter, const viz::Rect &area) {
  std::vector<uint32_t> nodes = current->index->nodesIn(area);
  if (!nodes.empty() &&
      current->scene.nodes[nodes[nodes.size() / 2]].rect.height * view.scale <
          leastNodePixels) {
    paintDensity(painter, nodes);
    return;
  }
  painter.setRenderHint(QPainter::Antialiasing, nodes.size() < 4000);
  for (uint32_t node : nodes)
    paintNode(painter, current->scene.nodes[node], node);
}

/// Far out, nodes are a pixel or two: written straight into an image.
void GraphCanvas::paintDensity(QPainter &painter,
                               const std::vector<uint32_t> &nodes) {
  double ratio = devicePixelRatioF();
  QImage image(int(width() * ratio), int(height() * ratio),
               QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  for (uint32_t index : nodes) {
    const viz::SceneNode &node = current->scene.nodes[index];
    QRectF where = view.toScreen(node.rect);
    QRgb ink = (litScene[index]
                    ? Theme::current().accent
                    : color(viz::nodeColours(themeName(), node.kind).border))
                   .rgb();
    int x0 = std::max(0, int(where.left() * ratio));
    int x1 =
        std::min(image.width(), std::max(x0 + 1, int(where.right() * ratio)));
    int y0 = std::max(0, int(where.top() * ratio));
    int y1 =
        std::min(image.height(), std::max(y0 + 1, int(where.bottom() * ratio)));
    for (int y = y0; y < y1; ++y) {
      auto *line = reinterpret_cast<QRgb *>(image.scanLine(y));
      std::fill(line + x0, line + std::max(x0, x1), ink | 0xff000000);
    }
  }
  image.setDevicePixelRatio(ratio);
  painter.drawImage(0, 0, image);
}

void GraphCanvas::paintNode(QPainter &painter, const viz::SceneNode &node,
                            uint32_t index) {
  const Theme &theme = Theme::current();
  viz::NodeColours c = viz::nodeColours(themeName(), node.kind);
  QRectF where = view.toScreen(node.rect);
  bool isLit = litScene[index];
  bool chosen = isLit || (!focusId.empty() && node.id == focusId);
  bool hover = hovered.node == int32_t(index);
  QColor fill = color(c.fill), border = color(c.border);
  if (hover)
    fill = mix(theme.accent, fill, 0.08);
  if (chosen) {
    border = theme.accent;
    fill = mix(theme.accent, fill, theme.dark() ? 0.2 : 0.12);
  }
  bool terminal = node.kind == model::NodeKind::Input ||
                  node.kind == model::NodeKind::Output ||
                  node.kind == model::NodeKind::Constant;
  double radius = terminal ? where.height() / 2 : 7 * view.scale;
  QPen pen(border, chosen ? 2 : 1.1);
  if (view.scale < 0.3) {
    painter.fillRect(where, mix(border, fill, 0.35));
    if (chosen) {
      painter.setPen(pen);
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(where);
    }
    return;
  }
  painter.setPen(pen);
  if (node.stacked) {
    for (double shift : {6.0, 3.0}) {
      painter.setBrush(mix(fill, theme.surface, 0.6));
      painter.drawRoundedRect(
          where.translated(shift * view.scale, -shift * view.scale), radius,
          radius);
    }
  }
  if (chosen) {
    painter.setPen(QPen(mix(theme.accent, theme.surface, 0.3), 6));
    painter.drawRoundedRect(where, radius, radius);
    painter.setPen(pen);
  }
  painter.setBrush(fill);
  painter.drawRoundedRect(where, radius, radius);
  const model::Node &source = current->graph->nodes[node.graphNode];
  if (!source.keys.empty() && !terminal) {
    // The operation's own hue, the same as in the timeline.
    QPainterPath clip;
    clip.addRoundedRect(where, radius, radius);
    painter.save();
    painter.setClipPath(clip);
    painter.fillRect(
        QRectF(where.left(), where.top(), 4 * view.scale, where.height()),
        colors->colorOf(source.keys));
    painter.restore();
  }
  paintText(painter, node.title, color(c.text));
  if (!node.subtitle.text.empty())
    paintText(painter, node.subtitle, color(c.mutedText));
  if (!node.badge.text.empty())
    paintBadge(painter, node.badgeRect, node.badge, color(c.text),
               mix(color(c.border), fill, 0.35));
}

void GraphCanvas::paintBadge(QPainter &painter, const viz::Rect &rect,
                             const viz::SceneText &text, const QColor &ink,
                             const QColor &fill) {
  QRectF where = view.toScreen(rect);
  if (viz::fontSize(text.style) * view.scale < leastTextPixels)
    return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(fill);
  painter.drawRoundedRect(where, where.height() / 2, where.height() / 2);
  paintText(painter, text, ink);
}

void GraphCanvas::paintText(QPainter &painter, const viz::SceneText &text,
                            const QColor &ink) {
  if (viz::fontSize(text.style) * view.scale < leastTextPixels)
    return;
  QFont font = sceneFont(text.style, view.scale);
  // Sizes are whole pixels, so that zooming re-uses what it can.
  QString key =
      QChar(int(text.style) * 512 + font.pixelSize()) +
      QString::fromUtf8(text.text.data(), qsizetype(text.text.size()));
  auto cached = textCache.find(key);
  if (cached == textCache.end()) {
    QStaticText prepared(key.mid(1));
    prepared.setTextFormat(Qt::PlainText);
    prepared.setPerformanceHint(QStaticText::AggressiveCaching);
    prepared.prepare({}, font);
    cached = textCache.insert(key, prepared);
  }
  QPointF at = view.toScreen(text.position);
  if (text.centered)
    at.rx() -= cached->size().width() / 2;
  at.ry() -= QFontMetricsF(font).ascent();
  painter.setFont(font);
  painter.setPen(ink);
  painter.drawStaticText(at, *cached);
}

} // namespace tilewright::gui
