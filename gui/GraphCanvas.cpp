//===- GraphCanvas.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/GraphCanvas.h"

#include "gui/EmptyState.h"
#include "gui/Format.h"
#include "gui/Theme.h"
#include "viz/Theme.h"
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <cmath>
#include <utility>

namespace tilewright::gui {

static constexpr double leastScale = 0.002, mostScale = 4;
/// Below these, in screen pixels, detail is left out.
static constexpr double leastNodePixels = 4, leastStrip = 9, oneLine = 12,
                        twoLines = 25;
/// The buttons that open and close groups.
static constexpr double toggleSize = 15;
/// The least scale at which all of a graph is shown at first: each node still
/// has room for its name.
static constexpr double leastWholeScale = 0.5;
static constexpr double edgeLabelScale = viz::readableScale;
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
  labels.clear();
  overview.reset();
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
  updateFound();
  if (!awaitedId.empty() && current)
    showNode(std::exchange(awaitedId, {}));
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
  const viz::Rect &bounds = current->scene.bounds;
  view.fit(bounds, QSizeF(size()), 1.15);
  if (view.scale < leastWholeScale) {
    // Too large to be read as a whole: begin where it begins, at the inputs.
    view.scale = viz::readableScale;
    view.center(bounds, QSizeF(size()));
    view.offset.setY(-bounds.y * view.scale + 6);
    if (bounds.width * view.scale > width()) {
      std::vector<double> first;
      double top = bounds.y + bounds.height;
      for (const viz::SceneNode &node : current->scene.nodes)
        top = std::min(top, node.rect.y);
      for (const viz::SceneNode &node : current->scene.nodes)
        if (node.rect.y <= top + 1)
          first.push_back(node.rect.center().x);
      if (!first.empty()) {
        auto middle = first.begin() + long(first.size() / 2);
        std::nth_element(first.begin(), middle, first.end());
        view.offset.setX(width() / 2.0 - *middle * view.scale);
      }
      // Not beyond the sides.
      double right = width() - 6 - (bounds.x + bounds.width) * view.scale;
      view.offset.setX(
          std::clamp(view.offset.x(), right, -bounds.x * view.scale + 6));
    }
  }
  placed = true;
  emit zoomChanged(view.scale);
}

void GraphCanvas::centerOn(viz::Point point) {
  view.offset = {width() / 2.0 - point.x * view.scale,
                 height() / 2.0 - point.y * view.scale};
  userMoved = true;
  update();
}

QRectF GraphCanvas::overviewRect() const {
  if (!current || current->scene.nodes.empty() || showsAll())
    return {};
  return GraphOverview::frame(current->scene.bounds, QSizeF(size()));
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

void GraphCanvas::showNode(const std::string &id) {
  if (!current)
    return;
  QRectF where = screenRect(id);
  if (where.isNull()) {
    for (const model::Node &node : current->graph->nodes)
      if (node.id == id) {
        awaitedId = id;
        emit revealRequested(id);
        return;
      }
    return;
  }
  if (view.scale < viz::readableScale) {
    view.zoomAround(where.center(), viz::readableScale / view.scale, leastScale,
                    mostScale);
    emit zoomChanged(view.scale);
    where = screenRect(id);
  }
  if (!QRectF(rect()).adjusted(8, 8, -8, -8).contains(where) ||
      overviewRect().intersects(where)) {
    // Of a group larger than the view the beginning.
    QPointF at = where.center();
    if (where.height() > height())
      at.setY(where.top() + height() / 2.0 - 8);
    if (where.width() > width())
      at.setX(where.left() + width() / 2.0 - 8);
    view.offset += QRectF(rect()).center() - at;
  }
  userMoved = true;
  update();
}

void GraphCanvas::showLit() {
  if (current && !lit.empty())
    showNode(current->graph->nodes[lit.front()].id);
}

static bool matches(const model::Node &node, const QString &text) {
  for (const std::string *part : {&node.label, &node.op, &node.id})
    if (QString::fromStdString(*part).contains(text, Qt::CaseInsensitive))
      return true;
  return false;
}

FindResult GraphCanvas::find(const QString &text, FindStep step) {
  sought = text;
  updateFound();
  FindResult result;
  if (!current)
    return result;
  const std::vector<model::Node> &nodes = current->graph->nodes;
  std::vector<uint32_t> all;
  size_t at = 0; // matches before or at the chosen node
  bool onOne = false;
  bool passed = false;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    bool chosen = !focusId.empty() && nodes[i].id == focusId;
    if (matches(nodes[i], text)) {
      all.push_back(i);
      onOne |= chosen;
    }
    passed |= chosen;
    if (!passed || chosen)
      at = all.size();
  }
  if (all.empty())
    return result;
  if (!passed)
    at = 0;
  // `at` counts the chosen one, if it matches.
  size_t next = onOne ? at - 1 : at;
  if (step == FindStep::Next && onOne)
    ++next;
  else if (step == FindStep::Previous)
    next = next + all.size() - 1;
  next %= all.size();
  const model::Node &node = nodes[all[next]];
  focusId = node.id;
  showNode(node.id);
  emit keysChosen(node.keys);
  emit nodeChosen(QString::fromStdString(node.id));
  result.current = int(next) + 1;
  result.total = int(all.size());
  return result;
}

void GraphCanvas::endFind() {
  sought.clear();
  updateFound();
}

void GraphCanvas::updateFound() {
  found.clear();
  if (current && !sought.isEmpty()) {
    found.resize(current->scene.nodes.size());
    for (size_t i = 0; i < found.size(); ++i)
      found[i] = matches(
          current->graph->nodes[current->scene.nodes[i].graphNode], sought);
  }
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
  // A node's button reaches beyond it.
  viz::Point left = view.toPlane(at - QPointF(toggleSize, 0));
  int32_t near = current->index->nodeAt(left);
  if (near < 0)
    near = current->index->nodeAt(point);
  if (near >= 0 && toggleOfNode(current->scene.nodes[near]).contains(at)) {
    hit.node = near;
    hit.toggle = true;
    return hit;
  }
  hit.node = current->index->nodeAt(point);
  if (hit.node < 0) {
    hit.group = current->index->groupAt(point);
    if (hit.group >= 0) {
      const viz::SceneGroup &group = current->scene.groups[hit.group];
      hit.toggle = toggleOfGroup(group).contains(at);
      QRectF strip = view.toScreen(group.rect);
      strip.setHeight(std::max(
          view.toScreen(group.titleRect).bottom() - strip.top(), leastStrip));
      hit.title = strip.contains(at);
    }
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
  draggingOverview = pressed && overviewRect().contains(pressAt);
  if (draggingOverview)
    centerOn(
        GraphOverview::planeAt(pressAt, current->scene.bounds, QSizeF(size())));
}

void GraphCanvas::mouseMoveEvent(QMouseEvent *event) {
  if (draggingOverview) {
    centerOn(GraphOverview::planeAt(event->position(), current->scene.bounds,
                                    QSizeF(size())));
    return;
  }
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
  bool overMap = overviewRect().contains(event->position());
  Hit hit = overMap ? Hit() : hitAt(event->position());
  if (hit.node < 0 && !hit.title && !hit.toggle)
    hit = {};
  if (!(hit == hovered)) {
    hovered = hit;
    setCursor(hit.node >= 0 || hit.title || hit.toggle ? Qt::PointingHandCursor
                                                       : Qt::ArrowCursor);
    update();
  }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent *event) {
  bool click = pressed && !dragging && !draggingOverview &&
               event->button() == Qt::LeftButton;
  pressed = dragging = draggingOverview = false;
  unsetCursor();
  if (!click)
    return;
  Hit hit = hitAt(event->position());
  if (hit.toggle)
    return toggle(hit);
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
  if (overviewRect().contains(event->position()))
    return mousePressEvent(event);
  Hit hit = hitAt(event->position());
  if (hit.toggle)
    return; // the clicks have done it already
  if (hit.node >= 0 && current->scene.nodes[hit.node].hidden == 0)
    emit activated(modelNode(hit)->keys);
  else
    toggle(hit);
}

void GraphCanvas::toggle(const Hit &hit) {
  const model::Node *node = modelNode(hit);
  if (!node)
    return;
  bool closed = hit.node >= 0;
  if (closed && current->scene.nodes[hit.node].hidden == 0)
    return;
  rememberAnchor(node->id);
  emit toggled(QString::fromStdString(node->id), closed);
}

QRectF GraphCanvas::toggleOfNode(const viz::SceneNode &node) const {
  QRectF where = view.toScreen(node.rect);
  if (node.hidden == 0 || where.height() < oneLine)
    return {};
  return {where.right() - toggleSize / 2, where.center().y() - toggleSize / 2,
          toggleSize, toggleSize};
}

QRectF GraphCanvas::toggleOfGroup(const viz::SceneGroup &group) const {
  QRectF where = view.toScreen(group.rect),
         strip = view.toScreen(group.titleRect);
  if (strip.height() < leastStrip || where.width() < 60)
    return {};
  // Of a wide group it stays in view, as its name does.
  double right = std::min(where.right() - 5, width() - 5.0);
  right = std::max(right, where.left() + 55);
  return {right - toggleSize, strip.center().y() - toggleSize / 2, toggleSize,
          toggleSize};
}

void GraphCanvas::paintToggle(QPainter &painter, QRectF where, bool open,
                              bool hover) {
  const Theme &theme = Theme::current();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(hover ? theme.accent : theme.muted, 1));
  painter.setBrush(hover ? theme.accentSoft : theme.surface);
  where = where.adjusted(1, 1, -1, -1);
  painter.drawEllipse(where);
  painter.setPen(QPen(hover ? theme.accent : theme.muted, 1.4));
  QPointF middle = where.center();
  painter.drawLine(middle - QPointF(3, 0), middle + QPointF(3, 0));
  if (!open)
    painter.drawLine(middle - QPointF(0, 3), middle + QPointF(0, 3));
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
  emit resized();
}

void GraphCanvas::leaveEvent(QEvent *) {
  hovered = {};
  update();
}

void GraphCanvas::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    overview.reset();
    update();
  }
}

bool GraphCanvas::event(QEvent *event) {
  if (event->type() == QEvent::ToolTip) {
    auto *help = static_cast<QHelpEvent *>(event);
    QString text = overviewRect().contains(help->pos())
                       ? tr("All of the graph, and the part that is in view. "
                            "Click or drag to go there.")
                       : describe(hitAt(help->pos()));
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
  if (!node || (hit.node < 0 && !hit.title && !hit.toggle))
    return {};
  if (hit.toggle)
    return hit.node >= 0 ? tr("Open: show the %n node(s) inside", nullptr,
                              int(current->scene.nodes[hit.node].hidden))
                         : tr("Close: show it as one node");
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
  labels.trim();
  paintGrid(painter);
  viz::Rect area = view.toPlane(QRectF(rect()).adjusted(-4, -4, 4, 4));
  paintGroups(painter, area);
  paintEdges(painter, area);
  paintNodes(painter, area);
  paintGroupTitles(painter, area);
  painted = labels.takePainted();
  if (!overviewRect().isEmpty())
    overview.paint(painter, *current, view, QSizeF(size()), litScene);
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
  std::vector<QRectF> taken;
  for (size_t i = 0; i < current->scene.groups.size(); ++i) {
    const viz::SceneGroup &group = current->scene.groups[i];
    if (!group.rect.intersects(area))
      continue;
    paintGroupTitle(painter, group, taken);
    if (QRectF button = toggleOfGroup(group); !button.isEmpty())
      paintToggle(painter, button, true,
                  hovered.toggle && hovered.group == int32_t(i));
  }
}

/// In the strip on its frame; further out, where that is too thin and what is
/// inside has no labels any more, on a plate over the inside.
void GraphCanvas::paintGroupTitle(QPainter &painter,
                                  const viz::SceneGroup &group,
                                  std::vector<QRectF> &taken) {
  viz::NodeColours c = viz::groupColours(themeName(), group.kind, group.depth);
  QRectF box = view.toScreen(group.rect);
  QRectF strip = view.toScreen(group.titleRect);
  double badge =
      group.badge.text.empty() ? 0 : labels.width(group.badge, view.scale) + 14;
  if (strip.height() >= leastStrip) {
    QPointF at = view.toScreen(group.title.position);
    if (!LabelPainter::isNatural(group.title.style, view.scale))
      at.setY(strip.center().y() +
              LabelPainter::lineHeight(group.title.style, view.scale) * 0.36);
    // Of a wide group the name stays in view.
    at.setX(std::clamp(at.x(), 8.0, std::max(8.0, box.right() - 60)));
    at.setX(std::max(at.x(), view.toScreen(group.title.position).x()));
    QRectF button = toggleOfGroup(group);
    double room =
        (button.isEmpty() ? box.right() - 6 : button.left() - 4) - at.x();
    bool hasBadge = badge > 0 && room - badge - 6 >= 40;
    double text = std::min(labels.width(group.title, view.scale),
                           room - (hasBadge ? badge + 6 : 0));
    labels.paintIn(painter, view.scale, group.title, at, text + 1, false,
                   color(c.text));
    if (hasBadge) {
      QRectF pill = view.toScreen(group.badgeRect);
      double height = std::max(pill.height(), 13.0);
      paintBadge(painter,
                 {std::max(pill.left(), at.x() + text + 6),
                  pill.center().y() - height / 2, badge, height},
                 group.badge, color(c.text),
                 mix(color(c.border), color(c.fill), 0.35));
    }
    return;
  }
  double wanted =
      std::min(labels.width(group.title, view.scale) + 12, box.width() - 8);
  QRectF plate(box.left() + 4, box.top() + 4, wanted, 17);
  if (wanted < 48 || box.height() < 26)
    return;
  for (const QRectF &other : taken)
    if (other.intersects(plate))
      return;
  taken.push_back(plate);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(color(c.border), 1));
  painter.setBrush(color(c.fill));
  painter.drawRoundedRect(plate, 4, 4);
  labels.paintIn(painter, view.scale, group.title,
                 {plate.left() + 6, plate.bottom() - 5}, wanted - 10, false,
                 color(c.text));
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
  if (view.scale >= edgeLabelScale)
    paintEdgeLabels(painter, edges);
}

void GraphCanvas::paintEdgeLabels(QPainter &painter,
                                  const std::vector<uint32_t> &edges) {
  QColor ink = color(viz::theme(themeName()).edgeLabel);
  // Lines closer than the least size allows move down.
  double lower =
      LabelPainter::lineHeight(viz::TextStyle::EdgeLabel, view.scale) -
      LabelPainter::naturalPixels(viz::TextStyle::EdgeLabel, view.scale);
  auto paint = [&](viz::SceneText label, double down = 0) {
    if (label.text.empty())
      return;
    label.position.y += down / view.scale;
    int32_t inside = current->index->groupAt(label.position);
    double right = width() + 400;
    QColor ground = Theme::current().surface;
    if (inside >= 0) {
      const viz::SceneGroup &group = current->scene.groups[inside];
      right = view.toScreen(group.rect).right() - 3;
      ground =
          color(viz::groupColours(themeName(), group.kind, group.depth).fill);
    }
    labels.paintOnGround(painter, view, label, right, ink, ground);
  };
  for (uint32_t index : edges) {
    const viz::SceneEdge &edge = current->scene.edges[index];
    paint(edge.label);
    paint(edge.stubLabel, edge.label.text.empty() ? 0 : lower + 1);
    paint(edge.arrivalLabel);
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
  if (!found.empty() && found[index]) {
    border = theme.warning;
    fill = mix(theme.warning, fill, 0.15);
  }
  if (chosen) {
    border = theme.accent;
    fill = mix(theme.accent, fill, theme.dark() ? 0.2 : 0.12);
  }
  bool terminal = node.kind == model::NodeKind::Input ||
                  node.kind == model::NodeKind::Output ||
                  node.kind == model::NodeKind::Constant;
  double radius = terminal ? where.height() / 2 : 7 * view.scale;
  QPen pen(border, chosen ? 2 : 1.1);
  if (where.height() < oneLine) {
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
  paintNodeLabels(painter, node, where, color(c.text), color(c.mutedText),
                  mix(color(c.border), fill, 0.35));
  if (QRectF button = toggleOfNode(node); !button.isEmpty())
    paintToggle(painter, button, false, hover && hovered.toggle);
}

void GraphCanvas::paintNodeLabels(QPainter &painter, const viz::SceneNode &node,
                                  const QRectF &where, const QColor &ink,
                                  const QColor &muted, const QColor &badge) {
  double scale = view.scale;
  bool two = !node.subtitle.text.empty();
  bool natural =
      LabelPainter::isNatural(node.title.style, scale) &&
      (!two || LabelPainter::isNatural(node.subtitle.style, scale)) &&
      (node.badge.text.empty() ||
       LabelPainter::isNatural(node.badge.style, scale));
  if (natural) {
    labels.paint(painter, view, node.title, ink);
    labels.paint(painter, view, node.subtitle, muted);
    if (!node.badge.text.empty())
      paintBadge(painter, view.toScreen(node.badgeRect), node.badge, ink,
                 badge);
    return;
  }
  // Lines of the least size around the middle of the box.
  two &= where.height() >= twoLines;
  double first = LabelPainter::lineHeight(node.title.style, scale);
  double second =
      two ? LabelPainter::lineHeight(node.subtitle.style, scale) : 0;
  double gap = two ? std::max(2.0, (where.height() - first - second) / 3) : 0;
  double baseline =
      where.center().y() - (first + gap + second) / 2 + first * 0.86;
  double side = two ? std::clamp(12 * scale, 5.0, 12.0) : 3;
  double left = where.left() + side, right = where.right() - side;
  double title = labels.width(node.title, scale);
  if (!node.badge.text.empty()) {
    double width = labels.width(node.badge, scale) + 10;
    if (right - left - width - 4 >= std::min(title, 36.0)) {
      paintBadge(painter,
                 {right - width, baseline - first * 0.86 - 1, width, first + 3},
                 node.badge, ink, badge);
      right -= width + 4;
    }
  }
  auto line = [&](const viz::SceneText &text, double y, double end,
                  const QColor &color) {
    double room = end - left;
    bool centered = text.centered && labels.width(text, scale) <= room;
    labels.paintIn(painter, scale, text,
                   {centered ? (left + end) / 2 : left, y}, room + 1, centered,
                   color);
  };
  line(node.title, baseline, right, ink);
  if (two)
    line(node.subtitle, baseline + gap + second, where.right() - side, muted);
}

void GraphCanvas::paintBadge(QPainter &painter, const QRectF &where,
                             const viz::SceneText &text, const QColor &ink,
                             const QColor &fill) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(fill);
  painter.drawRoundedRect(where, where.height() / 2, where.height() / 2);
  double line = LabelPainter::lineHeight(text.style, view.scale);
  labels.paintIn(painter, view.scale, text,
                 {where.center().x(), where.center().y() + line * 0.36},
                 std::max(where.width(), 40.0), true, ink);
}

} // namespace tilewright::gui
