//===- SceneIndex.h - what is where in a scene ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/Scene.h"

namespace tilewright::viz {

/// A uniform grid over a scene's nodes and edges, for hit tests and for
/// drawing only what is in view. Refers to the scene, which must outlive it
/// unchanged. Safe to query from several threads.
class SceneIndex {
public:
  explicit SceneIndex(const Scene &scene);

  /// Index in Scene::nodes, or -1.
  int32_t nodeAt(Point point) const;
  /// The innermost box around a point: index in Scene::groups, or -1.
  int32_t groupAt(Point point) const;
  /// The edge whose path passes within `distance`, nearest first, or -1.
  int32_t edgeAt(Point point, double distance) const;
  /// Indices of nodes that intersect `view`, ascending.
  std::vector<uint32_t> nodesIn(const Rect &view) const;
  /// Indices of edges whose bounding box intersects `view`, ascending.
  std::vector<uint32_t> edgesIn(const Rect &view) const;

private:
  const Scene *scene;
  double cell = 1;
  uint32_t columns = 0;
  uint32_t rows = 0;
  std::vector<uint32_t> nodeStart, nodeItems; ///< by cell
  std::vector<uint32_t> edgeStart, edgeItems;
  std::vector<Rect> edgeBounds;
};

} // namespace tilewright::viz
