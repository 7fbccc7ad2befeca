//===- ExportTest.cpp -------------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Export.h"
#include "tests/viz/SampleGraphs.h"
#include "tests/viz/XmlFault.h"
#include "viz/Layout.h"
#include "viz/NodeText.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace tilewright;
using namespace tilewright::viz;
using model::Graph;

namespace {

Scene sceneOf(const Graph &graph, const CollapsedSet &collapsed = {}) {
  ApproximateTextMeasurer measurer;
  return *layOut(graph, fold(graph, collapsed), measurer);
}

} // namespace

TEST_CASE("SVG holds what the graph says") {
  Graph graph = samples::tileFfn();
  std::string svg = toSvg(graph, sceneOf(graph), {});
  CHECK(xmlFault(svg) == "");
  for (const char *text :
       {"tile/place-tiles", ">gate<", "tw.matmul", "1\u00d711",
        "128\u00d7128\u00d7f32 @UB", "gate \u00b7 scf.forall", ">move<",
        "swiglu_ffn/act"}) {
    INFO(text);
    CHECK(svg.find(text) != std::string::npos);
  }
  CHECK(svg.find("<style") == std::string::npos);
  CHECK(svg.find("marker") == std::string::npos);
  CHECK(svg.find("data-id") == std::string::npos);
}

TEST_CASE("a picture for a page says which node is where") {
  Graph graph = samples::tileFfn();
  SvgOptions options;
  options.identify = true;
  Scene scene = sceneOf(graph);
  std::string svg = toSvg(graph, scene, options);
  CHECK(xmlFault(svg) == "");
  CHECK(svg.find("<g class=\"ground\">") != std::string::npos);
  size_t marks = 0;
  for (size_t at = 0; (at = svg.find(" data-id=\"", at)) != std::string::npos;
       ++at)
    ++marks;
  CHECK(marks == scene.nodes.size() + scene.groups.size());
  for (const SceneNode &node : scene.nodes)
    if (node.id.find_first_of("<>&\"") == std::string::npos)
      CHECK(svg.find("data-id=\"" + node.id + "\"") != std::string::npos);
  // What a client sends comes back as it was, whatever it holds.
  graph.nodes.front().id = "a\"<&>";
  CHECK(xmlFault(toSvg(graph, sceneOf(graph), options)) == "");
}

TEST_CASE("SVG is XML whatever the texts hold") {
  Graph graph = samples::tensorFfn();
  graph.pass = "a<b & \"c\"]]>";
  graph.nodes[4].label = "<script>&\"'\n\t\x01\x1f\xff\xed\xa0\x80";
  graph.nodes[5].op = std::string(3000, '<');
  graph.nodes[6].attributes = {{"\x02 name", "&&&&"},
                               {"value", std::string(1 << 20, '\xfe')}};
  graph.nodes[7].label = "\u6fc0\u6d3b \U0001F600";
  for (ThemeName name : {ThemeName::Light, ThemeName::Dark}) {
    SvgOptions options;
    options.theme = name;
    options.title = "<title>\xff";
    std::string svg = toSvg(graph, sceneOf(graph), options);
    CHECK(xmlFault(svg) == "");
    CHECK(svg.find("\u6fc0\u6d3b") != std::string::npos);
    CHECK(svg.find('\xff') == std::string::npos);
    CHECK(svg.size() < 200000);
  }
  CHECK(xmlFault(toSvg(Graph(), sceneOf(Graph()), {})) == "");
}

TEST_CASE("SVG of random graphs is XML") {
  Graph graph = samples::random(150, 8, true);
  CHECK(xmlFault(toSvg(graph, sceneOf(graph, {"g1", "g2"}), {})) == "");
}

TEST_CASE("texts have contrast in both themes") {
  for (ThemeName name : {ThemeName::Light, ThemeName::Dark}) {
    const Theme &base = theme(name);
    CHECK(contrast(base.text, base.background) >= 7);
    CHECK(contrast(base.mutedText, base.background) >= 4.5);
    CHECK(contrast(base.edgeLabel, base.background) >= 4.5);
    for (Colour edge : {base.dataEdge, base.orderEdge, base.eventEdge})
      CHECK(contrast(edge, base.background) >= 3);
    for (int k = 0; k <= int(model::NodeKind::Task); ++k) {
      auto kind = model::NodeKind(k);
      NodeColours c = nodeColours(name, kind);
      INFO(int(name) << " " << kindName(kind));
      CHECK(contrast(c.text, c.fill) >= 4.5);
      CHECK(contrast(c.mutedText, c.fill) >= 4.5);
      CHECK(contrast(c.border, base.background) >= 2.2);
      CHECK(contrast(c.text, base.background) >= 4.5); // badges
      for (int depth : {0, 1}) {
        NodeColours g = groupColours(name, kind, depth);
        CHECK(contrast(g.text, g.fill) >= 4.5);
        CHECK(contrast(base.edgeLabel, g.fill) >= 4.5);
      }
    }
  }
}

TEST_CASE("dot text has clusters, escapes and merged edges") {
  Graph graph = samples::tileFfn();
  graph.nodes[1].label = "say \"hi\" \\N <b>\n2";
  std::string dot = toDot(graph, fold(graph, {"scope:y"}));
  CHECK(dot.find("digraph \"tile/place-tiles\" {") == 0);
  CHECK(dot.find("say \\\"hi\\\" \\\\N <b>\\n2") != std::string::npos);
  size_t clusters = 0, opened = 0, closed = 0;
  for (size_t at = 0; (at = dot.find("subgraph", at)) != std::string::npos;
       ++at)
    ++clusters;
  bool quoted = false;
  for (size_t i = 0; i < dot.size(); ++i) {
    if (dot[i] == '"' && dot[i - 1] != '\\')
      quoted = !quoted;
    opened += !quoted && dot[i] == '{';
    closed += !quoted && dot[i] == '}';
  }
  CHECK(clusters == 7);
  CHECK(opened == 8);
  CHECK(closed == 8);
  CHECK(dot.find("inside") != std::string::npos);
}

TEST_CASE("scene as JSON") {
  Graph graph = samples::tileFfn();
  Scene scene = sceneOf(graph, {"scope:y"});
  nlohmann::json json = toJson(scene);
  CHECK(json["schema"] == "tilewright/scene");
  CHECK(json["nodes"].size() == scene.nodes.size());
  CHECK(json["edges"].size() == scene.edges.size());
  CHECK(json["groups"][0]["id"] == "fn");
  CHECK(json["edges"][0]["path"].size() % 3 == 1);
}

TEST_CASE("texts are cut at code points") {
  ApproximateTextMeasurer measurer;
  CHECK(elide("short", 500, TextStyle::Title, measurer) == "short");
  std::string cut =
      elide(std::string(1000, 'x'), 60, TextStyle::Title, measurer);
  CHECK(measurer.width(cut, TextStyle::Title) <= 60);
  CHECK(cut.size() > 4);
  CHECK(cut.substr(cut.size() - 3) == "\u2026");
  std::string wide;
  for (int i = 0; i < 100; ++i)
    wide += "\u6fc0";
  std::string chinese = elide(wide, 80, TextStyle::Title, measurer);
  CHECK((chinese.size() - 3) % 3 == 0);
  CHECK(elide("a\nb\x01", 500, TextStyle::Title, measurer) == "a b ");
  CHECK(elide("\xff", 500, TextStyle::Title, measurer) == "\uFFFD");
  CHECK(elide("abc", 0, TextStyle::Title, measurer) == "\u2026");
  std::string name = "transformer_layer.normed.mean_square.kernel";
  CHECK(elideMiddle(name, 900, TextStyle::Title, measurer) == name);
  std::string middle = elideMiddle(name, 150, TextStyle::Title, measurer);
  CHECK(measurer.width(middle, TextStyle::Title) <= 150);
  CHECK(middle.starts_with("tran"));
  CHECK(middle.ends_with(".kernel"));
  CHECK(middle.find("\u2026") != std::string::npos);
  CHECK(elideMiddle("\u5f20\u91cf\u5f20\u91cf", 34, TextStyle::Title,
                    measurer) == "\u2026\u91cf");
  CHECK(elideMiddle("abc", 0, TextStyle::Title, measurer) == "\u2026");
  CHECK(elideMiddle(std::string(5000, 'y'), 60, TextStyle::Title, measurer)
            .ends_with("\u2026"));
  CHECK(measurer.width("\u6fc0\u6d3b", TextStyle::Subtitle) >
        measurer.width("ab", TextStyle::Subtitle) * 1.5);
}

TEST_CASE("types and grids in words") {
  model::TensorType type;
  CHECK(typeText(type) == "");
  type.dtype = "bf16";
  CHECK(typeText(type) == "bf16");
  type.shape = {model::Expr(128), model::Expr::symbol("x.0")};
  type.level = "UB";
  CHECK(typeText(type) == "128\u00d7x.0\u00d7bf16 @UB");
  model::Node node;
  node.grid = {model::Expr(48), model::Expr(24)};
  CHECK(gridText(node) == "48\u00d724");
}
