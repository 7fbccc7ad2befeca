//===- GraphCanvas.h - the graph of a stage -------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/GraphOverview.h"
#include "gui/GraphScene.h"
#include "gui/KeyColors.h"
#include "gui/LabelPainter.h"
#include "gui/Searchable.h"
#include "gui/Viewport2D.h"
#include <QWidget>

namespace tilewright::gui {

/// Draws a viz::Scene: pan (drag, arrow keys), zoom to the cursor (wheel),
/// fit (F), select (click, Ctrl+click), open and close groups (double click, or
/// a click on their + and -).
/// Draws only what is in view, with less detail the further out it is; no label
/// is smaller than can be read. While some of the graph is out of view a map of
/// it lies in a corner, which pans, too.
class GraphCanvas : public QWidget, public Searchable {
  Q_OBJECT
public:
  explicit GraphCanvas(const KeyColors *colors, QWidget *parent = nullptr);

  /// A new layout. With the same stage as before the view stays where it is
  /// (a group that was toggled stays under the cursor); else all of the graph
  /// is shown, or, at a scale that can be read, the beginning of one that is
  /// too large for that.
  void setScene(std::shared_ptr<const GraphScene> scene);
  const GraphScene *scene() const { return current.get(); }
  void setEmptyText(const QString &title, const QString &hint);
  void setBusy(bool busy);

  void showKeys(const std::vector<std::string> &keys, bool reveal);
  /// Model node indices that are lit up, ascending.
  const std::vector<uint32_t> &litNodes() const { return lit; }

  /// Brings a node into view where it can be read; asks for the groups around
  /// it to be opened.
  void showNode(const std::string &id);
  /// The first of the lit nodes.
  void showLit();
  FindResult find(const QString &text, FindStep step) override;
  void endFind() override;

  const Viewport2D &viewport() const { return view; }
  /// Whether nothing of the graph lies outside.
  bool showsAll() const;
  QRectF screenRect(const std::string &id) const;
  /// Whether the view is as it was opened: a person has not moved it.
  bool isUntouched() const { return !userMoved; }
  /// The map of all of it; empty while all of it is in view.
  QRectF overviewRect() const;
  /// Labels of the last picture; for tests.
  LabelPainter::Painted paintedLabels() const { return painted; }
  QSize sizeHint() const override { return {640, 420}; }

public slots:
  void fit();
  void zoomIn() { zoom(1.25); }
  void zoomOut() { zoom(0.8); }
  void actualSize();

signals:
  void keysChosen(const std::vector<std::string> &keys);
  /// A node was chosen: its range in the stage's text.
  void nodeChosen(const QString &id);
  /// A node without an inside was double clicked.
  void activated(const std::vector<std::string> &keys);
  void toggled(const QString &groupId, bool open);
  /// A node is to be seen that is inside closed groups.
  void revealRequested(const std::string &nodeId);
  void zoomChanged(double scale);
  void resized();

protected:
  void paintEvent(QPaintEvent *event) override;
  void mousePressEvent(QMouseEvent *event) override;
  void mouseMoveEvent(QMouseEvent *event) override;
  void mouseReleaseEvent(QMouseEvent *event) override;
  void mouseDoubleClickEvent(QMouseEvent *event) override;
  void wheelEvent(QWheelEvent *event) override;
  void keyPressEvent(QKeyEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;
  void leaveEvent(QEvent *event) override;
  void changeEvent(QEvent *event) override;
  bool event(QEvent *event) override;

private:
  struct Hit {
    int32_t node = -1;
    int32_t group = -1; ///< its title, or its area if nothing else is there
    bool title = false;
    bool toggle = false; ///< the button that opens or closes it
    bool operator==(const Hit &) const = default;
  };
  Hit hitAt(QPointF at) const;
  const model::Node *modelNode(const Hit &hit) const;
  void zoom(double factor);
  void placeAtStart();
  void centerOn(viz::Point point);
  void rememberAnchor(const std::string &id);
  void toggle(const Hit &hit);
  void updateLit();
  void updateFound();
  QString describe(const Hit &hit) const;

  void paintGrid(QPainter &painter);
  void paintGroups(QPainter &painter, const viz::Rect &area);
  void paintGroupTitles(QPainter &painter, const viz::Rect &area);
  void paintEdges(QPainter &painter, const viz::Rect &area);
  void paintEdge(QPainter &painter, const viz::SceneEdge &edge, bool strong);
  void paintNodes(QPainter &painter, const viz::Rect &area);
  void paintNode(QPainter &painter, const viz::SceneNode &node, uint32_t index);
  void paintDensity(QPainter &painter, const std::vector<uint32_t> &nodes);
  void paintNodeLabels(QPainter &painter, const viz::SceneNode &node,
                       const QRectF &where, const QColor &ink,
                       const QColor &muted, const QColor &badge);
  void paintGroupTitle(QPainter &painter, const viz::SceneGroup &group,
                       std::vector<QRectF> &taken);
  void paintEdgeLabels(QPainter &painter, const std::vector<uint32_t> &edges);
  void paintToggle(QPainter &painter, QRectF where, bool open, bool hover);
  /// Of the button; empty where there is none.
  QRectF toggleOfNode(const viz::SceneNode &node) const;
  QRectF toggleOfGroup(const viz::SceneGroup &group) const;
  void paintBadge(QPainter &painter, const QRectF &where,
                  const viz::SceneText &text, const QColor &color,
                  const QColor &fill);
  void paintEmpty(QPainter &painter);

  const KeyColors *colors = nullptr;
  std::shared_ptr<const GraphScene> current;
  Viewport2D view;
  bool placed = false;    ///< the view was set for this stage
  bool userMoved = false; ///< then new layouts do not move it
  std::string anchorId;   ///< stays where it is when the next layout comes
  QPointF anchorAt;
  std::vector<std::string> selected;
  std::vector<uint32_t> lit;
  std::vector<char> litScene;  ///< a scene node
  std::vector<char> litGroups; ///< a scene group
  std::string awaitedId;       ///< to be shown when its group is open
  std::vector<char> found;     ///< scene nodes that match what is sought
  QString sought;
  std::string focusId; ///< chosen node; also nodes without keys
  Hit hovered;
  QPointF pressAt;
  QPointF dragFrom;
  bool pressed = false;
  bool dragging = false;
  bool draggingOverview = false;
  bool busy = false;
  QString emptyTitle, emptyHint;
  LabelPainter labels;
  LabelPainter::Painted painted;
  GraphOverview overview;
};

} // namespace tilewright::gui
