//===- TestGraphPart.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/GraphPart.h"
#include "core/model/NumberedParts.h"
#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace tilewright::model;

namespace {

Node node(std::string id, std::string parent = "",
          NodeKind kind = NodeKind::Operation) {
  Node node;
  node.id = std::move(id);
  node.parent = std::move(parent);
  node.kind = kind;
  return node;
}

Edge edge(std::string from, int fromPort, std::string to, int toPort,
          std::string dtype = "f32") {
  Edge edge;
  edge.from = std::move(from);
  edge.fromPort = fromPort;
  edge.to = std::move(to);
  edge.toPort = toPort;
  edge.type.dtype = std::move(dtype);
  return edge;
}

/// f { x, s { a, l { b, c } }, t { d }, y }
Graph example() {
  Graph graph;
  graph.nodes = {node("f", "", NodeKind::Function),
                 node("f/x", "f"),
                 node("s", "f", NodeKind::Scope),
                 node("f/a", "s"),
                 node("l", "s", NodeKind::Loop),
                 node("f/b", "l"),
                 node("f/c", "l"),
                 node("t", "f", NodeKind::Scope),
                 node("f/d", "t"),
                 node("f/y", "f")};
  graph.nodes[6].op = "tw.MatMul";
  graph.nodes[6].keys = {"f/c", "f/bias"};
  graph.edges = {edge("f/x", 0, "f/a", 0), edge("f/x", 0, "f/b", 1),
                 edge("f/a", 0, "f/b", 0), edge("f/b", 0, "f/c", 0),
                 edge("f/b", 1, "f/d", 0), edge("f/c", 0, "f/d", 1, "bf16"),
                 edge("f/d", 0, "f/y", 0)};
  return graph;
}

Graph tell(const Graph &graph, const GraphPart &part) {
  WholeGraph whole(graph);
  Diagnostic error;
  std::optional<Graph> told = partOf(whole, part, error);
  INFO(error.message);
  REQUIRE(told);
  CHECK(told->total == int64_t(graph.nodes.size()));
  return *told;
}

std::vector<std::string> ids(const Graph &graph) {
  std::vector<std::string> ids;
  for (const Node &node : graph.nodes)
    ids.push_back(node.id);
  return ids;
}

using Ids = std::vector<std::string>;

const Edge *edgeOf(const Graph &graph, const std::string &from,
                   const std::string &to) {
  for (const Edge &edge : graph.edges)
    if (edge.from == from && edge.to == to)
      return &edge;
  return nullptr;
}

} // namespace

TEST_CASE("without a wish all of a graph is told, as it is") {
  Graph graph = example();
  Graph told = tell(graph, {});
  graph.total = graph.count = 10;
  CHECK(nlohmann::json(told) == nlohmann::json(graph));
}

TEST_CASE("groups open from the outside in while there is room") {
  Graph graph = example();
  GraphPart part;
  part.atMost = 1; // the function is alone, and opens
  CHECK(ids(tell(graph, part)) == Ids{"f", "f/x", "s", "t", "f/y"});
  part.atMost = 6; // one more, so not `s`, which has two
  CHECK(ids(tell(graph, part)) == Ids{"f", "f/x", "s", "t", "f/d", "f/y"});
  part.atMost = 7;
  CHECK(ids(tell(graph, part)) == Ids{"f", "f/x", "s", "f/a", "l", "t", "f/y"});
  part.atMost = 10;
  CHECK(tell(graph, part).nodes.size() == 10);
}

TEST_CASE("what is inside a closed group is counted, and its edges merge") {
  Graph graph = example();
  GraphPart part;
  part.closed = {"s", "no such group"};
  Graph told = tell(graph, part);
  CHECK(ids(told) == Ids{"f", "f/x", "s", "t", "f/d", "f/y"});
  CHECK(told.nodes[2].hidden == 4);
  CHECK(told.nodes[0].hidden == 0);
  REQUIRE(told.edges.size() == 4); // none inside `s`
  // Two operands of `s` of one value.
  const Edge *in = edgeOf(told, "f/x", "s");
  REQUIRE(in);
  CHECK(in->count == 2);
  CHECK(in->fromPort == 0);
  CHECK(in->toPort == -1);
  CHECK(in->type.dtype == "f32");
  // Two results of it to two operands stay two.
  int out = 0;
  for (const Edge &edge : told.edges)
    if (edge.from == "s") {
      ++out;
      CHECK(edge.fromPort == -1);
      CHECK(edge.count == 1);
    }
  CHECK(out == 2);
  // Closed at both ends they are one, of no type.
  part.closed = {"s", "t"};
  told = tell(graph, part);
  const Edge *between = edgeOf(told, "s", "t");
  REQUIRE(between);
  CHECK(between->count == 2);
  CHECK(between->type.dtype.empty());
}

TEST_CASE("what is to be seen opens all that is around it") {
  Graph graph = example();
  GraphPart part;
  part.atMost = 1;
  part.open = {"f/b", "no such node"};
  CHECK(ids(tell(graph, part)) ==
        Ids{"f", "f/x", "s", "f/a", "l", "f/b", "f/c", "t", "f/y"});
  part.open = {"s"};
  CHECK(ids(tell(graph, part)) == Ids{"f", "f/x", "s", "f/a", "l", "t", "f/y"});
  // To close has the last word.
  part.open = {"f/b"};
  part.closed = {"s"};
  CHECK(ids(tell(graph, part)) == Ids{"f", "f/x", "s", "t", "f/y"});
  part.closed = {"f"};
  CHECK(ids(tell(graph, part)) == Ids{"f"});
}

TEST_CASE("a group can be told alone") {
  Graph graph = example();
  GraphPart part;
  part.root = "s";
  Graph told = tell(graph, part);
  CHECK(ids(told) == Ids{"s", "f/a", "l", "f/b", "f/c"});
  CHECK(told.nodes[0].parent.empty());
  CHECK(told.nodes[1].parent == "s");
  CHECK(told.count == 5);
  // What comes from outside comes from its frame.
  REQUIRE(edgeOf(told, "s", "f/a"));
  CHECK(edgeOf(told, "s", "f/a")->fromPort == -1);
  REQUIRE(edgeOf(told, "f/c", "s"));
  CHECK_FALSE(edgeOf(told, "f/d", "f/y"));
  part.atMost = 1;
  CHECK(ids(tell(graph, part)) == Ids{"s", "f/a", "l"});

  WholeGraph whole(graph);
  Diagnostic error;
  for (const char *wrong : {"S", "f/x", "~"}) { // `f/x` is no group
    part.root = wrong;
    CHECK_FALSE(partOf(whole, part, error));
    CHECK(error.code == "TW0618");
    CHECK(error.message.find(wrong) != std::string::npos);
    CHECK_FALSE(error.hint.empty());
  }
}

TEST_CASE("pages together are the whole, each edge once") {
  Graph graph = example();
  for (int64_t limit : {1, 3, 4, 100}) {
    GraphPart part;
    part.limit = limit;
    part.closed = {"l"};
    Graph joined;
    int pages = 0;
    do {
      Graph page = tell(graph, part);
      CHECK(int64_t(page.nodes.size()) <= limit);
      CHECK(page.count == 8);
      joined.nodes.insert(joined.nodes.end(), page.nodes.begin(),
                          page.nodes.end());
      // Both ends are known by now.
      std::set<std::string> known;
      for (const Node &node : joined.nodes)
        known.insert(node.id);
      for (const Edge &edge : page.edges) {
        CHECK(known.count(edge.from));
        CHECK(known.count(edge.to));
        joined.edges.push_back(edge);
      }
      part.offset = page.next;
      REQUIRE(++pages < 100);
    } while (part.offset);
    GraphPart folded;
    folded.closed = {"l"};
    Graph all = tell(graph, folded);
    CHECK(ids(joined) == ids(all));
    CHECK(joined.edges.size() == all.edges.size());
  }
  GraphPart beyond;
  beyond.offset = INT64_MAX;
  beyond.limit = INT64_MAX;
  CHECK(tell(graph, beyond).nodes.empty());
}

TEST_CASE("what is found stands in the groups around it") {
  Graph graph = example();
  GraphPart part;
  part.find = "matmul"; // the operation of `f/c`
  Graph told = tell(graph, part);
  CHECK(told.found == Ids{"f/c"});
  CHECK(ids(told) == Ids{"f", "s", "l", "f/c"});
  CHECK(told.edges.empty());
  part.find = "BIAS"; // a key of it
  CHECK(tell(graph, part).found == Ids{"f/c"});
  part.find = "f/"; // all but the groups
  part.limit = 2;
  told = tell(graph, part);
  CHECK(told.found == Ids{"f/x", "f/a"});
  CHECK(told.count == 6);
  CHECK(told.next == 2);
  part.offset = 4;
  told = tell(graph, part);
  CHECK(told.found == Ids{"f/d", "f/y"});
  CHECK(told.next == 0);
  part = {};
  part.find = "f/";
  part.root = "l";
  told = tell(graph, part);
  CHECK(told.found == Ids{"f/b", "f/c"});
  CHECK(ids(told) == Ids{"l", "f/b", "f/c"});
  part.find = "nowhere";
  told = tell(graph, part);
  CHECK(told.nodes.empty());
  CHECK(told.count == 0);
}

TEST_CASE("malformed graphs are told as far as they make sense") {
  Graph graph = example();
  graph.nodes[1].parent = "f/y"; // comes after it
  graph.nodes[3].parent = "unknown";
  graph.edges.push_back(edge("f/x", 0, "unknown", 0));
  GraphPart part;
  part.atMost = 3;
  Graph told = tell(graph, part);
  CHECK(ids(told) == Ids{"f", "f/x", "f/a"});
  CHECK(told.nodes[1].parent.empty());
  CHECK(tell(Graph(), part).nodes.empty());
}

TEST_CASE("in any tree, however it is closed, every edge is told or inside") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Graph graph;
    int count = 1 + int(random() % 40);
    for (int i = 0; i < count; ++i)
      graph.nodes.push_back(node(
          std::to_string(i),
          i && random() % 5 ? std::to_string(random() % unsigned(i)) : ""));
    for (int i = 0; i < 60; ++i)
      graph.edges.push_back(
          edge(std::to_string(random() % unsigned(count)), int(random() % 2),
               std::to_string(random() % unsigned(count)), int(random() % 3)));
    GraphPart part;
    part.atMost = int64_t(random() % 30);
    for (int i = 0; i < 3; ++i) {
      part.open.push_back(std::to_string(random() % unsigned(count)));
      part.closed.push_back(std::to_string(random() % unsigned(count)));
    }
    Graph told = tell(graph, part);
    auto shown = told.indexById();
    int64_t nodes = 0, outside = 0;
    for (const Node &node : told.nodes) {
      nodes += 1 + node.hidden;
      CHECK((node.parent.empty() || shown.count(node.parent)));
    }
    CHECK(nodes == count);
    // Where a node is seen.
    auto seen = [&](std::string id) {
      const auto index = graph.indexById();
      while (!shown.count(id))
        id = graph.nodes[index.at(id)].parent;
      return id;
    };
    for (const Edge &edge : graph.edges)
      outside += seen(edge.from) != seen(edge.to) ||
                 (edge.from == edge.to && seen(edge.from) == edge.from);
    int64_t counted = 0;
    for (const Edge &edge : told.edges)
      counted += edge.count;
    CHECK(counted == outside);
  }
}

namespace {

/// f { x0…, layer0_a, layer0_b { layer0_c }, … } with an edge along the layers.
Graph layers(int count) {
  Graph graph;
  auto add = [&](const std::string &key, const std::string &parent,
                 NodeKind kind = NodeKind::Operation) {
    graph.nodes.push_back(node(key, parent, kind));
    graph.nodes.back().keys = {key};
  };
  add("f", "", NodeKind::Function);
  add("f/x", "f", NodeKind::Input);
  for (int i = 0; i < count; ++i)
    add("f/layer" + std::to_string(i) + "_w", "f", NodeKind::Input);
  std::string last = "f/x";
  for (int i = 0; i < count; ++i) {
    std::string layer = "f/layer" + std::to_string(i);
    add(layer + "_a", "f");
    add(layer + "_b", "f", NodeKind::Scope);
    add(layer + "_c2", layer + "_b");
    graph.edges.push_back(edge(last, 0, layer + "_a", 0));
    graph.edges.push_back(edge(layer + "_w", 0, layer + "_a", 1));
    graph.edges.push_back(edge(layer + "_a", 0, layer + "_c2", 0));
    last = layer + "_c2";
  }
  return graph;
}

Graph tellParts(const Graph &graph, const GraphPart &part) {
  WholeGraph whole(graph);
  Diagnostic error;
  std::optional<Graph> told = partOf(whole, part, error);
  INFO(error.message);
  REQUIRE(told);
  return *told;
}

} // namespace

TEST_CASE("a hundred numbered layers are a hundred groups") {
  Graph graph = layers(100);
  GraphPart part;
  part.atMost = 200;
  part.open = {"f/layer7_c2"};
  Graph told = tellParts(graph, part);
  // f, x, the layers, and what is in the seventh.
  REQUIRE(told.nodes.size() == 2 + 100 + 4);
  auto index = told.indexById();
  const Node &third = told.nodes[index.at("part:f/layer3")];
  CHECK(third.op == "part");
  CHECK(third.label == "layer3");
  CHECK(third.parent == "f");
  CHECK(third.hidden == 4);
  CHECK(third.keys ==
        std::vector<std::string>{"f/layer3_a", "f/layer3_b", "f/layer3_w"});
  CHECK(told.nodes[index.at("f/layer7_w")].parent == "part:f/layer7");
  CHECK(told.nodes[index.at("f/layer7_c2")].parent == "f/layer7_b");
  CHECK(edgeOf(told, "part:f/layer3", "part:f/layer4"));
  CHECK(edgeOf(told, "f/layer7_w", "f/layer7_a"));
  for (const Node &node : told.nodes)
    if (!node.parent.empty())
      CHECK(index.at(node.parent) < index.at(node.id));

  part = {};
  part.root = "part:f/layer3";
  CHECK(tellParts(graph, part).nodes.size() == 5);
}

TEST_CASE("numbered parts open all or not at all") {
  Graph graph = layers(100);
  GraphPart part;
  part.atMost = 400; // one hundred layers of three would fit, two do not
  CHECK(tellParts(graph, part).nodes.size() == 102);
  part.atMost = 402;
  CHECK(tellParts(graph, part).nodes.size() == 402);
  part.atMost = 10'000;
  CHECK(tellParts(graph, part).nodes.size() == 502);
}

TEST_CASE("what is no series of parts is left as it is") {
  GraphPart part;
  part.atMost = 10;
  // A small level, and a whole graph.
  CHECK(tellParts(layers(40), part).indexById().count("part:f/layer0") == 0);
  CHECK(tellParts(layers(100), {}).nodes.size() == 402);
  // One operation each.
  Graph chain;
  for (int i = 0; i < 300; ++i) {
    chain.nodes.push_back(node("f/h" + std::to_string(i)));
    chain.nodes.back().keys = {chain.nodes.back().id};
  }
  CHECK(tellParts(chain, part).nodes.size() == 300);
}

TEST_CASE("numbers of keys are those a person wrote") {
  CHECK(numberEnds("f1/layer12_norm2", 3) == std::vector<size_t>{10, 16});
  CHECK(numberEnds("f/a%2Elayer%2E7%2Eq", 3) == std::vector<size_t>{15});
  CHECK(numberEnds("f/x", 3).empty());
  CHECK(numberEnds("f/bad%2", 3).empty());
  CHECK(numberEnds("", 3).empty());
}
