//===- Scene.h - a graph with a place for everything ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include "viz/Geometry.h"
#include "viz/Text.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::viz {

/// One line of text, already elided. `position` is the start (or the middle,
/// if `centered`) of the baseline.
struct SceneText {
  std::string text;
  Point position;
  TextStyle style = TextStyle::Title;
  bool centered = false;
  double width = 0;
};

/// A node: plain, or a collapsed group.
struct SceneNode {
  std::string id;
  uint32_t graphNode = 0; ///< index in model::Graph::nodes
  int32_t group = -1;     ///< index in Scene::groups of the box it is in
  model::NodeKind kind = model::NodeKind::Operation;
  Rect rect;
  SceneText title;
  SceneText subtitle;   ///< may be empty
  SceneText badge;      ///< grid, "48x24"; may be empty
  Rect badgeRect;       ///< pill behind the badge
  int64_t hidden = 0;   ///< > 0: a collapsed group with that many descendants
  bool stacked = false; ///< stands for many instances; drawn as a pile
};

/// The box of an expanded group.
struct SceneGroup {
  std::string id;
  uint32_t graphNode = 0;
  int32_t parent = -1; ///< index in Scene::groups; parents come first
  int depth = 0;
  model::NodeKind kind = model::NodeKind::Scope;
  Rect rect;
  Rect titleRect; ///< click here to collapse
  SceneText title;
  SceneText badge; ///< grid; may be empty
  Rect badgeRect;
};

/// An end of an edge: a node, or the box of an expanded group.
struct SceneEnd {
  int32_t node = -1;  ///< index in Scene::nodes, or
  int32_t group = -1; ///< index in Scene::groups
};

/// An edge. Its path is a chain of cubic Bezier curves (1 + 3n points); a
/// straight piece is a curve too. A very long edge is not drawn through: it
/// has two paths, a stub that leaves `from` and one that arrives at `to`, each
/// with the name of the other end.
struct SceneEdge {
  SceneEnd from;
  SceneEnd to;
  uint32_t graphEdge = 0; ///< index in model::Graph::edges of the first
  model::EdgeKind kind = model::EdgeKind::Data;
  int64_t count = 1;
  bool reversed = false; ///< goes against the flow (a cycle)
  uint32_t firstPoint = 0;
  uint32_t pointCount = 0;
  uint32_t firstStubPoint = 0; ///< second path; arrives at `to`
  uint32_t stubPointCount = 0; ///< 0: the edge is drawn through
  SceneText label;             ///< tensor type; empty where it repeats
  SceneText stubLabel;         ///< beside the leaving stub: where it goes
  SceneText arrivalLabel;      ///< at the arriving end: of a merged edge how
                               ///< many, of a stub where it is from
};

struct Scene {
  std::string stage;
  std::string pass;
  Rect bounds; ///< of everything, texts included, with a margin
  std::vector<SceneNode> nodes;
  std::vector<SceneGroup> groups;
  std::vector<SceneEdge> edges;
  std::vector<Point> points; ///< of all paths

  std::span<const Point> path(const SceneEdge &edge) const {
    return {points.data() + edge.firstPoint, edge.pointCount};
  }
  std::span<const Point> stubPath(const SceneEdge &edge) const {
    return {points.data() + edge.firstStubPoint, edge.stubPointCount};
  }
};

/// Where things were, by node id: given to the next layout so that what stays
/// keeps its place relative to its neighbours.
using Positions = std::unordered_map<std::string, Point>;
Positions positionsOf(const Scene &scene);

} // namespace tilewright::viz
