//===- GraphCanvas.h - the graph of a stage -------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/GraphScene.h"
#include "gui/KeyColors.h"
#include "gui/Viewport2D.h"
#include <QHash>
#include <QStaticText>
#include <QWidget>

namespace tilewright::gui {

/// Draws a viz::Scene: pan (drag, arrow keys), zoom to the cursor (wheel),
/// fit (F), select (click, Ctrl+click), open and close groups (double click).
/// Draws only what is in view, with less detail the further out it is.
class GraphCanvas : public QWidget {
  Q_OBJECT
public:
  explicit GraphCanvas(const KeyColors *colors, QWidget *parent = nullptr);

  /// A new layout. With the same stage as before the view stays where it is
  /// (a group that was toggled stays under the cursor); else all of the graph
  /// is shown, or the start of one that is too large for that.
  void setScene(std::shared_ptr<const GraphScene> scene);
  const GraphScene *scene() const { return current.get(); }
  void setEmptyText(const QString &title, const QString &hint);
  void setBusy(bool busy);

  void showKeys(const std::vector<std::string> &keys, bool reveal);
  /// Model node indices that are lit up, ascending.
  const std::vector<uint32_t> &litNodes() const { return lit; }

  const Viewport2D &viewport() const { return view; }
  /// Whether nothing of the graph lies outside.
  bool showsAll() const;
  QRectF screenRect(const std::string &id) const;
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
  void toggled(const QString &groupId, bool open);
  void zoomChanged(double scale);

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
    bool operator==(const Hit &) const = default;
  };
  Hit hitAt(QPointF at) const;
  const model::Node *modelNode(const Hit &hit) const;
  void zoom(double factor);
  void placeAtStart();
  void rememberAnchor(const std::string &id);
  void updateLit();
  QString describe(const Hit &hit) const;

  void paintGrid(QPainter &painter);
  void paintGroups(QPainter &painter, const viz::Rect &area);
  void paintGroupTitles(QPainter &painter, const viz::Rect &area);
  void paintEdges(QPainter &painter, const viz::Rect &area);
  void paintEdge(QPainter &painter, const viz::SceneEdge &edge, bool strong);
  void paintNodes(QPainter &painter, const viz::Rect &area);
  void paintNode(QPainter &painter, const viz::SceneNode &node, uint32_t index);
  void paintDensity(QPainter &painter, const std::vector<uint32_t> &nodes);
  void paintText(QPainter &painter, const viz::SceneText &text,
                 const QColor &color);
  void paintBadge(QPainter &painter, const viz::Rect &rect,
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
  std::string focusId;         ///< chosen node; also nodes without keys
  Hit hovered;
  QPointF pressAt;
  QPointF dragFrom;
  bool pressed = false;
  bool dragging = false;
  bool busy = false;
  QString emptyTitle, emptyHint;
  QHash<QString, QStaticText> textCache;
};

} // namespace tilewright::gui
