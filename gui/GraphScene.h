//===- GraphScene.h - a laid-out graph, ready to draw and to search -------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include "gui/KeyIndex.h"
#include "viz/Layout.h"
#include "viz/SceneIndex.h"
#include <QSizeF>
#include <map>
#include <memory>

namespace tilewright::gui {

/// Immutable; made off the UI thread, then shared with the canvas.
struct GraphScene {
  std::shared_ptr<const model::Graph> graph;
  viz::CollapsedSet collapsed;
  viz::VisibleGraph visible;
  viz::Scene scene;
  std::unique_ptr<viz::SceneIndex> index;
  KeyIndex keys;                              ///< to model node indices
  std::vector<int32_t> sceneNode;             ///< of a model node, or -1
  std::vector<int32_t> sceneGroup;            ///< of a model node, or -1
  std::vector<std::vector<uint32_t>> edgesOf; ///< scene node -> scene edges

  /// What shows a model node: itself or the collapsed group around it.
  int32_t shownNode(uint32_t modelNode) const;

  /// `opened` says for groups a person opened (true) or closed (false) what
  /// they chose; the others are opened while it all can be read in `area`, in
  /// pixels. Null only if `stop` was requested.
  static std::shared_ptr<const GraphScene>
  make(std::shared_ptr<const model::Graph> graph,
       const std::map<std::string, bool> &opened, QSizeF area,
       const viz::Positions *previous, std::stop_token stop);
};

} // namespace tilewright::gui
