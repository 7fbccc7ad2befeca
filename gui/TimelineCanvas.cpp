//===- TimelineCanvas.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/TimelineCanvas.h"

#include "gui/EmptyState.h"
#include "gui/Fonts.h"
#include "gui/Format.h"
#include "gui/Theme.h"
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>
#include <cmath>

namespace tilewright::gui {

using profiler::EventIndex;
using profiler::noEvent;

static constexpr int axisHeight = 24, gutterWidth = 172, rightMargin = 12;
static constexpr int leastLane = 20, mostLane = 34, laneGap = 1, rowPadding = 4;
static constexpr int64_t leastRange = 200; ///< ns
/// Up to this many events a lane are drawn one by one.
static constexpr uint32_t individualEvents = 1500;

TimelineCanvas::TimelineCanvas(const KeyColors *colors, QWidget *parent)
    : QAbstractScrollArea(parent), colors(colors) {
  setFrameShape(NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  viewport()->setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumHeight(60);
  setAccessibleName(tr("Timeline of the last run"));
}

void TimelineCanvas::setTrace(std::shared_ptr<const LoadedTrace> trace) {
  current = std::move(trace);
  hovered = chosen = noEvent;
  labels.clear();
  range = current ? current->store.range() : profiler::TimeRange{};
  layOutRows();
  updateColors();
  showKeys(selected, false);
  fit();
}

void TimelineCanvas::setEmptyText(const QString &title, const QString &hint) {
  emptyTitle = title;
  emptyHint = hint;
  viewport()->update();
}

void TimelineCanvas::updateColors() {
  setColor.clear();
  if (!current)
    return;
  for (const auto &keys : current->keysOfSet)
    setColor.push_back(colors->colorOf(keys).rgb());
}

void TimelineCanvas::showKeys(const std::vector<std::string> &keys,
                              bool reveal) {
  bool changed = keys != selected;
  selected = keys;
  updateColors();
  setLit.assign(current ? current->keysOfSet.size() : 0, 0);
  anyLit = false;
  if (current)
    for (uint32_t set : current->keySets.lookup(keys))
      anyLit = setLit[set] = 1;
  if (changed && reveal)
    chosen = noEvent;
  viewport()->update();
}

void TimelineCanvas::layOutRows() {
  rows.clear();
  int top = 0;
  laneHeight = leastLane;
  if (current) {
    // Few lanes may use the room there is.
    int lanes = 0;
    for (uint32_t track : current->order)
      lanes += std::max(1u, current->store.tracks[track].laneCount);
    int room = viewport()->height() - axisHeight - 8 -
               int(current->order.size()) * rowPadding;
    if (lanes > 0)
      laneHeight = std::clamp(room / lanes - laneGap, leastLane, mostLane);
    for (uint32_t track : current->order) {
      int lanes = std::max(1u, current->store.tracks[track].laneCount);
      int height = lanes * (laneHeight + laneGap) + rowPadding;
      rows.push_back({track, top, height});
      top += height;
    }
  }
  rowsHeight = top;
  updateScrollBar();
}

int TimelineCanvas::contentHeight() const {
  int height = axisHeight + 8;
  if (current)
    for (uint32_t track : current->order)
      height += int(std::max(1u, current->store.tracks[track].laneCount)) *
                    (mostLane + laneGap) +
                rowPadding;
  return height;
}

void TimelineCanvas::updateScrollBar() {
  int room = viewport()->height() - axisHeight;
  verticalScrollBar()->setRange(0, std::max(0, rowsHeight + 6 - room));
  verticalScrollBar()->setPageStep(std::max(1, room));
  verticalScrollBar()->setSingleStep(laneHeight);
}

int TimelineCanvas::plotLeft() const { return gutterWidth; }
int TimelineCanvas::plotWidth() const {
  return std::max(10, viewport()->width() - gutterWidth - rightMargin);
}

double TimelineCanvas::xOf(int64_t time) const {
  return plotLeft() + double(time - range.begin) * plotWidth() /
                          std::max<int64_t>(1, range.length());
}

int64_t TimelineCanvas::timeAt(double x) const {
  return range.begin +
         int64_t(std::llround((x - plotLeft()) * range.length() / plotWidth()));
}

void TimelineCanvas::setVisibleRange(profiler::TimeRange wanted) {
  range = wanted;
  clampRange();
  viewport()->update();
  emit rangeChanged();
}

void TimelineCanvas::clampRange() {
  if (!current)
    return;
  profiler::TimeRange all = current->store.range();
  int64_t most =
      std::max<int64_t>(all.length() + all.length() / 10, leastRange);
  int64_t length = std::clamp(range.length(), leastRange, most);
  int64_t slack = length / 20;
  int64_t begin = range.begin;
  begin = std::min(begin, all.end + slack - std::min(length, all.length()));
  begin = std::max(begin, all.begin - slack);
  range = {begin, begin + length};
}

void TimelineCanvas::fit() {
  if (current) {
    profiler::TimeRange all = current->store.range();
    int64_t slack = std::max<int64_t>(1, all.length() / 100);
    range = {all.begin, all.end + slack};
    if (range.length() < leastRange)
      range.end = range.begin + leastRange;
  }
  viewport()->update();
  emit rangeChanged();
}

void TimelineCanvas::zoom(double x, double factor) {
  if (!current)
    return;
  int64_t under = timeAt(x);
  double length = std::clamp(
      range.length() * factor, double(leastRange),
      std::max(double(leastRange), current->store.range().length() * 1.1));
  double share = (x - plotLeft()) / plotWidth();
  int64_t begin = under - int64_t(std::llround(share * length));
  setVisibleRange({begin, begin + int64_t(std::llround(length))});
}

EventIndex TimelineCanvas::eventAt(QPointF at) const {
  if (!current || at.x() < plotLeft() || at.y() < axisHeight)
    return noEvent;
  int y = int(at.y()) - axisHeight + verticalScrollBar()->value();
  for (const Row &row : rows) {
    if (y < row.top || y >= row.top + row.height)
      continue;
    const auto &track = current->store.tracks[row.track];
    int lane = (y - row.top - rowPadding / 2) / (laneHeight + laneGap);
    if (lane < 0 || lane >= int(track.laneCount))
      return noEvent;
    // A bar is at least a pixel wide; let it be hit a pixel beside it, too.
    profiler::TimeRange about{timeAt(at.x() - 1.5), timeAt(at.x() + 1.5) + 1};
    auto [first, last] = current->store.eventsIn(track.firstLane + lane, about);
    if (first == last)
      return noEvent;
    int64_t time = timeAt(at.x());
    for (EventIndex e = first; e < last && e < first + 64; ++e)
      if (current->store.begin[e] <= time && time < current->store.end[e])
        return e;
    return first;
  }
  return noEvent;
}

QRectF TimelineCanvas::rectOf(EventIndex event) const {
  if (!current || event >= current->store.size())
    return {};
  const profiler::TraceStore &store = current->store;
  for (const Row &row : rows) {
    if (row.track != store.track[event])
      continue;
    const auto &track = store.tracks[row.track];
    for (uint32_t lane = 0; lane < track.laneCount; ++lane) {
      const auto &record = store.lanes[track.firstLane + lane];
      if (event < record.firstEvent ||
          event >= record.firstEvent + record.eventCount)
        continue;
      double left = xOf(store.begin[event]), right = xOf(store.end[event]);
      int top = axisHeight + row.top + rowPadding / 2 +
                int(lane) * (laneHeight + laneGap) -
                verticalScrollBar()->value();
      return {left, double(top), std::max(1.0, right - left),
              double(laneHeight)};
    }
  }
  return {};
}

bool TimelineCanvas::dimmed(EventIndex event) const {
  return anyLit && !setLit[current->store.keySet[event]];
}

QRgb TimelineCanvas::colorOf(EventIndex event) const {
  const Theme &theme = Theme::current();
  uint32_t set = current->store.keySet[event];
  QColor color =
      set ? QColor(setColor[set])
          : theme.hues[qHash(current->store.name[event]) % theme.hues.size()];
  if (theme.dark())
    color = mix(color, theme.surface, 0.85);
  if (dimmed(event))
    color = mix(color, theme.surface, 0.22);
  return color.rgb();
}

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

void TimelineCanvas::mousePressEvent(QMouseEvent *event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
    return;
  pressed = true;
  dragging = false;
  pressAt = event->position();
  pressRange = range;
  pressScroll = verticalScrollBar()->value();
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent *event) {
  if (pressed) {
    QPointF moved = event->position() - pressAt;
    if (!dragging && moved.manhattanLength() > 4) {
      dragging = true;
      viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (dragging) {
      auto shift =
          int64_t(-moved.x() * double(pressRange.length()) / plotWidth());
      setVisibleRange({pressRange.begin + shift, pressRange.end + shift});
      verticalScrollBar()->setValue(pressScroll - int(moved.y()));
    }
    return;
  }
  // Only the strips the cursor line leaves and enters are repainted.
  double before = cursorX;
  cursorX = event->position().x() >= plotLeft() ? event->position().x() : -1;
  EventIndex under = eventAt(event->position());
  if (under != hovered) {
    hovered = under;
    viewport()->setCursor(hovered == noEvent ? Qt::ArrowCursor
                                             : Qt::PointingHandCursor);
    viewport()->update();
    return;
  }
  for (double x : {before, cursorX})
    if (x >= 0)
      viewport()->update(QRect(int(x) - 60, 0, 120, viewport()->height()));
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent *event) {
  bool click = pressed && !dragging && event->button() == Qt::LeftButton;
  pressed = dragging = false;
  viewport()->unsetCursor();
  if (!click || !current)
    return;
  chosen = eventAt(event->position());
  emit keysChosen(chosen == noEvent
                      ? std::vector<std::string>{}
                      : current->keysOfSet[current->store.keySet[chosen]]);
  viewport()->update();
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent *event) {
  EventIndex at = eventAt(event->position());
  if (at == noEvent)
    return;
  int64_t begin = current->store.begin[at], end = current->store.end[at];
  int64_t margin = std::max<int64_t>((end - begin) / 4, leastRange / 2);
  setVisibleRange({begin - margin, end + margin});
}

void TimelineCanvas::wheelEvent(QWheelEvent *event) {
  double vertical = event->angleDelta().y(), sideways = event->angleDelta().x();
  if (event->modifiers() & Qt::ShiftModifier ||
      std::abs(sideways) > std::abs(vertical)) {
    double by = sideways ? sideways : vertical;
    auto shift = int64_t(-by / 120.0 * 0.12 * double(range.length()));
    setVisibleRange({range.begin + shift, range.end + shift});
  } else if (event->position().x() < plotLeft()) {
    verticalScrollBar()->setValue(verticalScrollBar()->value() -
                                  int(vertical / 2));
  } else {
    zoom(event->position().x(), std::pow(1.0018, -vertical));
  }
  event->accept();
}

void TimelineCanvas::keyPressEvent(QKeyEvent *event) {
  int64_t step = range.length() / 8;
  switch (event->key()) {
  case Qt::Key_F:
    return fit();
  case Qt::Key_Plus:
  case Qt::Key_Equal:
  case Qt::Key_W:
    return zoomIn();
  case Qt::Key_Minus:
  case Qt::Key_S:
    return zoomOut();
  case Qt::Key_Left:
  case Qt::Key_A:
    return setVisibleRange({range.begin - step, range.end - step});
  case Qt::Key_Right:
  case Qt::Key_D:
    return setVisibleRange({range.begin + step, range.end + step});
  case Qt::Key_Escape:
    chosen = noEvent;
    emit keysChosen({});
    return;
  default:
    QAbstractScrollArea::keyPressEvent(event);
  }
}

void TimelineCanvas::resizeEvent(QResizeEvent *) { layOutRows(); }

void TimelineCanvas::changeEvent(QEvent *event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    updateColors();
    viewport()->update();
  }
}

bool TimelineCanvas::viewportEvent(QEvent *event) {
  if (event->type() == QEvent::ToolTip) {
    auto *help = static_cast<QHelpEvent *>(event);
    EventIndex at = eventAt(help->pos());
    if (at == noEvent)
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), describe(at), viewport());
    return true;
  }
  if (event->type() == QEvent::Leave) {
    hovered = noEvent;
    cursorX = -1;
    viewport()->update();
  }
  return QAbstractScrollArea::viewportEvent(event);
}

QString TimelineCanvas::describe(EventIndex event) const {
  const Theme &theme = Theme::current();
  const profiler::TraceStore &store = current->store;
  auto text = [](std::string_view raw) {
    return QString::fromUtf8(raw.data(), qsizetype(raw.size())).toHtmlEscaped();
  };
  QString rows;
  auto row = [&](const QString &name, const QString &value) {
    rows += QString("<tr><td style='color:%1;padding-right:12px'>%2</td>"
                    "<td>%3</td></tr>")
                .arg(theme.muted.name(), name, value);
  };
  row(tr("took"),
      formatNanoseconds(double(store.end[event] - store.begin[event])) + ", " +
          formatOrigin(store.origin));
  row(tr("began at"), formatNanoseconds(double(store.begin[event])));
  row(tr("on"), text(store.tracks[store.track[event]].name));
  QStringList grid;
  for (int64_t coordinate : store.gridOf(event))
    grid << QString::number(coordinate);
  if (!grid.isEmpty())
    row(tr("task"), grid.join(", "));
  if (auto into = store.flowsInto(event); !into.empty())
    row(tr("waited for"), tr("%n task(s)", nullptr, int(into.size())));
  if (current->isCritical[event])
    row(tr("critical path"), tr("yes"));
  QStringList keys;
  for (const std::string &key : current->keysOfSet[store.keySet[event]])
    if (keys.size() < 6)
      keys << text(key);
  if (!keys.isEmpty())
    row(tr("from"), keys.join("<br>"));
  return QString("<b>%1</b><table style='margin-top:4px'>%2</table>")
      .arg(text(store.nameOf(event)), rows);
}

//===----------------------------------------------------------------------===//
// Painting
//===----------------------------------------------------------------------===//

void TimelineCanvas::paintEvent(QPaintEvent *event) {
  const Theme &theme = Theme::current();
  QPainter painter(viewport());
  painter.fillRect(event->rect(), theme.surface);
  if (!current || rows.empty()) {
    paintEmptyState(painter, viewport()->rect(), emptyTitle, emptyHint);
    return;
  }
  double ratio = devicePixelRatioF();
  QImage image(int(std::ceil(plotWidth() * ratio)), 1, QImage::Format_RGB32);
  int scroll = verticalScrollBar()->value();
  painter.save();
  paintRules(painter);
  painter.setClipRect(plotLeft(), axisHeight, plotWidth() + rightMargin,
                      viewport()->height() - axisHeight);
  for (const Row &row : rows) {
    int top = axisHeight + row.top - scroll;
    if (top > viewport()->height() || top + row.height < axisHeight)
      continue;
    paintRow(painter, row, image);
  }
  paintDependencies(painter);
  painter.restore();
  paintGutter(painter);
  paintAxis(painter);
  paintCursor(painter);
}

void TimelineCanvas::paintRow(QPainter &painter, const Row &row,
                              QImage &image) {
  const auto &track = current->store.tracks[row.track];
  int top = axisHeight + row.top - verticalScrollBar()->value();
  for (uint32_t lane = 0; lane < track.laneCount; ++lane) {
    int laneTop = top + rowPadding / 2 + int(lane) * (laneHeight + laneGap);
    paintLane(painter, track.firstLane + lane, laneTop, image);
  }
}

void TimelineCanvas::paintLane(QPainter &painter, uint32_t lane, int top,
                               QImage &image) {
  const profiler::TraceStore &store = current->store;
  auto [first, last] = store.eventsIn(lane, range);
  if (first == last)
    return;
  if (last - first <= individualEvents) {
    paintEvents(painter, first, last, top);
    return;
  }
  // One column, one bucket; the image is a line high and stretched.
  const Theme &theme = Theme::current();
  QRgb back = mix(theme.hover, theme.surface, 0.6).rgb();
  auto buckets = store.buckets(lane, range, uint32_t(image.width()));
  auto *line = reinterpret_cast<QRgb *>(image.scanLine(0));
  for (int x = 0; x < image.width(); ++x) {
    const profiler::Bucket &bucket = buckets[x];
    if (bucket.longest == noEvent) {
      line[x] = back;
      continue;
    }
    // A short event in an idle stretch must still be seen.
    double weight = std::max(0.25, double(bucket.busy));
    line[x] = mix(QColor(colorOf(bucket.longest)), QColor(back), weight).rgb();
  }
  painter.drawImage(QRectF(plotLeft(), top, plotWidth(), laneHeight), image,
                    QRectF(0, 0, image.width(), 1));
}

void TimelineCanvas::paintEvents(QPainter &painter, EventIndex first,
                                 EventIndex last, int top) {
  const Theme &theme = Theme::current();
  const profiler::TraceStore &store = current->store;
  painter.setRenderHint(QPainter::Antialiasing, false);
  QFont font = Fonts::ui(0.9);
  QFontMetrics metrics(font);
  painter.setFont(font);
  double edge = plotLeft();
  for (EventIndex event = first; event < last; ++event) {
    double left = std::max(xOf(store.begin[event]), edge);
    double right =
        std::min(xOf(store.end[event]), double(plotLeft() + plotWidth()));
    double width = std::max(1.0, right - left);
    QColor fill = QColor(colorOf(event));
    bool hover = event == hovered, isChosen = event == chosen;
    // A hairline keeps neighbours apart once they are wide enough.
    QRectF bar(left, top, width > 4 ? width - 1 : width, laneHeight);
    painter.fillRect(bar, hover ? mix(theme.text, fill, 0.15) : fill);
    if (current->isCritical[event] && width >= 2)
      painter.fillRect(QRectF(bar.left(), bar.bottom() - 3, bar.width(), 3),
                       dimmed(event) ? mix(theme.error, theme.surface, 0.35)
                                     : theme.error);
    if (width > 38) {
      QString name = QString::fromUtf8(store.nameOf(event).data(),
                                       qsizetype(store.nameOf(event).size()));
      int room = int(width) - 10;
      if (metrics.averageCharWidth() * 3 < room) {
        QString key = name + '\n' + QString::number(room);
        auto label = labels.find(key);
        if (label == labels.end()) {
          if (labels.size() > 20000)
            labels.clear();
          QStaticText text(metrics.elidedText(name, Qt::ElideRight, room));
          text.setTextFormat(Qt::PlainText);
          text.prepare({}, font);
          label = labels.insert(key, text);
        }
        bool darkText = fill.lightnessF() > 0.6;
        QColor ink = dimmed(event) ? theme.muted
                     : darkText    ? QColor("#10131a")
                                   : QColor("#ffffff");
        painter.setPen(ink);
        painter.drawStaticText(
            QPointF(bar.left() + 5,
                    top + (laneHeight - metrics.height()) / 2.0),
            *label);
      }
    }
    if (isChosen || hover) {
      painter.setPen(QPen(isChosen ? theme.text : mix(theme.text, fill, 0.5),
                          isChosen ? 2 : 1));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
    }
  }
}

void TimelineCanvas::paintDependencies(QPainter &painter) {
  EventIndex about = chosen != noEvent ? chosen : noEvent;
  if (about == noEvent)
    return;
  const Theme &theme = Theme::current();
  const profiler::TraceStore &store = current->store;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  auto arrow = [&](EventIndex from, EventIndex to) {
    QRectF a = rectOf(from), b = rectOf(to);
    if (a.isNull() || b.isNull())
      return;
    QPointF start(a.right(), a.center().y()), end(b.left(), b.center().y());
    double reach = std::max(12.0, std::abs(end.x() - start.x()) / 2);
    QPainterPath path(start);
    path.cubicTo(start + QPointF(reach, 0), end - QPointF(reach, 0), end);
    painter.setPen(QPen(theme.text, 1.2));
    painter.drawPath(path);
    painter.setBrush(theme.text);
    painter.drawPolygon(
        QPolygonF{end, end + QPointF(-6, -3), end + QPointF(-6, 3)});
    painter.setBrush(Qt::NoBrush);
  };
  int drawn = 0;
  for (const profiler::FlowRecord &flow : store.flowsInto(about))
    if (++drawn <= 64)
      arrow(flow.from, flow.to);
  for (uint32_t flow : store.flowsFrom(about))
    if (++drawn <= 128)
      arrow(store.flows[flow].from, store.flows[flow].to);
}

void TimelineCanvas::paintGutter(QPainter &painter) {
  const Theme &theme = Theme::current();
  int scroll = verticalScrollBar()->value();
  QRect gutter(0, axisHeight, gutterWidth, viewport()->height() - axisHeight);
  painter.save();
  painter.setClipRect(gutter);
  painter.fillRect(gutter, theme.surface);
  painter.setRenderHint(QPainter::Antialiasing);
  for (const Row &row : rows) {
    int top = axisHeight + row.top - scroll;
    if (top > viewport()->height() || top + row.height < axisHeight)
      continue;
    const auto &track = current->store.tracks[row.track];
    int center = top + rowPadding / 2 + laneHeight / 2;
    double share = current->share[row.track];
    QRect name(12, center - 10, gutterWidth - 94, 20);
    painter.setFont(Fonts::ui(0.95));
    painter.setPen(theme.text);
    painter.drawText(
        name, Qt::AlignVCenter,
        painter.fontMetrics().elidedText(QString::fromStdString(track.name),
                                         Qt::ElideRight, name.width()));
    if (share < 0)
      continue;
    QRectF back(gutterWidth - 80, center - 2.5, 30, 5);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.border);
    painter.drawRoundedRect(back, 2.5, 2.5);
    QRectF part = back;
    part.setWidth(std::max(2.0, back.width() * std::min(1.0, share)));
    painter.setBrush(share > 0.8   ? theme.good
                     : share > 0.5 ? theme.accent
                                   : theme.warning);
    painter.drawRoundedRect(part, 2.5, 2.5);
    painter.setFont(Fonts::mono(0.9));
    painter.setPen(theme.muted);
    painter.drawText(QRect(gutterWidth - 46, center - 10, 36, 20),
                     Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(share * 100, 'f', 0) + "%");
  }
  painter.restore();
}

void TimelineCanvas::paintAxis(QPainter &painter) {
  const Theme &theme = Theme::current();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(0, 0, viewport()->width(), axisHeight, theme.raised);
  painter.fillRect(0, axisHeight - 1, viewport()->width(), 1, theme.border);
  painter.fillRect(gutterWidth - 1, 0, 1, viewport()->height(), theme.border);
  painter.setFont(Fonts::ui(0.9));
  painter.setPen(theme.muted);
  painter.drawText(QRect(12, 0, 90, axisHeight), Qt::AlignVCenter, tr("Track"));
  painter.drawText(QRect(gutterWidth - 100, 0, 90, axisHeight),
                   Qt::AlignRight | Qt::AlignVCenter, tr("busy"));
  int64_t tick = tickLength();
  painter.setFont(Fonts::ui(0.88));
  for (int64_t at = range.begin / tick * tick; at <= range.end; at += tick) {
    double x = xOf(at);
    if (x < plotLeft() - 1)
      continue;
    painter.fillRect(QRectF(std::round(x), axisHeight - 6, 1, 5), theme.faint);
    if (x + 40 > viewport()->width())
      continue;
    painter.setPen(theme.muted);
    painter.drawText(QRectF(x + 4, 0, 100, axisHeight - 2), Qt::AlignVCenter,
                     at == 0 ? QString("0") : formatNanoseconds(double(at)));
  }
}

int64_t TimelineCanvas::tickLength() const {
  // Ticks at 1, 2, 5 times a power of ten, about 110 px apart.
  double wanted = 110.0 * double(range.length()) / plotWidth();
  double step = std::pow(10, std::floor(std::log10(std::max(1.0, wanted))));
  for (double factor : {1.0, 2.0, 5.0, 10.0})
    if (step * factor >= wanted) {
      step *= factor;
      break;
    }
  return int64_t(std::max(1.0, step));
}

void TimelineCanvas::paintRules(QPainter &painter) {
  const Theme &theme = Theme::current();
  int scroll = verticalScrollBar()->value();
  QColor band = mix(theme.hover, theme.surface, 0.6);
  for (const Row &row : rows) {
    const auto &track = current->store.tracks[row.track];
    for (uint32_t lane = 0; lane < track.laneCount; ++lane)
      painter.fillRect(plotLeft(),
                       axisHeight + row.top - scroll + rowPadding / 2 +
                           int(lane) * (laneHeight + laneGap),
                       plotWidth(), laneHeight, band);
  }
  int64_t tick = tickLength();
  for (int64_t at = range.begin / tick * tick; at <= range.end; at += tick)
    if (double x = xOf(at); x >= plotLeft() - 1)
      painter.fillRect(QRectF(std::round(x), axisHeight, 1,
                              viewport()->height() - axisHeight),
                       theme.border);
}

void TimelineCanvas::paintCursor(QPainter &painter) {
  if (cursorX < plotLeft() || dragging)
    return;
  const Theme &theme = Theme::current();
  painter.fillRect(
      QRectF(cursorX, axisHeight, 1, viewport()->height() - axisHeight),
      mix(theme.accent, theme.surface, 0.6));
  QString text = formatNanoseconds(double(timeAt(cursorX)));
  painter.setFont(Fonts::ui(0.88));
  int width = painter.fontMetrics().horizontalAdvance(text) + 10;
  double left = std::clamp(cursorX - width / 2.0, double(plotLeft()),
                           double(viewport()->width() - width));
  QRectF pill(left, 3, width, axisHeight - 7);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.accent);
  painter.drawRoundedRect(pill, 4, 4);
  painter.setPen(theme.onAccent);
  painter.drawText(pill, Qt::AlignCenter, text);
}

} // namespace tilewright::gui
