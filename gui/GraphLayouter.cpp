//===- GraphLayouter.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/GraphLayouter.h"

namespace tilewright::gui {

GraphLayouter::GraphLayouter(QObject *parent) : QObject(parent) {}

void GraphLayouter::setGraph(std::shared_ptr<const model::Graph> value) {
  graph = std::move(value);
  if (!graph) {
    worker.cancel();
    last = nullptr;
    emit finished(nullptr);
    return;
  }
  layOut();
}

void GraphLayouter::setOpen(const QString &groupId, bool open) {
  opened[groupId.toStdString()] = open;
  if (graph)
    layOut();
}

void GraphLayouter::setAllOpen(bool open) {
  if (!graph)
    return;
  for (const std::string &id : viz::groupsFromDepth(*graph, 0))
    opened[id] = open;
  layOut();
}

void GraphLayouter::reveal(const std::string &nodeId) {
  if (!graph || !last)
    return;
  viz::CollapsedSet wanted = viz::reveal(*graph, last->collapsed, nodeId);
  bool changed = false;
  for (const std::string &id : last->collapsed) {
    if (wanted.count(id))
      continue;
    opened[id] = true;
    changed = true;
  }
  if (changed)
    layOut();
}

void GraphLayouter::layOut() {
  emit started();
  worker.start(
      [graph = graph, opened = opened, last = last](std::stop_token stop) {
        viz::Positions before;
        if (last)
          before = viz::positionsOf(last->scene);
        return GraphScene::make(graph, opened, last ? &before : nullptr, stop);
      },
      [this](std::shared_ptr<const GraphScene> scene) {
        if (!scene)
          return;
        last = scene;
        emit finished(scene);
      });
}

} // namespace tilewright::gui
