//===- GraphLayouter.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/GraphLayouter.h"

namespace tilewright::gui {

static constexpr int resizeMs = 120;

GraphLayouter::GraphLayouter(QObject *parent) : QObject(parent) {
  grown.setSingleShot(true);
  grown.setInterval(resizeMs);
  connect(&grown, &QTimer::timeout, this, [this] {
    if (graph)
      layOut();
  });
}

void GraphLayouter::setGraph(std::shared_ptr<const model::Graph> value) {
  graph = std::move(value);
  if (!graph) {
    worker.cancel();
    grown.stop();
    opened.clear();
    last = nullptr;
    emit finished(nullptr);
    return;
  }
  layOut();
}

void GraphLayouter::setArea(QSizeF value, bool refold) {
  if (area == value)
    return;
  area = value;
  if (refold && graph && opened[graph->stage].empty())
    grown.start();
}

std::map<std::string, bool> &GraphLayouter::keepOpen() {
  std::map<std::string, bool> &own = opened[graph->stage];
  if (last && last->graph->stage == graph->stage)
    for (const std::string &id : viz::groupsFromDepth(*last->graph, 0))
      own.try_emplace(id, !last->collapsed.count(id));
  return own;
}

void GraphLayouter::setOpen(const QString &groupId, bool open) {
  if (!graph)
    return;
  keepOpen()[groupId.toStdString()] = open;
  layOut();
}

void GraphLayouter::setAllOpen(bool open) {
  if (!graph)
    return;
  std::map<std::string, bool> &own = keepOpen();
  for (const std::string &id : viz::groupsFromDepth(*graph, 0))
    own[id] = open;
  layOut();
}

void GraphLayouter::reveal(const std::string &nodeId) {
  if (!graph || !last)
    return;
  viz::CollapsedSet wanted = viz::reveal(*graph, last->collapsed, nodeId);
  if (wanted.size() == last->collapsed.size())
    return;
  std::map<std::string, bool> &own = keepOpen();
  for (const std::string &id : last->collapsed)
    if (!wanted.count(id))
      own[id] = true;
  layOut();
}

void GraphLayouter::layOut() {
  grown.stop();
  emit started();
  worker.start(
      [graph = graph, opened = opened[graph->stage], area = area,
       last = last](std::stop_token stop) {
        viz::Positions before;
        if (last)
          before = viz::positionsOf(last->scene);
        return GraphScene::make(graph, opened, area, last ? &before : nullptr,
                                stop);
      },
      [this](std::shared_ptr<const GraphScene> scene) {
        if (!scene)
          return;
        last = scene;
        emit finished(scene);
      });
}

} // namespace tilewright::gui
