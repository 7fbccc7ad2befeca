//===- GraphPictureTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/GraphPicture.h"
#include "core/model/Graph.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using lsp::GraphPicture;
using lsp::Json;

static model::Node node(std::string id, std::string parent,
                        model::NodeKind kind) {
  model::Node node;
  node.id = node.label = std::move(id);
  node.parent = std::move(parent);
  node.kind = kind;
  return node;
}

TEST_CASE("a group that came closed is drawn closed, with what it hides") {
  model::Graph graph;
  graph.stage = "tile";
  graph.nodes = {node("a", "", model::NodeKind::Operation),
                 node("s", "", model::NodeKind::Scope)};
  graph.nodes[1].hidden = 41;
  graph.edges.resize(1);
  graph.edges[0].from = "a";
  graph.edges[0].to = "s";
  graph.edges[0].count = 3;
  Json result = graph;
  GraphPicture::of({{"picture", {{"open", {{"s", true}}}}}})->draw(result);
  auto svg = result["svg"].get<std::string>();
  CHECK(svg.find("41 inside") != std::string::npos);
  CHECK(svg.find("\u00d73") != std::string::npos);
  CHECK(result["shown"] == Json::array({"a", "s"}));
  CHECK(result["open"] == Json::array()); // there is nothing to open it with
}

TEST_CASE("a picture's own words are in the language of the client") {
  model::Graph graph;
  graph.stage = "block";
  graph.nodes = {node("a", "", model::NodeKind::Operation),
                 node("m", "", model::NodeKind::Move),
                 node("s", "", model::NodeKind::Kernel)};
  graph.nodes[0].op = "tw.matmul";
  graph.nodes[2].hidden = 41;
  graph.nodes[2].metrics = {{"time", 3, "ms", model::Origin::Measured}};
  graph.edges.resize(2);
  graph.edges[0].from = "a";
  graph.edges[0].to = graph.edges[1].from = "m";
  graph.edges[1].to = "s";
  graph.edges[1].kind = model::EdgeKind::Event;
  auto drawn = [&](viz::Language language) {
    Json result = graph;
    GraphPicture::of({{"picture", Json::object()}}, language)->draw(result);
    return result["svg"].get<std::string>();
  };
  // Legend, what is hidden, what a tooltip tells.
  const std::pair<const char *, const char *> words[] = {
      {">operation</text>", ">操作</text>"},
      {">move</text>", ">搬移</text>"},
      {">kernel</text>", ">核函数</text>"},
      {">data</text>", ">数据</text>"},
      {">event</text>", ">事件</text>"},
      {"41 inside", "内含 41 个"},
      {"operation: tw.matmul", "操作: tw.matmul"},
      {"(measured)", "(实测)"}};
  std::string english = drawn(viz::Language::English);
  std::string chinese = drawn(viz::Language::Chinese);
  for (auto [word, translated] : words) {
    INFO(word);
    CHECK(english.find(word) != std::string::npos);
    CHECK(english.find(translated) == std::string::npos);
    CHECK(chinese.find(translated) != std::string::npos);
    CHECK(chinese.find(word) == std::string::npos);
  }
  // What the graph says itself stays.
  CHECK(chinese.find("tw.matmul") != std::string::npos);
}

TEST_CASE("to open a node opens what is around it") {
  model::Graph graph;
  graph.stage = "tile";
  graph.nodes = {node("x", "", model::NodeKind::Input),
                 node("s", "", model::NodeKind::Scope),
                 node("l", "s", model::NodeKind::Loop)};
  for (int i = 0; i < 50; ++i)
    graph.nodes.push_back(
        node("y" + std::to_string(i), "l", model::NodeKind::Operation));
  const Json small = {{"width", 100}, {"height", 100}};
  auto drawn = [&](Json open) {
    Json picture = small, result = graph;
    picture["open"] = std::move(open);
    GraphPicture::of({{"picture", picture}})->draw(result);
    return result["open"];
  };
  CHECK(drawn(Json::object()) == Json::array());
  CHECK(drawn({{"y7", true}}) == Json::array({"s", "l"}));
  CHECK(drawn({{"l", true}}) == Json::array({"s", "l"}));
  // What was closed by hand stays closed.
  CHECK(drawn({{"y7", true}, {"s", false}}) == Json::array());
  CHECK(drawn({{"y7", true}, {"l", false}}) == Json::array({"s"}));
  CHECK(drawn({{"gone", true}}) == Json::array());
}
