//===- LayerOrder.h - order within the ranks of a level ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace tilewright::viz {

/// The part of a level that goes rank by rank: its nodes, and in every rank an
/// edge passes, a bend. Both are vertices; segments join neighbouring ranks.
struct LayerGraph {
  struct Segment {
    uint32_t upper = 0;
    uint32_t lower = 0;
    float upperOffset = 0; ///< from the middle of the vertex
    float lowerOffset = 0;
  };
  uint32_t vertexCount = 0;
  std::vector<uint32_t> rank; ///< of each vertex
  std::vector<Segment> segments;
  /// Segments by their upper and by their lower vertex, each list by offset.
  std::vector<uint32_t> downStart, down, upStart, up;
  std::vector<std::vector<uint32_t>> layers; ///< vertices from left to right
  std::vector<uint32_t> position;            ///< in its layer

  /// Fills the lists from `segments`.
  void link();
  void updatePositions(uint32_t layer);
};

/// Crossings between all neighbouring layers. O(segments log segments).
int64_t countCrossings(const LayerGraph &graph);

/// Reorders the layers to have fewer crossings: barycentre sweeps until they
/// stall, then exchange of neighbours in small graphs. With `keepOrder` the
/// present order stands unless crossings fall by a quarter. Returns the
/// crossings left, or -1 if `stop` was requested.
int64_t reduceCrossings(LayerGraph &graph, int maxSweeps, bool keepOrder,
                        std::stop_token stop);

} // namespace tilewright::viz
