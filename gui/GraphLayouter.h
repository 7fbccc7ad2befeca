//===- GraphLayouter.h - keeps the canvas's layout up to date -------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/GraphScene.h"
#include "gui/Worker.h"
#include <QTimer>
#include <map>

namespace tilewright::gui {

/// Lays graphs out off the UI thread. Opens as many groups as can be read in
/// the area there is, until a person opens or closes one: from then on the
/// groups of that stage stay as they are, by id, from pass to pass.
class GraphLayouter : public QObject {
  Q_OBJECT
public:
  explicit GraphLayouter(QObject *parent = nullptr);

  void setGraph(std::shared_ptr<const model::Graph> graph);
  /// What graphs are shown in, in pixels. With `refold` the graph that is shown
  /// now is opened anew for it, unless a person had a hand in it.
  void setArea(QSizeF area, bool refold);
  void setOpen(const QString &groupId, bool open);
  void setAllOpen(bool open);
  /// Opens what is needed to see a node.
  void reveal(const std::string &nodeId);
  bool busy() const { return worker.busy() || grown.isActive(); }

signals:
  void started();
  void finished(std::shared_ptr<const tilewright::gui::GraphScene> scene);

private:
  void layOut();
  /// From now on what is open in this stage stays open.
  std::map<std::string, bool> &keepOpen();
  Worker worker;
  QTimer grown; ///< waits until a resize is over
  QSizeF area{640, 420};
  std::shared_ptr<const model::Graph> graph;
  std::shared_ptr<const GraphScene> last;
  std::map<std::string, std::map<std::string, bool>> opened; ///< by stage
};

} // namespace tilewright::gui
