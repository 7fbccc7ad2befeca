//===- OpeningTest.cpp --------------------------------------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Opening.h"
#include "tests/viz/SampleGraphs.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::viz;

namespace {

void add(model::Graph &graph, std::string id, std::string parent = {}) {
  model::Node node;
  node.id = node.label = std::move(id);
  node.parent = std::move(parent);
  graph.nodes.push_back(std::move(node));
}

/// `sizes[i]` operations, one behind the other, in group i.
model::Graph kernels(const std::vector<int> &sizes) {
  model::Graph graph;
  for (size_t g = 0; g < sizes.size(); ++g) {
    std::string group = "kernel" + std::to_string(g);
    add(graph, group);
    for (int i = 0; i < sizes[g]; ++i) {
      add(graph, group + "/" + std::to_string(i), group);
      if (i == 0)
        continue;
      model::Edge edge;
      edge.from = group + "/" + std::to_string(i - 1);
      edge.to = group + "/" + std::to_string(i);
      graph.edges.push_back(edge);
    }
  }
  return graph;
}

Opening opened(const model::Graph &graph, Frame frame,
               const std::map<std::string, bool> &chosen = {}) {
  ApproximateTextMeasurer measurer;
  auto opening = openReadably(graph, frame, measurer, chosen);
  REQUIRE(opening);
  return std::move(*opening);
}

bool within(const Opening &opening, Frame frame) {
  return opening.scene.bounds.width <= frame.width &&
         opening.scene.bounds.height <= frame.height;
}

} // namespace

TEST_CASE("what fits is opened, the rest stays closed") {
  model::Graph graph = kernels({3, 200, 3, 2});
  Frame frame{1000, 800};
  Opening opening = opened(graph, frame);
  CHECK(opening.whole);
  CHECK(within(opening, frame));
  CHECK(opening.collapsed == CollapsedSet{"kernel1"});
  // A smaller frame holds less; the arrangement follows its form.
  for (double height : {800.0, 500.0, 320.0}) {
    Opening less = opened(graph, {1000, height});
    CHECK(less.whole);
    CHECK(within(less, {1000, height}));
    CHECK(less.collapsed.count("kernel1"));
  }
  Opening none = opened(graph, {1000, 60});
  CHECK(none.collapsed.size() == 4);
  CHECK(none.whole == within(none, {1000, 60}));
}

TEST_CASE("a group that is alone opens whatever its size") {
  model::Graph graph;
  add(graph, "f");
  add(graph, "f/g", "f");
  for (int i = 0; i < 300; ++i) {
    add(graph, "n" + std::to_string(i), "f/g");
    if (i == 0)
      continue;
    model::Edge edge;
    edge.from = "n" + std::to_string(i - 1);
    edge.to = "n" + std::to_string(i);
    graph.edges.push_back(edge);
  }
  add(graph, "inner", "n7");
  Opening opening = opened(graph, {800, 600});
  CHECK_FALSE(opening.whole);
  CHECK(opening.visible.nodes.size() == 302);
  // What does not fit is not made larger still.
  CHECK(opening.collapsed == CollapsedSet{"n7"});
  // Unless a person closed it.
  Opening closed = opened(graph, {800, 600}, {{"f", false}});
  CHECK(closed.whole);
  CHECK(closed.visible.nodes.size() == 1);
}

TEST_CASE("what a person chose comes before what fits") {
  model::Graph graph = kernels({3, 200, 3});
  Opening opening =
      opened(graph, {1000, 800}, {{"kernel1", true}, {"kernel0", false}});
  CHECK_FALSE(opening.whole);
  CHECK(opening.collapsed.count("kernel0"));
  CHECK_FALSE(opening.collapsed.count("kernel1"));
  opening = opened(graph, {1000, 800}, {{"kernel0", false}});
  CHECK(opening.collapsed == CollapsedSet{"kernel0", "kernel1"});
}

TEST_CASE("a group with nothing but a group opens with it") {
  model::Graph graph;
  add(graph, "x");
  add(graph, "scope");
  add(graph, "grid", "scope");
  for (int i = 0; i < 40; ++i)
    add(graph, "n" + std::to_string(i), "grid");
  // The scope alone would fit, and show only a second box around a third.
  Opening opening = opened(graph, {420, 200});
  CHECK(opening.collapsed == CollapsedSet{"grid", "scope"});
  CHECK(opened(graph, {2000, 2000}).collapsed.empty());
}

TEST_CASE("sample graphs open within any frame or begin readably") {
  for (const model::Graph &graph :
       {samples::tensorFfn(), samples::tileFfn(), samples::blockKernel(),
        samples::random(400, 1, true), samples::random(400, 2, true)})
    for (Frame frame : {Frame{800, 800}, Frame{1800, 900}, Frame{4000, 2500}}) {
      Opening opening = opened(graph, frame);
      CHECK(opening.whole == within(opening, frame));
      CHECK_FALSE(opening.scene.nodes.empty());
    }
}

TEST_CASE("odd graphs open") {
  CHECK(opened({}, {800, 600}).scene.nodes.empty());
  model::Graph graph;
  add(graph, "a", "b");
  add(graph, "b", "a");
  add(graph, "a", "a");
  CHECK_FALSE(opened(graph, {800, 600}).scene.nodes.empty());
  CHECK_FALSE(opened(graph, {0, 0}).scene.nodes.empty());
}

TEST_CASE("opening a very large graph is bounded and can be stopped") {
  model::Graph graph = kernels(std::vector<int>(2000, 50)); // 102,000 nodes
  // The frame would hold many; each attempt costs a fold of all of it.
  Opening opening = opened(graph, {60000, 60000});
  CHECK(opening.visible.nodes.size() < 20000);
  CHECK(opening.whole);
  ApproximateTextMeasurer measurer;
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(openReadably(graph, {800, 600}, measurer, {}, {}, nullptr,
                           stop.get_token()));
}
