//===- LayoutTest.cpp -------------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Layout.h"
#include "tests/viz/SampleGraphs.h"
#include "viz/LayerCoordinates.h"
#include "viz/LayerOrder.h"
#include "viz/SceneIndex.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

using namespace tilewright;
using namespace tilewright::viz;
using model::Graph;

namespace {

Scene sceneOf(const Graph &graph, const CollapsedSet &collapsed = {},
              const LayoutOptions &options = {},
              const Positions *previous = nullptr) {
  ApproximateTextMeasurer measurer;
  auto scene =
      layOut(graph, fold(graph, collapsed), measurer, options, previous);
  REQUIRE(scene);
  return std::move(*scene);
}

Point pointAt(std::span<const Point> p, double t) {
  double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t,
         d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

bool isAround(const Scene &scene, int32_t group, int32_t inner) {
  for (; inner >= 0; inner = scene.groups[inner].parent)
    if (inner == group)
      return true;
  return false;
}

/// Nothing overlaps, nothing sticks out, no edge runs through a node or a box
/// it has no business in.
void checkScene(const Scene &scene) {
  for (size_t i = 0; i < scene.nodes.size(); ++i) {
    const SceneNode &node = scene.nodes[i];
    REQUIRE(std::isfinite(node.rect.x));
    REQUIRE(node.rect.width > 0);
    REQUIRE(node.title.width <= node.rect.width);
    REQUIRE(node.subtitle.width <= node.rect.width);
    REQUIRE(node.rect.x >= scene.bounds.x);
    REQUIRE(node.rect.right() <= scene.bounds.right());
    REQUIRE(node.rect.bottom() <= scene.bounds.bottom());
    if (node.group >= 0) {
      const Rect &box = scene.groups[node.group].rect;
      REQUIRE(node.rect.x >= box.x);
      REQUIRE(node.rect.right() <= box.right());
      REQUIRE(node.rect.y >= box.y);
      REQUIRE(node.rect.bottom() <= box.bottom());
    }
  }
  SceneIndex index(scene);
  for (uint32_t i = 0; i < scene.nodes.size(); ++i)
    for (uint32_t other : index.nodesIn(scene.nodes[i].rect))
      if (other != i)
        REQUIRE_FALSE(scene.nodes[i].rect.intersects(scene.nodes[other].rect));
  for (size_t a = 0; a < scene.groups.size(); ++a) {
    const SceneGroup &group = scene.groups[a];
    REQUIRE(group.parent < int32_t(a));
    REQUIRE(group.title.width <= group.rect.width);
    for (size_t b = a + 1; b < scene.groups.size(); ++b)
      if (!isAround(scene, int32_t(a), int32_t(b)))
        REQUIRE_FALSE(group.rect.intersects(scene.groups[b].rect));
    for (const SceneNode &node : scene.nodes)
      if (!isAround(scene, int32_t(a), node.group))
        REQUIRE_FALSE(group.rect.intersects(node.rect));
  }
  for (const SceneEdge &edge : scene.edges) {
    REQUIRE(edge.pointCount >= 4);
    auto groupOf = [&](const SceneEnd &end) {
      return end.node >= 0 ? scene.nodes[end.node].group : end.group;
    };
    for (auto path : {scene.path(edge), scene.stubPath(edge)}) {
      REQUIRE((path.empty() || path.size() % 3 == 1));
      for (size_t i = 0; i + 3 < path.size(); i += 3)
        for (int k = 0; k <= 10; ++k) {
          Point p = pointAt(path.subspan(i, 4), k / 10.0);
          REQUIRE(std::isfinite(p.x));
          REQUIRE(scene.bounds.contains(p));
          // A hair inside, as edges end on borders.
          Rect around{p.x - 0.001, p.y - 0.001, 0.002, 0.002};
          for (uint32_t n : index.nodesIn(around)) {
            const Rect &r = scene.nodes[n].rect;
            bool inside = p.x > r.x + 0.5 && p.x < r.right() - 0.5 &&
                          p.y > r.y + 0.5 && p.y < r.bottom() - 0.5;
            INFO(scene.nodes[n].id << " is crossed");
            REQUIRE_FALSE(inside);
          }
          for (size_t g = 0; g < scene.groups.size(); ++g) {
            const Rect &r = scene.groups[g].rect;
            bool inside = p.x > r.x + 0.5 && p.x < r.right() - 0.5 &&
                          p.y > r.y + 0.5 && p.y < r.bottom() - 0.5;
            if (inside) {
              INFO(scene.groups[g].id << " is crossed");
              REQUIRE((isAround(scene, int32_t(g), groupOf(edge.from)) ||
                       isAround(scene, int32_t(g), groupOf(edge.to))));
            }
          }
        }
    }
    // Ends touch what they belong to.
    auto touches = [&](const SceneEnd &end, Point p) {
      const Rect &r = end.node >= 0 ? scene.nodes[end.node].rect
                                    : scene.groups[end.group].rect;
      return p.x >= r.x - 0.5 && p.x <= r.right() + 0.5 && p.y >= r.y - 0.5 &&
             p.y <= r.bottom() + 0.5;
    };
    REQUIRE(touches(edge.from, scene.path(edge).front()));
    if (edge.stubPointCount)
      REQUIRE(touches(edge.to, scene.stubPath(edge).back()));
    else
      REQUIRE(touches(edge.to, scene.path(edge).back()));
  }
  // Labels of types stay off the nodes.
  for (const SceneEdge &edge : scene.edges)
    if (!edge.label.text.empty()) {
      Rect text{edge.label.position.x, edge.label.position.y - 8,
                edge.label.width, 9};
      for (uint32_t n : index.nodesIn(text)) {
        INFO(edge.label.text << " is on " << scene.nodes[n].id);
        REQUIRE_FALSE(scene.nodes[n].rect.intersects(text));
      }
    }
}

/// Edges go down, but for those turned around.
void checkFlow(const Scene &scene) {
  for (const SceneEdge &edge : scene.edges)
    if (edge.from.node >= 0 && edge.to.node >= 0 && !edge.reversed &&
        edge.from.node != edge.to.node)
      REQUIRE(scene.nodes[edge.from.node].rect.bottom() <
              scene.nodes[edge.to.node].rect.y);
}

Graph chainOf(int count, std::vector<std::pair<int, int>> edges) {
  Graph graph;
  for (int i = 0; i < count; ++i) {
    model::Node node;
    node.id = std::to_string(i);
    graph.nodes.push_back(node);
  }
  for (auto [from, to] : edges) {
    model::Edge edge;
    edge.from = std::to_string(from);
    edge.to = std::to_string(to);
    graph.edges.push_back(edge);
  }
  return graph;
}

} // namespace

TEST_CASE("samples are laid out soundly, open and closed") {
  for (const Graph &graph :
       {samples::tensorFfn(), samples::tileFfn(), samples::blockKernel()}) {
    checkScene(sceneOf(graph));
    for (int depth = 0; depth < 4; ++depth)
      checkScene(sceneOf(graph, groupsFromDepth(graph, depth)));
  }
  checkFlow(sceneOf(samples::tensorFfn()));
  Scene open = sceneOf(samples::tileFfn());
  checkFlow(open);
  CHECK(open.groups.size() == 10);
  Scene closed =
      sceneOf(samples::tileFfn(), groupsFromDepth(samples::tileFfn(), 1));
  CHECK(closed.groups.size() == 1);
  auto gate = std::find_if(closed.nodes.begin(), closed.nodes.end(),
                           [](auto &n) { return n.id == "scope:gate"; });
  REQUIRE(gate != closed.nodes.end());
  CHECK(gate->hidden == 10);
}

TEST_CASE("random graphs are laid out soundly") {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    checkScene(sceneOf(samples::random(5 + seed * 20, seed)));
    checkScene(sceneOf(samples::random(5 + seed * 15, seed, true)));
    Graph graph = samples::random(100, seed, true);
    CollapsedSet some;
    int n = 0;
    for (const std::string &id : groupsFromDepth(graph, 0))
      if (++n % 3 == 0)
        some.insert(id);
    checkScene(sceneOf(graph, some));
  }
  checkFlow(sceneOf(samples::random(500, 9)));
}

TEST_CASE("long edges become side channels while few, then stubs") {
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i + 1 < 60; ++i)
    edges.push_back({i, i + 1});
  edges.push_back({0, 55});
  edges.push_back({2, 40});
  Scene few = sceneOf(chainOf(60, edges));
  checkScene(few);
  for (const SceneEdge &edge : few.edges)
    CHECK(edge.stubPointCount == 0);
  for (int i = 0; i < 30; ++i)
    edges.push_back({i, i + 29});
  Scene many = sceneOf(chainOf(60, edges));
  checkScene(many);
  int stubs = 0;
  for (const SceneEdge &edge : many.edges)
    if (edge.stubPointCount) {
      ++stubs;
      CHECK(edge.pointCount == 4);
    }
  CHECK(stubs >= 30);
}

TEST_CASE("cycles, loops, multiple edges, lonely nodes") {
  Scene scene = sceneOf(chainOf(
      9, {{0, 1}, {1, 2}, {2, 0}, {2, 2}, {3, 4}, {4, 3}, {0, 1}, {5, 5}}));
  checkScene(scene);
  int reversed = 0;
  for (const SceneEdge &edge : scene.edges)
    reversed += edge.reversed;
  CHECK(reversed == 2);
  checkScene(sceneOf(chainOf(300, {})));
  Scene wide = sceneOf(chainOf(300, {}));
  CHECK(wide.bounds.width < 8 * wide.bounds.height);
  CHECK(sceneOf(Graph()).nodes.empty());
  checkScene(sceneOf(chainOf(1, {})));
}

TEST_CASE("edges to and from boxes, and across their borders") {
  Graph graph = samples::tileFfn();
  auto add = [&](const char *from, const char *to) {
    model::Edge edge;
    edge.from = from;
    edge.to = to;
    graph.edges.push_back(edge);
  };
  add("x", "scope:gate");       // to a box
  add("scope:gate", "result");  // from a box
  add("scope:gate", "scope:y"); // box to box
  add("gate.mm", "gate/loop");  // out to the box around it
  add("gate/loop", "gate.a");   // from the box to its inside
  add("gate/loop", "act");      // from an inner box
  add("gate.mm", "scope:gate");
  checkScene(sceneOf(graph));
  checkScene(sceneOf(graph, {"gate/loop"}));
  checkScene(sceneOf(graph, {"scope:gate"}));
}

TEST_CASE("a crossbar") {
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i < 40; ++i)
    for (int k = 0; k < 30; ++k)
      edges.push_back({i, 40 + k});
  checkScene(sceneOf(chainOf(70, edges)));
}

TEST_CASE("deep nesting is closed beyond a limit") {
  Graph graph;
  for (int i = 0; i < 5000; ++i) {
    model::Node node;
    node.id = "g" + std::to_string(i);
    node.parent = i ? "g" + std::to_string(i - 1) : "";
    graph.nodes.push_back(node);
  }
  Scene scene = sceneOf(graph);
  CHECK(scene.groups.size() == 48);
  CHECK(scene.nodes.size() == 1);
  CHECK(scene.nodes[0].hidden == 5000 - 49);
  checkScene(scene);
}

TEST_CASE("texts of any length and bytes") {
  Graph graph = chainOf(3, {{0, 1}, {1, 2}});
  graph.nodes[0].label = std::string(1 << 20, 'w');
  graph.nodes[1].label = "<a href=\"x\">&amp;\n\xff\xfe\xF0\x9F\x98\x80";
  graph.nodes[2].label = std::string(300, '\xe4') + "\u6fc0\u6d3b";
  graph.nodes[0].attributes.push_back({"weights", std::string(10 << 20, '0')});
  graph.edges[0].type.dtype = std::string(5000, 'f');
  Scene scene = sceneOf(graph);
  checkScene(scene);
  for (const SceneNode &node : scene.nodes)
    CHECK(node.rect.width <= LayoutOptions().maxNodeWidth);
}

TEST_CASE("the layout is the same each time, and stable by id") {
  Graph graph = samples::random(200, 4, true);
  Scene first = sceneOf(graph), second = sceneOf(graph);
  REQUIRE(first.nodes.size() == second.nodes.size());
  for (size_t i = 0; i < first.nodes.size(); ++i)
    REQUIRE(first.nodes[i].rect == second.nodes[i].rect);

  // Laid out again from where things are, left and right stay.
  Positions positions = positionsOf(first);
  Scene again = sceneOf(graph, {}, {}, &positions);
  auto kept = [&](const Scene &before, const Scene &after) {
    std::unordered_map<std::string, Rect> at;
    for (const SceneNode &node : after.nodes)
      at[node.id] = node.rect;
    int64_t same = 0, all = 0;
    for (size_t i = 0; i < before.nodes.size(); ++i)
      for (size_t k = i + 1; k < before.nodes.size(); ++k) {
        const SceneNode &a = before.nodes[i], &b = before.nodes[k];
        if (a.rect.y != b.rect.y || a.group != b.group || !at.count(a.id) ||
            !at.count(b.id))
          continue;
        ++all;
        same += (a.rect.x < b.rect.x) == (at[a.id].x < at[b.id].x);
      }
    return double(same) / double(std::max<int64_t>(1, all));
  };
  CHECK(kept(first, again) == 1);

  // A node more and one less change little.
  Graph changed = graph;
  changed.nodes.erase(changed.nodes.begin() + 60);
  model::Node fresh;
  fresh.id = "fresh";
  changed.nodes.push_back(fresh);
  model::Edge edge;
  edge.from = "n20";
  edge.to = "fresh";
  changed.edges.push_back(edge);
  CHECK(kept(first, sceneOf(changed, {}, {}, &positions)) > 0.95);

  // So does opening a group.
  CollapsedSet one = {"g0"};
  Scene closed = sceneOf(graph, one);
  Positions before = positionsOf(closed);
  CHECK(kept(closed, sceneOf(graph, {}, {}, &before)) > 0.9);
}

TEST_CASE("layout can be cancelled and says how far it is") {
  Graph graph = samples::random(3000, 1);
  ApproximateTextMeasurer measurer;
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(
      layOut(graph, fold(graph, {}), measurer, {}, nullptr, stop.get_token()));
  double last = 0;
  bool ascends = true;
  layOut(graph, fold(graph, {}), measurer, {}, nullptr, {}, [&](double share) {
    ascends &= share >= last && share <= 1;
    last = share;
  });
  CHECK(ascends);
  CHECK(last == 1);
}

TEST_CASE("fit under order: against what cannot be improved") {
  std::mt19937 generator(3);
  OrderedFit fit;
  for (int round = 0; round < 200; ++round) {
    size_t count = 1 + generator() % 12;
    std::vector<double> wanted(count), weight(count), gap(count);
    for (size_t i = 0; i < count; ++i) {
      wanted[i] = double(generator() % 100);
      weight[i] = 1 + double(generator() % 5);
      gap[i] = double(generator() % 10);
    }
    std::vector<double> x = wanted;
    fit.solve(x, weight, gap);
    auto cost = [&](const std::vector<double> &at) {
      double sum = 0;
      for (size_t i = 0; i < count; ++i)
        sum += weight[i] * (at[i] - wanted[i]) * (at[i] - wanted[i]);
      return sum;
    };
    for (size_t i = 1; i < count; ++i)
      REQUIRE(x[i] - x[i - 1] >= gap[i] - 1e-9);
    // No run of neighbours can be moved to advantage.
    for (size_t a = 0; a < count; ++a)
      for (size_t b = a; b < count; ++b)
        for (double step : {-0.01, 0.01}) {
          std::vector<double> moved = x;
          for (size_t i = a; i <= b; ++i)
            moved[i] += step;
          bool legal = true;
          for (size_t i = 1; i < count; ++i)
            legal &= moved[i] - moved[i - 1] >= gap[i] - 1e-12;
          if (legal)
            REQUIRE(cost(moved) >= cost(x) - 1e-9);
        }
  }
}

TEST_CASE("crossings are counted as by hand, and not made more") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 generator(seed);
    LayerGraph graph;
    uint32_t perLayer = 2 + generator() % 8, layers = 2 + generator() % 4;
    graph.vertexCount = perLayer * layers;
    graph.layers.resize(layers);
    graph.position.resize(graph.vertexCount);
    for (uint32_t v = 0; v < graph.vertexCount; ++v) {
      graph.rank.push_back(v / perLayer);
      graph.layers[v / perLayer].push_back(v);
      graph.position[v] = v % perLayer;
    }
    for (uint32_t k = 0; k < graph.vertexCount * 2; ++k) {
      uint32_t layer = generator() % (layers - 1);
      LayerGraph::Segment segment;
      segment.upper = layer * perLayer + generator() % perLayer;
      segment.lower = (layer + 1) * perLayer + generator() % perLayer;
      if (generator() % 3 == 0)
        segment.upperOffset = float(generator() % 3);
      if (generator() % 3 == 0)
        segment.lowerOffset = float(generator() % 3);
      graph.segments.push_back(segment);
    }
    graph.link();
    auto byHand = [&] {
      int64_t sum = 0;
      for (size_t a = 0; a < graph.segments.size(); ++a)
        for (size_t b = a + 1; b < graph.segments.size(); ++b) {
          const auto &s = graph.segments[a], &t = graph.segments[b];
          if (graph.rank[s.upper] != graph.rank[t.upper])
            continue;
          auto up = [&](auto &e) {
            return std::pair(graph.position[e.upper], e.upperOffset);
          };
          auto down = [&](auto &e) {
            return std::pair(graph.position[e.lower], e.lowerOffset);
          };
          sum += (up(s) < up(t) && down(s) > down(t)) ||
                 (up(s) > up(t) && down(s) < down(t));
        }
      return sum;
    };
    int64_t before = byHand();
    REQUIRE(countCrossings(graph) == before);
    int64_t after = reduceCrossings(graph, 16, false, {});
    REQUIRE(after <= before);
    REQUIRE(after == byHand());
    for (uint32_t layer = 0; layer < layers; ++layer)
      for (uint32_t k = 0; k < graph.layers[layer].size(); ++k)
        REQUIRE(graph.position[graph.layers[layer][k]] == k);
  }
}

TEST_CASE("what is where") {
  Scene scene = sceneOf(samples::tileFfn());
  SceneIndex index(scene);
  for (uint32_t i = 0; i < scene.nodes.size(); ++i)
    CHECK(index.nodeAt(scene.nodes[i].rect.center()) == int32_t(i));
  CHECK(index.nodeAt({-1000, -1000}) == -1);
  for (size_t g = 0; g < scene.groups.size(); ++g) {
    Point corner{scene.groups[g].rect.x + 2, scene.groups[g].rect.y + 2};
    CHECK(index.groupAt(corner) == int32_t(g));
  }
  for (const SceneEdge &edge : scene.edges) {
    Point middle = pointAt(scene.path(edge).subspan(0, 4), 0.5);
    int32_t found = index.edgeAt({middle.x + 1, middle.y}, 4);
    REQUIRE(found >= 0);
    // Edges of one value may lie on each other.
    const SceneEdge &hit = scene.edges[found];
    CHECK(hit.from.node == edge.from.node);
  }
  CHECK(index.edgeAt({-1000, -1000}, 4) == -1);
  CHECK(index.nodesIn(scene.bounds).size() == scene.nodes.size());
  CHECK(index.edgesIn(scene.bounds).size() == scene.edges.size());
}

TEST_CASE("kernels are named by what follows their function's name") {
  model::Graph graph;
  auto add = [&](const char *id, const char *label, model::NodeKind kind,
                 const char *op) {
    model::Node node;
    node.id = id;
    node.label = label;
    node.kind = kind;
    node.op = op;
    graph.nodes.push_back(node);
  };
  add("function:block", "block", model::NodeKind::Function, "block.program");
  add("kernel:q", "block.q.kernel", model::NodeKind::Kernel, "block.kernel");
  add("kernel:other", "other.kernel", model::NodeKind::Kernel, "block.kernel");
  add("d", "q", model::NodeKind::Dispatch, "block.q.kernel");
  add("op", "block.q", model::NodeKind::Operation, "block.move");
  ApproximateTextMeasurer measurer;
  auto titles = [&] {
    auto scene = layOut(graph, fold(graph, {}), measurer);
    REQUIRE(scene);
    std::map<std::string, std::pair<std::string, std::string>> all;
    for (const SceneNode &node : scene->nodes)
      all[node.id] = {node.title.text, node.subtitle.text};
    return all;
  };
  auto all = titles();
  CHECK(all["kernel:q"] ==
        std::pair<std::string, std::string>("q.kernel", "block.kernel"));
  CHECK(all["kernel:other"].first == "other.kernel");
  CHECK(all["d"].second == "q.kernel");
  CHECK(all["op"] ==
        std::pair<std::string, std::string>("block.q", "block.move"));
  // With two functions the names tell which.
  add("function:g", "g", model::NodeKind::Function, "block.program");
  CHECK(titles()["kernel:q"].first == "block.q.kernel");
}
