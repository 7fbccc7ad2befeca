//===- Graph.cpp - any stage as nodes and edges ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Graph.h"
#include "core/model/Json.h"

using namespace tilewright::model;

std::unordered_map<std::string, size_t> Graph::indexById() const {
  std::unordered_map<std::string, size_t> index;
  index.reserve(nodes.size());
  // Of equal ids, which only a malformed document has, the first wins.
  for (size_t i = 0; i < nodes.size(); ++i)
    index.emplace(nodes[i].id, i);
  return index;
}

void tilewright::model::to_json(nlohmann::json &json, const Graph &graph) {
  json = makeHeader(Graph::schema, Graph::version);
  json["stage"] = graph.stage;
  json["pass"] = graph.pass;
  json["nodes"] = graph.nodes;
  json["edges"] = graph.edges;
  json["total"] = graph.total;
  json["count"] = graph.count;
  if (graph.next)
    json["next"] = graph.next;
  if (!graph.found.empty())
    json["found"] = graph.found;
}

void tilewright::model::from_json(const nlohmann::json &json, Graph &graph) {
  checkHeader(json, Graph::schema, Graph::version);
  graph = Graph();
  readField(json, "stage", graph.stage);
  readField(json, "pass", graph.pass);
  readField(json, "nodes", graph.nodes);
  readField(json, "edges", graph.edges);
  readField(json, "total", graph.total);
  readField(json, "count", graph.count);
  readField(json, "next", graph.next);
  readField(json, "found", graph.found);
}
