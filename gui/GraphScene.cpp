//===- GraphScene.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/GraphScene.h"

#include "gui/QtTextMeasurer.h"
#include "viz/Opening.h"

namespace tilewright::gui {

int32_t GraphScene::shownNode(uint32_t modelNode) const {
  if (modelNode >= visible.shownBy.size())
    return -1;
  uint32_t shown = visible.shownBy[modelNode];
  return shown < visible.nodes.size() ? sceneNode[visible.nodes[shown].node]
                                      : -1;
}

std::shared_ptr<const GraphScene>
GraphScene::make(std::shared_ptr<const model::Graph> graph,
                 const std::map<std::string, bool> &opened, QSizeF area,
                 const viz::Positions *previous, std::stop_token stop) {
  auto result = std::make_shared<GraphScene>();
  result->graph = graph;
  QtTextMeasurer measurer;
  viz::Frame frame{area.width() / viz::readableScale,
                   area.height() / viz::readableScale};
  auto opening =
      viz::openReadably(*graph, frame, measurer, opened, {}, previous, stop);
  if (!opening)
    return nullptr;
  result->collapsed = std::move(opening->collapsed);
  result->visible = std::move(opening->visible);
  result->scene = std::move(opening->scene);
  result->index = std::make_unique<viz::SceneIndex>(result->scene);
  result->sceneNode.assign(graph->nodes.size(), -1);
  result->sceneGroup.assign(graph->nodes.size(), -1);
  const viz::Scene &placed = result->scene;
  for (size_t i = 0; i < placed.nodes.size(); ++i)
    result->sceneNode[placed.nodes[i].graphNode] = int32_t(i);
  for (size_t i = 0; i < placed.groups.size(); ++i)
    result->sceneGroup[placed.groups[i].graphNode] = int32_t(i);
  result->edgesOf.resize(placed.nodes.size());
  for (size_t i = 0; i < placed.edges.size(); ++i)
    for (int32_t node : {placed.edges[i].from.node, placed.edges[i].to.node})
      if (node >= 0)
        result->edgesOf[node].push_back(uint32_t(i));
  for (size_t i = 0; i < graph->nodes.size(); ++i)
    result->keys.add(graph->nodes[i].keys, uint32_t(i));
  return result;
}

} // namespace tilewright::gui
