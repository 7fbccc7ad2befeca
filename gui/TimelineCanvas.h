//===- TimelineCanvas.h - what ran when, a row a core ---------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/KeyColors.h"
#include "gui/LoadedTrace.h"
#include <QAbstractScrollArea>
#include <QHash>
#include <QStaticText>

namespace tilewright::gui {

/// Timeline of a trace. Each track has its name and how busy it was at the
/// left. Wheel zooms to the cursor, drag or Shift+wheel pans, double click
/// zooms to an event, F shows all. Its cost does not grow with the number of
/// events: far out each pixel column is one bucket of the store.
class TimelineCanvas : public QAbstractScrollArea {
  Q_OBJECT
public:
  explicit TimelineCanvas(const KeyColors *colors, QWidget *parent = nullptr);

  /// What is said in place of a timeline.
  QString emptyText() const { return emptyTitle; }
  void setTrace(std::shared_ptr<const LoadedTrace> trace);
  const LoadedTrace *trace() const { return current.get(); }
  void setEmptyText(const QString &title, const QString &hint);

  void showKeys(const std::vector<std::string> &keys, bool reveal);
  /// Time in view, ns.
  profiler::TimeRange visibleRange() const { return range; }
  void setVisibleRange(profiler::TimeRange range);
  /// Event under a point of the viewport, or noEvent.
  profiler::EventIndex eventAt(QPointF at) const;
  /// Where an event is drawn (at least 1 px wide).
  QRectF rectOf(profiler::EventIndex event) const;
  profiler::EventIndex chosenEvent() const { return chosen; }
  QSize sizeHint() const override { return {900, 180}; }
  /// Of all rows, with the axis above them.
  int contentHeight() const;

public slots:
  void fit();
  void zoomIn() { zoom(plotLeft() + plotWidth() / 2, 0.6); }
  void zoomOut() { zoom(plotLeft() + plotWidth() / 2, 1 / 0.6); }

signals:
  void keysChosen(const std::vector<std::string> &keys);
  void rangeChanged();

protected:
  void paintEvent(QPaintEvent *event) override;
  void mousePressEvent(QMouseEvent *event) override;
  void mouseMoveEvent(QMouseEvent *event) override;
  void mouseReleaseEvent(QMouseEvent *event) override;
  void mouseDoubleClickEvent(QMouseEvent *event) override;
  void wheelEvent(QWheelEvent *event) override;
  void keyPressEvent(QKeyEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;
  void changeEvent(QEvent *event) override;
  bool viewportEvent(QEvent *event) override;

private:
  struct Row {
    uint32_t track;
    int top; ///< below the axis, before scrolling
    int height;
  };
  int plotLeft() const;
  int plotWidth() const;
  double xOf(int64_t time) const;
  int64_t timeAt(double x) const;
  void zoom(double x, double factor);
  void clampRange();
  void layOutRows();
  void updateScrollBar();
  bool dimmed(profiler::EventIndex event) const;
  QRgb colorOf(profiler::EventIndex event) const;
  QString describe(profiler::EventIndex event) const;

  int64_t tickLength() const;
  void paintRules(QPainter &painter);
  void paintAxis(QPainter &painter);
  void paintRow(QPainter &painter, const Row &row, QImage &image);
  void paintLane(QPainter &painter, uint32_t lane, int top, QImage &image);
  void paintEvents(QPainter &painter, profiler::EventIndex first,
                   profiler::EventIndex last, int top);
  void paintGutter(QPainter &painter);
  void paintCursor(QPainter &painter);
  void paintDependencies(QPainter &painter);

  const KeyColors *colors = nullptr;
  std::shared_ptr<const LoadedTrace> current;
  profiler::TimeRange range;
  std::vector<Row> rows;
  int rowsHeight = 0;
  int laneHeight = 20;
  std::vector<QRgb> setColor; ///< a key set
  std::vector<char> setLit;   ///< a key set
  std::vector<std::string> selected;
  bool anyLit = false;
  profiler::EventIndex hovered = profiler::noEvent;
  profiler::EventIndex chosen = profiler::noEvent;
  QPointF pressAt;
  profiler::TimeRange pressRange;
  int pressScroll = 0;
  double cursorX = -1;
  bool pressed = false;
  bool dragging = false;
  QString emptyTitle, emptyHint;
  QHash<QString, QStaticText> labels;
  void updateColors();
};

} // namespace tilewright::gui
