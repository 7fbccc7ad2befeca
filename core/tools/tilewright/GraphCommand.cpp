//===- GraphCommand.cpp - tilewright graph --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Graph.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"
#include "viz/Export.h"
#include "viz/Fold.h"
#include "viz/Layout.h"
#include "viz/Text.h"
#include <filesystem>

namespace tilewright::tool {

namespace {

struct GraphOptions {
  std::string file;
  std::string stage = "tensor";
  bool dot = false;
  bool svg = false;
  bool dark = false;
  int64_t nodes = 2000;
  bool limited = false; ///< `nodes` was given
  std::vector<std::string> open;
  std::string root;
  std::string find;
  std::string output;
};

std::string shapeText(const model::TensorType &type) {
  std::string text;
  for (const model::Expr &size : type.shape)
    text += size.str() + "x";
  text += type.dtype;
  if (!type.level.empty())
    text += " in " + type.level;
  return text;
}

/// The graph as an indented list, for a terminal.
std::string outline(const model::Graph &graph) {
  std::unordered_map<std::string, int> depths;
  Table table({{"node"}, {"op"}, {"grid"}, {"result"}});
  for (const model::Node &node : graph.nodes) {
    // A group comes before its children.
    auto parent = depths.find(node.parent);
    int depth = parent == depths.end() ? 0 : parent->second + 1;
    depths[node.id] = depth;
    std::string grid;
    for (const model::Expr &size : node.grid)
      grid += (grid.empty() ? "" : " x ") + size.str();
    std::string results;
    for (const model::TensorType &type : node.results)
      results += (results.empty() ? "" : ", ") + shapeText(type);
    table.add({std::string(2 * depth, ' ') +
                   printable(node.label.empty() ? node.id : node.label),
               printable(node.op) +
                   (node.hidden ? ", " + grouped(node.hidden) + " inside" : ""),
               grid, printable(results)});
  }
  std::string text = table.str() + "\n" +
                     (graph.pass.empty() ? graph.stage : graph.pass) + ": ";
  auto of = [&](int64_t some) {
    return some >= graph.total ? grouped(some)
                               : grouped(some) + " of " + grouped(graph.total);
  };
  if (graph.edges.empty() && !graph.found.empty())
    return text + "found in " + of(int64_t(graph.found.size())) + " nodes\n";
  return text + of(int64_t(graph.nodes.size())) + " nodes, " +
         grouped(graph.edges.size()) + " edges\n";
}

std::string picture(const model::Graph &graph, const GraphOptions &options,
                    const std::string &title) {
  viz::VisibleGraph visible =
      viz::fold(graph, viz::collapseToFit(graph, options.nodes));
  if (options.dot)
    return viz::toDot(graph, visible);
  viz::ApproximateTextMeasurer measurer;
  std::optional<viz::Scene> scene = viz::layOut(graph, visible, measurer);
  if (!scene)
    throw Failure("TW0609", "the graph could not be laid out");
  viz::SvgOptions svg;
  svg.title = title;
  if (options.dark)
    svg.theme = viz::ThemeName::Dark;
  return viz::toSvg(graph, *scene, svg);
}

int graph(Context &context, const GraphOptions &options) {
  const SourceFile &source = context.read(options.file);
  std::optional<OutputFile> output;
  if (!options.output.empty())
    output.emplace(options.output, source);
  lsp::Json result;
  {
    EngineSession engine;
    engine.open(source);
    lsp::Json params = {{"stage", options.stage},
                        {"open", options.open},
                        {"root", options.root},
                        {"find", options.find}};
    if (options.limited || options.dot || options.svg)
      params["atMost"] = options.nodes;
    result = engine.ask(lsp::method::graph, context.params(std::move(params)));
    reportRemarks(engine, context);
  }
  std::string text;
  if (context.json)
    text =
        result.dump(2, ' ', false, lsp::Json::error_handler_t::replace) + "\n";
  else if (options.dot || options.svg)
    text = picture(result.get<model::Graph>(), options,
                   std::filesystem::path(source.display).filename().string());
  else
    text = outline(result.get<model::Graph>());
  writeOutput(output, text);
  return exitOk;
}

} // namespace

void addGraph(CommandSet &set) {
  auto options = std::make_shared<GraphOptions>();
  CLI::App *command =
      set.add("graph", "Show a stage as a graph: list, SVG, DOT or JSON",
              "  tilewright graph ffn.mlir --stage tile\n"
              "  tilewright graph ffn.mlir --stage block --svg -o block.svg\n"
              "  tilewright graph ffn.mlir --stage tensor --dot | dot -Tpdf\n"
              "  tilewright graph ffn.mlir --stage tile --nodes 20\n"
              "  tilewright graph ffn.mlir --stage tile --find gate\n");
  command->add_option("FILE", options->file, "Source; - for standard input")
      ->required();
  command
      ->add_option("-s,--stage", options->stage,
                   "STAGE (its last pass) or STAGE/PASS; default: tensor")
      ->type_name("STAGE[/PASS]");
  auto *dot = command->add_flag("--dot", options->dot, "Graphviz's language");
  auto *svg = command->add_flag("--svg", options->svg, "A picture");
  auto *json = command->get_option("--json");
  dot->excludes(svg)->excludes(json);
  svg->excludes(json);
  command->add_flag("--dark", options->dark, "Light on dark (SVG)");
  auto *nodes =
      command
          ->add_option("--nodes", options->nodes,
                       "Close groups until at most so many nodes show; default "
                       "2000 for pictures, else none is closed")
          ->check(CLI::Range(int64_t(1), int64_t(1000000)));
  command
      ->add_option("--open", options->open,
                   "With --nodes: what is around this node, by its id, is open")
      ->type_name("ID");
  command
      ->add_option("--root", options->root,
                   "Only what is in this group, by its id")
      ->type_name("ID");
  command
      ->add_option("--find", options->find,
                   "Only nodes whose id, name, operation or keys have TEXT in "
                   "them, and the groups around them")
      ->type_name("TEXT");
  command
      ->add_option("-o,--output", options->output,
                   "Write there instead of standard output")
      ->type_name("FILE");
  command->callback([&set, options, nodes] {
    options->limited = nodes->count() > 0;
    set.chosen = [options](Context &c) { return graph(c, *options); };
  });
}

} // namespace tilewright::tool
