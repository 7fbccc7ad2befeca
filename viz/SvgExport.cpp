//===- SvgExport.cpp - scenes as SVG --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Export.h"
#include "viz/NodeText.h"
#include "viz/SvgElements.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright::viz {

namespace {

constexpr double headingHeight = 48;
constexpr double legendHeight = 40;
constexpr double legendRow = 24;
constexpr double minWidth = 420;

class SvgWriter : SvgElements {
public:
  SvgWriter(const model::Graph &graph, const Scene &scene,
            const SvgOptions &options)
      : graph(graph), scene(scene), options(options),
        colours(theme(options.theme)) {}

  std::string write() {
    listKinds();
    Rect view = scene.bounds;
    if (scene.nodes.empty() && scene.groups.empty())
      view = {0, 0, minWidth, 60};
    if (view.width < minWidth) {
      view.x -= (minWidth - view.width) / 2;
      view.width = minWidth;
    }
    if (options.heading) {
      view.y -= headingHeight;
      view.height += headingHeight;
    }
    const double legendTop = view.bottom();
    if (options.legend && !entries.empty())
      view.height += placeLegend(view.x + 24, view.width - 48);
    out.reserve(512 * (scene.nodes.size() + scene.edges.size()) + 4096);
    start(view, colours.background, options.identify ? "ground" : "");
    if (options.heading)
      heading(view);
    for (const SceneGroup &group : scene.groups)
      box(group);
    edges();
    for (const SceneGroup &group : scene.groups)
      boxTitle(group);
    labels();
    for (const SceneNode &node : scene.nodes)
      this->node(node);
    if (options.legend && !entries.empty())
      legend(legendTop);
    finish();
    return std::move(out);
  }

private:
  // --- Parts of the picture -----------------------------------------------

  void heading(const Rect &view) {
    SceneText line;
    line.style = TextStyle::Heading;
    line.position = {view.x + 24, view.y + 32};
    std::string name = options.title;
    std::string stage = scene.pass.empty() ? scene.stage : scene.pass;
    if (!stage.empty())
      name += (name.empty() ? "" : "  \u00b7  ") + stage;
    ApproximateTextMeasurer measurer;
    line.text = elide(name, view.width - 48, line.style, measurer);
    text(line, colours.text);
    SceneText counts;
    counts.style = TextStyle::Subtitle;
    counts.position = {line.position.x + measurer.width(line.text, line.style) +
                           16,
                       line.position.y};
    int64_t hidden = 0, shown = int64_t(scene.nodes.size());
    for (const SceneNode &node : scene.nodes)
      hidden += node.hidden;
    counts.text = countsText(shown, int64_t(scene.edges.size()), hidden,
                             options.language);
    if (counts.position.x + measurer.width(counts.text, counts.style) <
        view.right() - 16)
      text(counts, colours.mutedText);
  }

  /// What is one thing to a person who points at it.
  void begin(const std::string &id) {
    out += "<g";
    if (options.identify)
      attribute("data-id", id);
    out += ">\n";
  }

  void box(const SceneGroup &group) {
    NodeColours c = groupColours(options.theme, group.kind, group.depth);
    rect(group.rect, 10, c.fill.hex(), c.border.hex(), 1);
  }

  void boxTitle(const SceneGroup &group) {
    NodeColours c = groupColours(options.theme, group.kind, group.depth);
    begin(group.id);
    tooltip(graph.nodes[group.graphNode], 0);
    rect(group.titleRect, 4, c.fill.hex(), {}, 0);
    text(group.title, c.text);
    if (!group.badge.text.empty()) {
      rect(group.badgeRect, group.badgeRect.height / 2, c.fill.hex(),
           c.border.hex(), 1);
      text(group.badge, c.text);
    }
    out += "</g>\n";
  }

  const Colour &edgeColour(model::EdgeKind kind) const {
    switch (kind) {
    case model::EdgeKind::Data:
      return colours.dataEdge;
    case model::EdgeKind::Order:
      return colours.orderEdge;
    case model::EdgeKind::Event:
      return colours.eventEdge;
    }
    return colours.dataEdge;
  }

  static const char *dashesOf(model::EdgeKind kind) {
    switch (kind) {
    case model::EdgeKind::Data:
      return "";
    case model::EdgeKind::Order:
      return "6 4";
    case model::EdgeKind::Event:
      return "2 3";
    }
    return "";
  }

  void path(std::span<const Point> points) {
    if (points.size() < 4)
      return;
    out += "<path d=\"M";
    auto point = [&](const Point &p) {
      number(p.x);
      out += ' ';
      number(p.y);
    };
    point(points[0]);
    for (size_t i = 1; i + 2 < points.size(); i += 3) {
      const Point &from = points[i - 1];
      bool upright = from.x == points[i + 2].x && from.x == points[i].x;
      if (upright) {
        out += 'V';
        number(points[i + 2].y);
        continue;
      }
      out += 'C';
      point(points[i]);
      out += ' ';
      point(points[i + 1]);
      out += ' ';
      point(points[i + 2]);
    }
    out += "\"/>\n";
  }

  void edges() {
    for (model::EdgeKind kind : {model::EdgeKind::Data, model::EdgeKind::Order,
                                 model::EdgeKind::Event}) {
      std::string colour = edgeColour(kind).hex();
      bool any = false;
      for (const SceneEdge &edge : scene.edges) {
        if (edge.kind != kind)
          continue;
        if (!any) {
          out += "<g";
          paint({}, colour, 1.4, dashesOf(kind));
          out += ">\n";
          any = true;
        }
        path(scene.path(edge));
        path(scene.stubPath(edge));
      }
      if (!any)
        continue;
      out += "</g>\n<g";
      attribute("fill", colour);
      out += ">\n";
      for (const SceneEdge &edge : scene.edges)
        if (edge.kind == kind)
          arrow(edge.stubPointCount > 0 ? scene.stubPath(edge)
                                        : scene.path(edge));
      out += "</g>\n";
    }
  }

  void arrow(std::span<const Point> points) {
    if (points.size() < 4)
      return;
    Point tip = points.back(), before = points[points.size() - 2];
    double dx = tip.x - before.x, dy = tip.y - before.y;
    double length = std::hypot(dx, dy);
    if (length < 1e-6)
      return;
    dx /= length;
    dy /= length;
    constexpr double size = 7, half = 3.4;
    out += "<polygon points=\"";
    for (const Point &p :
         {tip,
          Point{tip.x - dx * size - dy * half, tip.y - dy * size + dx * half},
          Point{tip.x - dx * size + dy * half,
                tip.y - dy * size - dx * half}}) {
      number(p.x);
      out += ',';
      number(p.y);
      out += ' ';
    }
    out.back() = '"';
    out += "/>\n";
  }

  void labels() {
    for (const SceneEdge &edge : scene.edges) {
      int32_t group = edge.from.node >= 0
                          ? scene.nodes[edge.from.node].group
                          : scene.groups[edge.from.group].parent;
      Colour behind = backgroundOf(group);
      text(edge.label, colours.edgeLabel, &behind);
      text(edge.stubLabel, colours.edgeLabel, &behind);
      if (!edge.arrivalLabel.text.empty()) {
        int32_t at = edge.to.node >= 0 ? scene.nodes[edge.to.node].group
                                       : scene.groups[edge.to.group].parent;
        Colour there = backgroundOf(at);
        text(edge.arrivalLabel, colours.edgeLabel, &there);
      }
    }
  }

  Colour backgroundOf(int32_t group) const {
    if (group < 0)
      return colours.background;
    const SceneGroup &box = scene.groups[group];
    return groupColours(options.theme, box.kind, box.depth).fill;
  }

  void shape(model::NodeKind kind, const Rect &r, const NodeColours &c) {
    using model::NodeKind;
    std::string fill = c.fill.hex(), border = c.border.hex();
    switch (kind) {
    case NodeKind::Input:
    case NodeKind::Output:
      rect(r, r.height / 2, fill, border, 1.2);
      break;
    case NodeKind::Move: {
      constexpr double slant = 7;
      polygon({{r.x + slant, r.y},
               {r.right(), r.y},
               {r.right() - slant, r.bottom()},
               {r.x, r.bottom()}},
              fill, border, 1.2);
      break;
    }
    case NodeKind::Sync: {
      double cut = 9;
      polygon({{r.x + cut, r.y},
               {r.right() - cut, r.y},
               {r.right(), r.center().y},
               {r.right() - cut, r.bottom()},
               {r.x + cut, r.bottom()},
               {r.x, r.center().y}},
              fill, border, 1.2);
      break;
    }
    case NodeKind::Buffer:
      rect(r, 2, fill, border, 1.2);
      rect({r.x + 3, r.y + 3, r.width - 6, r.height - 6}, 1, {}, border, 0.6);
      break;
    case NodeKind::Constant:
      rect(r, 6, fill, border, 1.2, "4 2.5");
      break;
    default:
      rect(r, 6, fill, border, 1.2);
    }
  }

  void node(const SceneNode &node) {
    NodeColours c = nodeColours(options.theme, node.kind);
    begin(node.id);
    tooltip(graph.nodes[node.graphNode], node.hidden);
    if (node.stacked || node.hidden > 0)
      for (int k = node.stacked ? 2 : 1; k > 0; --k)
        shape(node.kind == model::NodeKind::Move ? node.kind
                                                 : model::NodeKind::Operation,
              {node.rect.x + 3.0 * k, node.rect.y + 3.0 * k, node.rect.width,
               node.rect.height},
              c);
    shape(node.kind, node.rect, c);
    text(node.title, c.text);
    text(node.subtitle, c.mutedText);
    if (!node.badge.text.empty()) {
      rect(node.badgeRect, node.badgeRect.height / 2, colours.background.hex(),
           c.border.hex(), 0.8);
      text(node.badge, c.text);
    }
    out += "</g>\n";
  }

  void tooltip(const model::Node &node, int64_t hidden) {
    if (!options.tooltips)
      return;
    // Attributes may hold whole weights.
    constexpr size_t longest = 400;
    auto line = [&](std::string_view name, std::string_view value) {
      out += '\n';
      escaped(name);
      out += ": ";
      escaped(value.substr(0, longest));
      if (value.size() > longest)
        out += "\u2026";
    };
    const TooltipWords words = tooltipWords(options.language);
    out += "<title>";
    escaped(std::string_view(node.id).substr(0, longest));
    if (!node.op.empty())
      line(words.operation, node.op);
    if (hidden > 0)
      line(words.folded, std::to_string(hidden));
    std::string grid = gridText(node);
    if (!grid.empty())
      line(words.grid, grid);
    for (const model::TensorType &type : node.results)
      line(words.result, typeText(type));
    for (const auto &[name, value] : node.attributes)
      line(name, value);
    std::string keys;
    for (const std::string &key : node.keys) {
      if (keys.size() > longest)
        break;
      keys += (keys.empty() ? "" : ", ") + key;
    }
    if (!keys.empty())
      line(words.keys, keys);
    for (const model::Metric &metric : node.metrics) {
      char value[32];
      auto end = std::to_chars(value, value + sizeof value, metric.value,
                               std::chars_format::general, 6);
      line(metric.name, std::string(value, end.ptr) + " " + metric.unit + " (" +
                            originName(metric.origin, options.language) + ")");
    }
    out += "</title>\n";
  }

  // --- Legend -------------------------------------------------------------

  struct Entry {
    bool isEdge;
    int kind;
    std::string name;
    Point place;
  };

  void listKinds() {
    uint32_t nodeKinds = 0, edgeKinds = 0;
    for (const SceneNode &node : scene.nodes)
      nodeKinds |= 1u << int(node.kind);
    for (const SceneEdge &edge : scene.edges)
      edgeKinds |= 1u << int(edge.kind);
    for (int k = 0; k <= int(model::NodeKind::Task); ++k)
      if (nodeKinds >> k & 1)
        entries.push_back(
            {false, k, kindName(model::NodeKind(k), options.language), {}});
    for (int k = 0; k <= int(model::EdgeKind::Event); ++k)
      if (edgeKinds >> k & 1)
        entries.push_back(
            {true, k, kindName(model::EdgeKind(k), options.language), {}});
  }

  /// Returns the height.
  double placeLegend(double left, double width) {
    ApproximateTextMeasurer measurer;
    double x = 0, y = 0;
    for (Entry &entry : entries) {
      double needed = 34 + measurer.width(entry.name, TextStyle::Subtitle) + 18;
      if (x > 0 && x + needed > width) {
        x = 0;
        y += legendRow;
      }
      entry.place = {left + x, y};
      x += needed;
    }
    return legendHeight + y;
  }

  void legend(double top) {
    for (const Entry &entry : entries) {
      double x = entry.place.x, middle = top + 16 + entry.place.y;
      if (entry.isEdge) {
        auto kind = model::EdgeKind(entry.kind);
        std::string colour = edgeColour(kind).hex();
        out += "<path d=\"M";
        number(x);
        out += ' ';
        number(middle);
        out += 'H';
        number(x + 24);
        out += '"';
        paint({}, colour, 1.6, dashesOf(kind));
        out += "/>\n";
      } else {
        auto kind = model::NodeKind(entry.kind);
        shape(kind, {x, middle - 7, 24, 14}, nodeColours(options.theme, kind));
      }
      SceneText name;
      name.style = TextStyle::Subtitle;
      name.text = entry.name;
      name.position = {x + 31, middle + 4};
      text(name, colours.mutedText);
    }
  }

  const model::Graph &graph;
  const Scene &scene;
  const SvgOptions &options;
  const Theme &colours;
  std::vector<Entry> entries;
};

} // namespace

std::string toSvg(const model::Graph &graph, const Scene &scene,
                  const SvgOptions &options) {
  return SvgWriter(graph, scene, options).write();
}

} // namespace tilewright::viz
