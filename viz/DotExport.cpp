//===- DotExport.cpp - graphs as Graphviz text ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Export.h"
#include "viz/NodeText.h"
#include "viz/Utf8.h"
#include <algorithm>

namespace tilewright::viz {

namespace {

/// A quoted Graphviz string. Every backslash is doubled, since Graphviz gives
/// meaning to many sequences; line breaks become its own.
std::string dotString(std::string_view text) {
  constexpr size_t longest = 2000;
  std::string out = "\"";
  for (size_t at = 0; at < text.size() && at < longest;) {
    char32_t c = nextCodePoint(text, at);
    if (c == '"')
      out += "\\\"";
    else if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c < 0x20)
      out += ' ';
    else
      appendCodePoint(out, c);
  }
  if (text.size() > longest)
    out += "\u2026";
  return out + "\"";
}

const char *shapeOf(model::NodeKind kind) {
  using model::NodeKind;
  switch (kind) {
  case NodeKind::Input:
  case NodeKind::Output:
    return "ellipse";
  case NodeKind::Move:
    return "parallelogram";
  case NodeKind::Sync:
    return "hexagon";
  case NodeKind::Buffer:
    return "cylinder";
  default:
    return "box";
  }
}

const char *styleOf(model::EdgeKind kind) {
  switch (kind) {
  case model::EdgeKind::Data:
    return "solid";
  case model::EdgeKind::Order:
    return "dashed";
  case model::EdgeKind::Event:
    return "dotted";
  }
  return "solid";
}

class DotWriter {
public:
  DotWriter(const model::Graph &graph, const VisibleGraph &visible)
      : graph(graph), visible(visible) {}

  std::string write() {
    std::string name = graph.pass.empty() ? graph.stage : graph.pass;
    out += "digraph " + dotString(name) + " {\n";
    out += "  compound=true;\n  rankdir=TB;\n"
           "  node [shape=box, style=\"rounded,filled\", "
           "fontname=\"Noto Sans\", fontsize=11];\n"
           "  edge [fontname=\"Noto Sans\", fontsize=9];\n";
    writeNodes();
    writeEdges();
    out += "}\n";
    return std::move(out);
  }

private:
  void indent(size_t depth) { out.append(2 * depth + 2, ' '); }

  void writeNodes() {
    const uint32_t count = static_cast<uint32_t>(visible.nodes.size());
    std::vector<std::vector<uint32_t>> children(count);
    std::vector<uint32_t> top;
    for (uint32_t v = 0; v < count; ++v)
      (visible.nodes[v].parent < 0 ? top : children[visible.nodes[v].parent])
          .push_back(v);
    // By hand, as nesting may be deeper than the stack.
    struct Open {
      const std::vector<uint32_t> *list;
      size_t next;
    };
    std::vector<Open> stack{{&top, 0}};
    while (!stack.empty()) {
      Open &open = stack.back();
      if (open.next == open.list->size()) {
        stack.pop_back();
        if (!stack.empty()) {
          indent(stack.size() - 1);
          out += "}\n";
        }
        continue;
      }
      uint32_t v = (*open.list)[open.next++];
      const size_t depth = stack.size() - 1;
      const model::Node &node = graph.nodes[visible.nodes[v].node];
      indent(depth);
      if (!visible.nodes[v].isGroup) {
        writeNode(v, node);
        continue;
      }
      out += "subgraph cluster_" + std::to_string(v) + " {\n";
      std::string title = groupTitleOf(node), grid = gridText(node);
      if (!grid.empty())
        title += "  " + grid;
      indent(depth + 1);
      out += "label=" + dotString(title) +
             "; style=rounded; tooltip=" + dotString(node.id) + ";\n";
      // Edges of the box itself hold on to this.
      indent(depth + 1);
      out += "n" + std::to_string(v) + " [shape=point, style=invis];\n";
      stack.push_back({&children[v], 0});
    }
  }

  void writeNode(uint32_t v, const model::Node &node) {
    std::string text = titleOf(node);
    std::string subtitle = subtitleOf(node, visible.nodes[v].hidden);
    std::string grid = gridText(node);
    if (!grid.empty())
      text += "  [" + grid + "]";
    if (!subtitle.empty())
      text += "\n" + subtitle;
    NodeColours colours = nodeColours(ThemeName::Light, node.kind);
    out += "n" + std::to_string(v) + " [label=" + dotString(text) +
           ", shape=" + shapeOf(node.kind) + ", fillcolor=\"" +
           colours.fill.hex() + "\", color=\"" + colours.border.hex() +
           "\", tooltip=" + dotString(node.id) + "];\n";
  }

  void writeEdges() {
    for (const VisibleEdge &edge : visible.edges) {
      const model::Edge &first = graph.edges[edge.edge];
      out += "  n" + std::to_string(edge.from) + " -> n" +
             std::to_string(edge.to) + " [";
      std::string label = first.kind == model::EdgeKind::Data
                              ? (edge.sameType ? typeText(first.type) : "")
                              : first.label;
      if (edge.count > 1)
        label += (label.empty() ? "\u00d7" : "  \u00d7") +
                 std::to_string(edge.count);
      if (!label.empty())
        out += "label=" + dotString(label) + ", ";
      if (visible.nodes[edge.from].isGroup)
        out += "ltail=cluster_" + std::to_string(edge.from) + ", ";
      if (visible.nodes[edge.to].isGroup)
        out += "lhead=cluster_" + std::to_string(edge.to) + ", ";
      out += std::string("style=") + styleOf(edge.kind) + "];\n";
    }
  }

  const model::Graph &graph;
  const VisibleGraph &visible;
  std::string out;
};

} // namespace

std::string toDot(const model::Graph &graph, const VisibleGraph &visible) {
  return DotWriter(graph, visible).write();
}

} // namespace tilewright::viz
