//===- Icons.cpp ----------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Icons.h"

#include "gui/Theme.h"
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>

namespace tilewright::gui {

static void line(QPainterPath &path, std::initializer_list<QPointF> points) {
  auto point = points.begin();
  path.moveTo(*point);
  while (++point != points.end())
    path.lineTo(*point);
}

void Icons::paint(QPainter *painter, Id id, const QRectF &rect,
                  const QColor &color) {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  double scale = std::min(rect.width(), rect.height()) / 16;
  painter->translate(rect.center());
  painter->scale(scale, scale);
  painter->translate(-8, -8);
  QPen pen(color, 1.4);
  pen.setCapStyle(Qt::RoundCap);
  pen.setJoinStyle(Qt::RoundJoin);
  painter->setPen(pen);
  painter->setBrush(Qt::NoBrush);
  QPainterPath p;
  bool fill = false;
  switch (id) {
  case Run:
    line(p, {{5, 3.2}, {12.6, 8}, {5, 12.8}});
    p.closeSubpath();
    fill = true;
    break;
  case Stop:
    p.addRoundedRect(QRectF(4, 4, 8, 8), 1.5, 1.5);
    fill = true;
    break;
  case Open:
    line(p,
         {{2, 12.5}, {2, 3.5}, {6.2, 3.5}, {7.7, 5.2}, {14, 5.2}, {14, 12.5}});
    p.closeSubpath();
    break;
  case Save:
    line(p, {{3, 3}, {11, 3}, {13, 5}, {13, 13}, {3, 13}});
    p.closeSubpath();
    line(p, {{5.5, 3}, {5.5, 6}, {10, 6}, {10, 3}});
    line(p, {{5.5, 13}, {5.5, 9.5}, {10.5, 9.5}, {10.5, 13}});
    break;
  case Fit:
    line(p, {{2.5, 6}, {2.5, 2.5}, {6, 2.5}});
    line(p, {{10, 2.5}, {13.5, 2.5}, {13.5, 6}});
    line(p, {{13.5, 10}, {13.5, 13.5}, {10, 13.5}});
    line(p, {{6, 13.5}, {2.5, 13.5}, {2.5, 10}});
    p.addRoundedRect(QRectF(5.6, 5.6, 4.8, 4.8), 1, 1);
    break;
  case ZoomIn:
    line(p, {{8, 3.5}, {8, 12.5}});
    [[fallthrough]];
  case ZoomOut:
    line(p, {{3.5, 8}, {12.5, 8}});
    break;
  case ChevronUp:
    line(p, {{4, 9.8}, {8, 5.8}, {12, 9.8}});
    break;
  case ChevronDown:
    line(p, {{4, 6.2}, {8, 10.2}, {12, 6.2}});
    break;
  case ChevronRight:
    line(p, {{6.2, 4}, {10.2, 8}, {6.2, 12}});
    break;
  case ExpandAll:
    line(p, {{5, 5.5}, {8, 2.5}, {11, 5.5}});
    line(p, {{5, 10.5}, {8, 13.5}, {11, 10.5}});
    line(p, {{3, 8}, {13, 8}});
    break;
  case CollapseAll:
    line(p, {{5, 2.5}, {8, 5.5}, {11, 2.5}});
    line(p, {{5, 13.5}, {8, 10.5}, {11, 13.5}});
    line(p, {{3, 8}, {13, 8}});
    break;
  case Reused:
    p.arcMoveTo(QRectF(3, 3, 10, 10), 40);
    p.arcTo(QRectF(3, 3, 10, 10), 40, 290);
    line(p, {{12.6, 2.2}, {12.2, 5.2}, {9.2, 4.8}});
    break;
  case Error:
    p.addEllipse(QPointF(8, 8), 6, 6);
    line(p, {{8, 4.8}, {8, 8.6}});
    line(p, {{8, 11.1}, {8, 11.2}});
    break;
  case Warning:
    line(p, {{8, 2.2}, {14.4, 13.4}, {1.6, 13.4}});
    p.closeSubpath();
    line(p, {{8, 6.2}, {8, 9.4}});
    line(p, {{8, 11.4}, {8, 11.5}});
    break;
  case Info:
    p.addEllipse(QPointF(8, 8), 6, 6);
    line(p, {{8, 7.4}, {8, 11.2}});
    line(p, {{8, 4.9}, {8, 5}});
    break;
  case Good:
    line(p, {{3.2, 8.4}, {6.6, 11.8}, {12.8, 4.6}});
    break;
  case Sun:
    p.addEllipse(QPointF(8, 8), 3, 3);
    for (int i = 0; i < 8; ++i) {
      double angle = i * 3.14159265 / 4;
      QPointF direction(std::cos(angle), std::sin(angle));
      line(p, {QPointF(8, 8) + direction * 5, QPointF(8, 8) + direction * 6.5});
    }
    break;
  case Moon:
    p.moveTo(13.2, 9.6);
    p.cubicTo(9, 11.4, 4.8, 7.6, 6.6, 2.9);
    p.cubicTo(0.4, 4.6, 1.4, 13.6, 7.6, 13.6);
    p.cubicTo(10.2, 13.6, 12.2, 12, 13.2, 9.6);
    break;
  case Search:
    p.addEllipse(QPointF(7, 7), 4.2, 4.2);
    line(p, {{10.2, 10.2}, {13.5, 13.5}});
    break;
  case Close:
    line(p, {{4.2, 4.2}, {11.8, 11.8}});
    line(p, {{11.8, 4.2}, {4.2, 11.8}});
    break;
  case Logo:
    // Four tiles, one lifted out of the grid.
    painter->setPen(Qt::NoPen);
    painter->setBrush(color);
    painter->drawRoundedRect(QRectF(2, 2, 5.4, 5.4), 1.2, 1.2);
    painter->drawRoundedRect(QRectF(2, 8.6, 5.4, 5.4), 1.2, 1.2);
    painter->drawRoundedRect(QRectF(8.6, 8.6, 5.4, 5.4), 1.2, 1.2);
    painter->setPen(QPen(color, 1.2));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(9.4, 1.4, 5, 5), 1.2, 1.2);
    break;
  }
  if (fill)
    painter->setBrush(color);
  painter->drawPath(p);
  painter->restore();
}

namespace {
class Engine : public QIconEngine {
public:
  Engine(Icons::Id id, Icons::Role role) : id(id), role(role) {}
  void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode,
             QIcon::State) override {
    const Theme &theme = Theme::current();
    QColor color = role == Icons::OnAccent ? theme.onAccent : theme.text;
    if (mode == QIcon::Disabled)
      color = theme.faint;
    Icons::paint(painter, id, rect, color);
  }
  QPixmap pixmap(const QSize &size, QIcon::Mode mode,
                 QIcon::State state) override {
    QPixmap map(size);
    map.fill(Qt::transparent);
    QPainter painter(&map);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return map;
  }
  QIconEngine *clone() const override { return new Engine(id, role); }

private:
  Icons::Id id;
  Icons::Role role;
};
} // namespace

QIcon Icons::icon(Id id, Role role) { return QIcon(new Engine(id, role)); }

} // namespace tilewright::gui
