//===- SceneJson.cpp - scenes as JSON -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Export.h"

namespace tilewright::viz {

namespace {

using nlohmann::json;

json rectJson(const Rect &rect) {
  return json::array({rect.x, rect.y, rect.width, rect.height});
}

json pathJson(std::span<const Point> points) {
  json list = json::array();
  for (const Point &point : points)
    list.push_back(json::array({point.x, point.y}));
  return list;
}

void put(json &object, const char *name, const SceneText &text) {
  if (!text.text.empty())
    object[name] = {{"text", text.text},
                    {"x", text.position.x},
                    {"y", text.position.y},
                    {"centered", text.centered}};
}

json endJson(const Scene &scene, const SceneEnd &end) {
  return end.node >= 0 ? scene.nodes[end.node].id : scene.groups[end.group].id;
}

} // namespace

nlohmann::json toJson(const Scene &scene) {
  json nodes = json::array(), groups = json::array(), edges = json::array();
  for (const SceneNode &node : scene.nodes) {
    json item = {{"id", node.id},
                 {"kind", node.kind},
                 {"rect", rectJson(node.rect)},
                 {"hidden", node.hidden}};
    put(item, "title", node.title);
    put(item, "subtitle", node.subtitle);
    put(item, "badge", node.badge);
    if (node.group >= 0)
      item["group"] = scene.groups[node.group].id;
    nodes.push_back(std::move(item));
  }
  for (const SceneGroup &group : scene.groups) {
    json item = {{"id", group.id},
                 {"kind", group.kind},
                 {"rect", rectJson(group.rect)},
                 {"depth", group.depth}};
    put(item, "title", group.title);
    put(item, "badge", group.badge);
    if (group.parent >= 0)
      item["group"] = scene.groups[group.parent].id;
    groups.push_back(std::move(item));
  }
  for (const SceneEdge &edge : scene.edges) {
    json item = {{"from", endJson(scene, edge.from)},
                 {"to", endJson(scene, edge.to)},
                 {"kind", edge.kind},
                 {"count", edge.count},
                 {"path", pathJson(scene.path(edge))}};
    if (edge.stubPointCount > 0)
      item["arrivingPath"] = pathJson(scene.stubPath(edge));
    put(item, "label", edge.label);
    edges.push_back(std::move(item));
  }
  return {{"schema", "tilewright/scene"},
          {"version", 1},
          {"stage", scene.stage},
          {"pass", scene.pass},
          {"bounds", rectJson(scene.bounds)},
          {"nodes", std::move(nodes)},
          {"groups", std::move(groups)},
          {"edges", std::move(edges)}};
}

} // namespace tilewright::viz
