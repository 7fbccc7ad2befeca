//===- FoldTest.cpp ---------------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Fold.h"
#include "core/model/GraphPart.h"
#include "tests/viz/SampleGraphs.h"
#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace tilewright;
using namespace tilewright::viz;
using model::EdgeKind;
using model::Graph;
using model::NodeKind;

namespace {

Graph tree(std::vector<std::pair<std::string, std::string>> idsAndParents,
           std::vector<std::pair<std::string, std::string>> edges) {
  Graph graph;
  for (auto &[id, parent] : idsAndParents) {
    model::Node node;
    node.id = id;
    node.parent = parent;
    graph.nodes.push_back(node);
  }
  for (auto &[from, to] : edges) {
    model::Edge edge;
    edge.from = from;
    edge.to = to;
    graph.edges.push_back(edge);
  }
  return graph;
}

std::string shown(const Graph &graph, const VisibleGraph &visible) {
  std::string text;
  for (const VisibleNode &node : visible.nodes) {
    text += graph.nodes[node.node].id;
    if (node.isGroup)
      text += "{";
    if (node.hidden)
      text += "+" + std::to_string(node.hidden);
    text += " ";
  }
  for (const VisibleEdge &edge : visible.edges) {
    text += graph.nodes[visible.nodes[edge.from].node].id + ">" +
            graph.nodes[visible.nodes[edge.to].node].id;
    if (edge.count > 1)
      text += "*" + std::to_string(edge.count);
    text += " ";
  }
  return text;
}

} // namespace

TEST_CASE("a part with groups closed is shown as all of it folded") {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::pair<std::string, std::string>> nodes, edges;
    unsigned count = 1 + random() % 30;
    for (unsigned i = 0; i < count; ++i)
      nodes.emplace_back(std::to_string(i),
                         i && random() % 4 ? std::to_string(random() % i) : "");
    for (int i = 0; i < 40; ++i)
      edges.emplace_back(std::to_string(random() % count),
                         std::to_string(random() % count));
    Graph graph = tree(nodes, edges);
    for (model::Edge &edge : graph.edges) {
      edge.fromPort = int(random() % 2);
      edge.toPort = int(random() % 2);
    }
    model::GraphPart part;
    CollapsedSet closed, more;
    for (unsigned i = 0; i < count; ++i)
      if (random() % 3 == 0) {
        // Some are closed where the graph is made, some where it is shown.
        closed.insert(std::to_string(i));
        if (random() % 2)
          part.closed.push_back(std::to_string(i));
      }
    model::WholeGraph whole(graph);
    model::Diagnostic error;
    auto told = model::partOf(whole, part, error);
    REQUIRE(told);
    CHECK(shown(*told, fold(*told, closed)) ==
          shown(graph, fold(graph, closed)));
  }
}

TEST_CASE("folding hides what is inside and merges edges") {
  Graph graph = tree(
      {{"x", ""},
       {"g", ""},
       {"a", "g"},
       {"h", "g"},
       {"b", "h"},
       {"c", "h"},
       {"y", ""}},
      {{"x", "a"}, {"x", "b"}, {"a", "b"}, {"b", "c"}, {"b", "y"}, {"c", "y"}});
  CHECK(shown(graph, fold(graph, {})) ==
        "x g{ a h{ b c y x>a x>b a>b b>c b>y c>y ");
  CHECK(shown(graph, fold(graph, {"h"})) == "x g{ a h+2 y x>a x>h a>h h>y*2 ");
  CHECK(shown(graph, fold(graph, {"g"})) == "x g+4 y x>g*2 g>y*2 ");
  CHECK(shown(graph, fold(graph, {"g", "h"})) == "x g+4 y x>g*2 g>y*2 ");
  CHECK(shown(graph, fold(graph, {"x", "nothing"})) ==
        shown(graph, fold(graph, {})));
  VisibleGraph folded = fold(graph, {"h"});
  CHECK(graph.nodes[folded.nodes[folded.shownBy[5]].node].id == "h");
}

TEST_CASE("edges of different kinds or types are told apart") {
  Graph graph = tree({{"g", ""}, {"a", "g"}, {"b", "g"}, {"y", ""}},
                     {{"a", "y"}, {"b", "y"}, {"a", "y"}});
  graph.edges[2].kind = EdgeKind::Order;
  graph.edges[0].type.dtype = "f32";
  VisibleGraph visible = fold(graph, {"g"});
  REQUIRE(visible.edges.size() == 2);
  CHECK(visible.edges[0].count == 2);
  CHECK_FALSE(visible.edges[0].sameType);
  CHECK(visible.edges[1].kind == EdgeKind::Order);

  Graph ports =
      tree({{"a", ""}, {"b", ""}}, {{"a", "b"}, {"a", "b"}, {"a", "b"}});
  ports.edges[1].fromPort = 1;
  VisibleGraph plain = fold(ports, {});
  REQUIRE(plain.edges.size() == 2); // results stay apart, one value is merged
  CHECK(plain.edges[0].count == 2);
}

TEST_CASE("unsound graphs are folded, too") {
  Graph graph =
      tree({{"a", "b"},
            {"b", "a"},
            {"c", "c"},
            {"d", "nobody"},
            {"late", "group"},
            {"group", ""},
            {"a", ""}},
           {{"a", "nobody"}, {"nobody", "a"}, {"d", "late"}, {"d", "d"}});
  VisibleGraph visible = fold(graph, {});
  CHECK(visible.danglingEdges == 2);
  REQUIRE(visible.edges.size() == 2); // d>late and d's loop
  for (size_t v = 0; v < visible.nodes.size(); ++v)
    CHECK(visible.nodes[v].parent < int32_t(v));
  CHECK(fold(graph, {"a", "b", "group"}).nodes.size() >= 4);
  CHECK(fold(Graph(), {}).nodes.empty());
}

TEST_CASE("five thousand groups in each other") {
  Graph graph;
  for (int i = 0; i < 5000; ++i) {
    model::Node node;
    node.id = "g" + std::to_string(i);
    node.parent = i ? "g" + std::to_string(i - 1) : "";
    graph.nodes.push_back(node);
  }
  CHECK(fold(graph, {}).nodes.size() == 5000);
  CHECK(fold(graph, {"g10"}).nodes.size() == 11);
}

TEST_CASE("sets of groups") {
  Graph graph = samples::tileFfn();
  CollapsedSet grids = groupsOfKind(graph, {NodeKind::Grid});
  CHECK(grids.size() == 3);
  CHECK(grids.count("gate/grid") == 1);
  CHECK(groupsFromDepth(graph, 0).size() == 10);
  CHECK(groupsFromDepth(graph, 1).size() == 9);
  CHECK(groupsFromDepth(graph, 9).empty());
  for (int64_t budget : {1, 3, 8, 20, 1000}) {
    VisibleGraph visible = fold(graph, collapseToFit(graph, budget));
    int64_t plain = 0;
    for (const VisibleNode &node : visible.nodes)
      plain += !node.isGroup;
    CHECK(plain <= std::max<int64_t>(budget, 1));
  }
  CHECK(collapseToFit(graph, 1000).empty());
  CollapsedSet closed = groupsFromDepth(graph, 0);
  CollapsedSet open = reveal(graph, closed, "gate.mm");
  VisibleGraph visible = fold(graph, open);
  bool found = false;
  for (const VisibleNode &node : visible.nodes)
    found |= graph.nodes[node.node].id == "gate.mm";
  CHECK(found);
  CHECK(open.count("scope:y") == 1);
  CHECK(reveal(graph, closed, "nobody") == closed);
}

TEST_CASE("folding random graphs keeps every edge that leaves a group") {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Graph graph = samples::random(120, seed, true);
    std::mt19937 generator(seed);
    CollapsedSet collapsed;
    for (const std::string &id : groupsFromDepth(graph, 0))
      if (generator() % 2)
        collapsed.insert(id);
    VisibleGraph visible = fold(graph, collapsed);
    auto index = graph.indexById();
    std::map<std::pair<uint32_t, uint32_t>, int64_t> expected, got;
    for (const model::Edge &edge : graph.edges) {
      uint32_t from = visible.shownBy[index[edge.from]];
      uint32_t to = visible.shownBy[index[edge.to]];
      if (from != to)
        ++expected[{from, to}];
    }
    for (const VisibleEdge &edge : visible.edges)
      got[{edge.from, edge.to}] += edge.count;
    REQUIRE(got == expected);
    int64_t all = 0;
    for (const VisibleNode &node : visible.nodes)
      all += 1 + node.hidden;
    REQUIRE(all == int64_t(graph.nodes.size()));
  }
}
