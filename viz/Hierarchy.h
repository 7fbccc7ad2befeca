//===- Hierarchy.h - the tree of groups of a graph --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilewright::viz {

/// Parents by index, made sound: whatever the graph says, `parent` is a forest.
struct Hierarchy {
  explicit Hierarchy(const model::Graph &graph);

  std::unordered_map<std::string_view, uint32_t> byId; ///< into graph.nodes
  std::vector<int32_t> parent;                         ///< -1 at the top
  std::vector<uint32_t> order;    ///< all nodes, parents before children
  std::vector<int> depth;         ///< 0 at the top
  std::vector<uint32_t> children; ///< how many
  bool isGroup(uint32_t node) const { return children[node] > 0; }
  /// Index of `id`, or -1.
  int64_t find(std::string_view id) const {
    auto found = byId.find(id);
    return found == byId.end() ? -1 : int64_t(found->second);
  }
};

} // namespace tilewright::viz
