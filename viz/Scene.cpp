//===- Scene.cpp - a graph with a place for everything --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Scene.h"

namespace tilewright::viz {

Positions positionsOf(const Scene &scene) {
  Positions positions;
  positions.reserve(scene.nodes.size() + scene.groups.size());
  for (const SceneNode &node : scene.nodes)
    positions.emplace(node.id, node.rect.center());
  for (const SceneGroup &group : scene.groups)
    positions.emplace(group.id, group.rect.center());
  return positions;
}

} // namespace tilewright::viz
