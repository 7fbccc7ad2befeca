//===- GraphLayouter.h - keeps the canvas's layout up to date -------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/GraphScene.h"
#include "gui/Worker.h"
#include <map>

namespace tilewright::gui {

/// Lays graphs out off the UI thread. Remembers by id which groups a person
/// opened or closed, so that they stay so from pass to pass.
class GraphLayouter : public QObject {
  Q_OBJECT
public:
  explicit GraphLayouter(QObject *parent = nullptr);

  void setGraph(std::shared_ptr<const model::Graph> graph);
  void setOpen(const QString &groupId, bool open);
  void setAllOpen(bool open);
  /// Opens what is needed to see a node.
  void reveal(const std::string &nodeId);
  bool busy() const { return worker.busy(); }

signals:
  void started();
  void finished(std::shared_ptr<const tilewright::gui::GraphScene> scene);

private:
  void layOut();
  Worker worker;
  std::shared_ptr<const model::Graph> graph;
  std::shared_ptr<const GraphScene> last;
  std::map<std::string, bool> opened;
};

} // namespace tilewright::gui
