//===- Fold.h - which part of a graph is visible ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace tilewright::viz {

/// Ids of the groups that are shown as one node. Ids that are unknown or name
/// no group are ignored, so that a set survives from pass to pass.
using CollapsedSet = std::set<std::string, std::less<>>;

/// A node that is on the screen: a plain node, a collapsed group (`hidden` > 0)
/// or an expanded group (`isGroup`), which is drawn as a box around its
/// children.
struct VisibleNode {
  uint32_t node = 0;   ///< index in model::Graph::nodes
  int32_t parent = -1; ///< index in VisibleGraph::nodes of the enclosing box
  bool isGroup = false;
  int64_t hidden = 0; ///< descendants folded into it
};

/// One or more edges between the same two visible nodes.
struct VisibleEdge {
  uint32_t from = 0; ///< index in VisibleGraph::nodes
  uint32_t to = 0;
  model::EdgeKind kind = model::EdgeKind::Data;
  int fromPort = 0;     ///< -1 when edges of several ports were merged
  uint32_t edge = 0;    ///< index in model::Graph::edges of the first of them
  int64_t count = 1;    ///< how many edges it stands for
  bool sameType = true; ///< all of them carry the type of `edge`
};

/// What `fold` shows. Parents come before their children; otherwise nodes keep
/// the order of the graph.
struct VisibleGraph {
  std::vector<VisibleNode> nodes;
  std::vector<VisibleEdge> edges;
  /// model node index -> index in `nodes` of what shows it: itself or the
  /// outermost collapsed group around it.
  std::vector<uint32_t> shownBy;
  /// Edges left out because an end names no node.
  int64_t danglingEdges = 0;
};

/// Applies `collapsed`. Edges inside a collapsed group vanish; edges that end
/// up between the same two visible nodes merge into one with a count. Any
/// graph is accepted: a node with an unknown parent is at the top, a cycle of
/// parents is cut, of nodes with one id the first is meant. Near O(nodes +
/// edges).
VisibleGraph fold(const model::Graph &graph, const CollapsedSet &collapsed);

/// Groups of the given kinds (those that have children).
CollapsedSet groupsOfKind(const model::Graph &graph,
                          const std::vector<model::NodeKind> &kinds);

/// Groups at nesting depth `depth` (0 = top) or deeper.
CollapsedSet groupsFromDepth(const model::Graph &graph, int depth);

/// The set that opens groups breadth first while at most `maxVisible` nodes
/// are visible; groups of which not even the first level fits stay closed.
CollapsedSet collapseToFit(const model::Graph &graph, int64_t maxVisible);

/// `collapsed` without the groups around `id`, so that `id` becomes visible.
CollapsedSet reveal(const model::Graph &graph, CollapsedSet collapsed,
                    std::string_view id);

} // namespace tilewright::viz
