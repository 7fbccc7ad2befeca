//===- Hierarchy.cpp - the tree of groups of a graph ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Hierarchy.h"

namespace tilewright::viz {

Hierarchy::Hierarchy(const model::Graph &graph) {
  const uint32_t count = static_cast<uint32_t>(graph.nodes.size());
  byId.reserve(count);
  for (uint32_t i = 0; i < count; ++i)
    byId.emplace(graph.nodes[i].id, i);

  parent.assign(count, -1);
  for (uint32_t i = 0; i < count; ++i) {
    if (graph.nodes[i].parent.empty())
      continue;
    int64_t found = find(graph.nodes[i].parent);
    if (found >= 0 && found != int64_t(i))
      parent[i] = static_cast<int32_t>(found);
  }

  // Depths, walking up from each node to the first one that is known. A node
  // met twice on the way up closes a cycle, which is cut there.
  constexpr int unknown = -1, onWay = -2;
  depth.assign(count, unknown);
  std::vector<uint32_t> way;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t at = i;
    way.clear();
    while (depth[at] == unknown) {
      depth[at] = onWay;
      way.push_back(at);
      if (parent[at] < 0)
        break;
      uint32_t up = static_cast<uint32_t>(parent[at]);
      if (depth[up] == onWay) {
        parent[at] = -1;
        break;
      }
      at = up;
    }
    for (size_t k = way.size(); k-- > 0;) {
      int32_t up = parent[way[k]];
      depth[way[k]] = up < 0 ? 0 : depth[up] + 1;
    }
  }

  children.assign(count, 0);
  bool inOrder = true;
  for (uint32_t i = 0; i < count; ++i)
    if (parent[i] >= 0) {
      ++children[parent[i]];
      inOrder &= static_cast<uint32_t>(parent[i]) < i;
    }

  order.resize(count);
  if (inOrder) {
    for (uint32_t i = 0; i < count; ++i)
      order[i] = i;
    return;
  }
  // Counting sort by depth: stable, and a parent is never as deep.
  int deepest = 0;
  for (int d : depth)
    deepest = d > deepest ? d : deepest;
  std::vector<uint32_t> start(deepest + 2, 0);
  for (int d : depth)
    ++start[d + 1];
  for (size_t d = 1; d < start.size(); ++d)
    start[d] += start[d - 1];
  for (uint32_t i = 0; i < count; ++i)
    order[start[depth[i]]++] = i;
}

} // namespace tilewright::viz
