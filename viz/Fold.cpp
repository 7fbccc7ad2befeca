//===- Fold.cpp - which part of a graph is visible ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Fold.h"
#include "viz/Hierarchy.h"
#include <algorithm>
#include <tuple>

namespace tilewright::viz {

namespace {

bool sameType(const model::TensorType &a, const model::TensorType &b) {
  return a.dtype == b.dtype && a.level == b.level && a.layout == b.layout &&
         a.shape == b.shape;
}

/// An edge between visible nodes before merging.
struct Candidate {
  uint32_t to;
  uint32_t edge;
  int port;
  model::EdgeKind kind;
  auto sortKey() const { return std::tuple(to, int(kind), port, edge); }
  bool mergesWith(const Candidate &other) const {
    return to == other.to && kind == other.kind && port == other.port;
  }
};

void foldEdges(const model::Graph &graph, const Hierarchy &tree,
               VisibleGraph &visible) {
  const size_t nodeCount = visible.nodes.size();
  std::vector<int64_t> fromNode(graph.edges.size(), -1);
  std::vector<uint32_t> start(nodeCount + 1, 0);
  std::vector<Candidate> all(graph.edges.size());
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    const model::Edge &edge = graph.edges[e];
    int64_t from = tree.find(edge.from), to = tree.find(edge.to);
    if (from < 0 || to < 0) {
      ++visible.danglingEdges;
      continue;
    }
    uint32_t shownFrom = visible.shownBy[from], shownTo = visible.shownBy[to];
    bool folded = visible.nodes[shownFrom].hidden > 0;
    if (shownFrom == shownTo && (folded || from != to))
      continue;
    fromNode[e] = shownFrom;
    all[e] = {shownTo, e, folded ? -1 : edge.fromPort, edge.kind};
    ++start[shownFrom + 1];
  }
  for (size_t i = 0; i < nodeCount; ++i)
    start[i + 1] += start[i];
  std::vector<Candidate> bySource(start[nodeCount]);
  {
    std::vector<uint32_t> fill(start.begin(), start.end() - 1);
    for (uint32_t e = 0; e < graph.edges.size(); ++e)
      if (fromNode[e] >= 0)
        bySource[fill[fromNode[e]]++] = all[e];
  }

  for (uint32_t from = 0; from < nodeCount; ++from) {
    auto first = bySource.begin() + start[from];
    auto last = bySource.begin() + start[from + 1];
    std::sort(first, last, [](const Candidate &a, const Candidate &b) {
      return a.sortKey() < b.sortKey();
    });
    for (auto it = first; it != last; ++it) {
      if (it != first && it->mergesWith(*(it - 1))) {
        VisibleEdge &merged = visible.edges.back();
        merged.count += graph.edges[it->edge].count;
        merged.sameType &=
            sameType(graph.edges[merged.edge].type, graph.edges[it->edge].type);
        continue;
      }
      VisibleEdge edge;
      edge.from = from;
      edge.to = it->to;
      edge.kind = it->kind;
      edge.fromPort = it->port;
      edge.edge = it->edge;
      edge.count = graph.edges[it->edge].count;
      visible.edges.push_back(edge);
    }
  }
  // The order of the graph, which is the order in the source.
  std::sort(visible.edges.begin(), visible.edges.end(),
            [](const VisibleEdge &a, const VisibleEdge &b) {
              return a.edge < b.edge;
            });
}

} // namespace

VisibleGraph fold(const model::Graph &graph, const CollapsedSet &collapsed) {
  Hierarchy tree(graph);
  const size_t count = graph.nodes.size();
  std::vector<bool> closed(count, false);
  for (const std::string &id : collapsed) {
    int64_t node = tree.find(id);
    if (node >= 0 && tree.isGroup(static_cast<uint32_t>(node)))
      closed[node] = true;
  }

  VisibleGraph visible;
  visible.shownBy.assign(count, 0);
  for (uint32_t node : tree.order) {
    int32_t up = tree.parent[node];
    if (up >= 0) {
      VisibleNode &shown = visible.nodes[visible.shownBy[up]];
      if (!shown.isGroup) {
        shown.hidden += 1 + graph.nodes[node].hidden;
        visible.shownBy[node] = visible.shownBy[up];
        continue;
      }
    }
    VisibleNode shown;
    shown.node = node;
    shown.parent = up < 0 ? -1 : static_cast<int32_t>(visible.shownBy[up]);
    shown.isGroup = tree.isGroup(node) && !closed[node];
    shown.hidden = shown.isGroup ? 0 : graph.nodes[node].hidden;
    visible.shownBy[node] = static_cast<uint32_t>(visible.nodes.size());
    visible.nodes.push_back(shown);
  }
  foldEdges(graph, tree, visible);
  return visible;
}

CollapsedSet groupsOfKind(const model::Graph &graph,
                          const std::vector<model::NodeKind> &kinds) {
  Hierarchy tree(graph);
  CollapsedSet result;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i)
    if (tree.isGroup(i) && std::find(kinds.begin(), kinds.end(),
                                     graph.nodes[i].kind) != kinds.end())
      result.insert(graph.nodes[i].id);
  return result;
}

CollapsedSet groupsFromDepth(const model::Graph &graph, int depth) {
  Hierarchy tree(graph);
  CollapsedSet result;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i)
    if (tree.isGroup(i) && tree.depth[i] >= depth)
      result.insert(graph.nodes[i].id);
  return result;
}

CollapsedSet collapseToFit(const model::Graph &graph, int64_t maxVisible) {
  Hierarchy tree(graph);
  CollapsedSet result;
  int64_t shown = 0;
  std::vector<uint32_t> byDepth(tree.order);
  std::sort(byDepth.begin(), byDepth.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(tree.depth[a], a) < std::pair(tree.depth[b], b);
  });
  for (uint32_t i : byDepth)
    shown += tree.depth[i] == 0;
  std::vector<bool> open(graph.nodes.size(), false);
  for (uint32_t i : byDepth) {
    if (!tree.isGroup(i))
      continue;
    bool reachable = tree.parent[i] < 0 || open[tree.parent[i]];
    int64_t opened = shown - 1 + tree.children[i];
    if (reachable && opened <= maxVisible) {
      open[i] = true;
      shown = opened;
    } else {
      result.insert(graph.nodes[i].id);
    }
  }
  return result;
}

CollapsedSet reveal(const model::Graph &graph, CollapsedSet collapsed,
                    std::string_view id) {
  Hierarchy tree(graph);
  int64_t node = tree.find(id);
  if (node < 0)
    return collapsed;
  for (int32_t up = tree.parent[node]; up >= 0; up = tree.parent[up])
    collapsed.erase(graph.nodes[up].id);
  return collapsed;
}

} // namespace tilewright::viz
