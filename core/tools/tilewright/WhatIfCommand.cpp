//===- WhatIfCommand.cpp - tilewright whatif ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/WhatIf.h"
#include "core/tools/tilewright/CommandLine.h"
#include "core/tools/tilewright/EngineSession.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/Methods.h"
#include "viz/HeatMap.h"
#include <algorithm>

namespace tilewright::tool {

namespace {

struct WhatIfOptions {
  std::string file, key, output;
  bool svg = false, dark = false, all = false;
  int64_t points = 1024;
};

std::string times(double value) {
  return fixed(value, value < 9.95 ? 2 : 0) + "x";
}

/// The fastest, what is in force, and why the others cannot be.
std::string tableText(const model::WhatIf &map, bool all) {
  if (map.points.empty())
    return "there is nothing to choose for " + printable(map.key) + "\n";
  std::vector<const model::TilePoint *> legal, refused;
  for (const model::TilePoint &point : map.points)
    (point.legal ? legal : refused).push_back(&point);
  std::sort(legal.begin(), legal.end(),
            [](const model::TilePoint *a, const model::TilePoint *b) {
              return a->seconds != b->seconds
                         ? a->seconds < b->seconds
                         : std::pair(a->y, a->x) > std::pair(b->y, b->x);
            });
  auto index = [&](const model::TilePoint *point) {
    return point - map.points.data();
  };
  double best = legal.empty() ? 0 : legal.front()->seconds;
  Table table({{"tiles"},
               {"time", true},
               {"best", true},
               {"tasks", true},
               {"cores busy", true},
               {"bound by"},
               {""}});
  size_t shown = all ? legal.size() : std::min<size_t>(10, legal.size());
  auto add = [&](const model::TilePoint *point) {
    bool current = index(point) == map.current;
    table.add({model::tileText(point->sizes),
               model::formatSeconds(point->seconds),
               best > 0 ? times(point->seconds / best) : "",
               point->tasks ? grouped(point->tasks) : "?",
               fixed(point->coreUse * 100, 0) + " %", point->bound,
               index(point) == map.best ? "best"
               : current                ? "in force"
                                        : ""});
  };
  for (size_t i = 0; i < shown; ++i)
    add(legal[i]);
  for (size_t i = shown; i < legal.size(); ++i)
    if (index(legal[i]) == map.current)
      add(legal[i]);
  std::string text = table.str();
  if (shown < legal.size())
    text += "and " + grouped(int64_t(legal.size() - shown)) +
            " more that are legal (--all)\n";
  if (!refused.empty()) {
    text += "\n" + grouped(int64_t(refused.size())) + " of " +
            grouped(int64_t(map.points.size())) + " are not legal, such as\n";
    size_t most = all ? refused.size() : std::min<size_t>(3, refused.size());
    for (size_t i = 0; i < most; ++i) {
      const model::TilePoint &point =
          *refused[all ? i
                       : i * (refused.size() - 1) /
                             std::max<size_t>(1, most - 1)];
      text +=
          "  " +
          (map.yDim.empty() ? ""
                            : map.yDim + "=" + std::to_string(point.y) + " ") +
          map.xDim + "=" + std::to_string(point.x) + ": " +
          printable(point.why) + " [" + point.code + "]\n";
    }
  }
  text += "\nestimated for " + map.target + ", " + printable(map.key) +
          ": in force " + model::formatSeconds(map.currentSeconds);
  if (best > 0)
    text += ", " + times(map.currentSeconds / best) + " the best";
  text += "; " + grouped(map.weighed) + " settings weighed in " +
          milliseconds(map.milliseconds) + " ms\n";
  if (map.best >= 0 && map.best != map.current)
    text += "to take the best: tilewright pin FILE " + printable(map.key) +
            " tile " + model::tileText(map.points[size_t(map.best)].sizes) +
            "\n";
  return text;
}

int whatIf(Context &context, const WhatIfOptions &options) {
  const SourceFile &source = context.read(options.file);
  std::optional<OutputFile> output;
  if (!options.output.empty())
    output.emplace(options.output, source);
  lsp::Json result;
  {
    EngineSession engine;
    engine.open(source);
    result = engine.ask(
        lsp::method::whatIf,
        context.params({{"key", options.key}, {"points", options.points}}));
    reportRemarks(engine, context);
  }
  std::string text;
  if (context.json)
    text =
        result.dump(2, ' ', false, lsp::Json::error_handler_t::replace) + "\n";
  else if (options.svg)
    text = viz::heatMapSvg(result.get<model::WhatIf>(),
                           options.dark ? viz::ThemeName::Dark
                                        : viz::ThemeName::Light);
  else
    text = tableText(result.get<model::WhatIf>(), options.all);
  writeOutput(output, text);
  return exitOk;
}

} // namespace

void addWhatIf(CommandSet &set) {
  auto options = std::make_shared<WhatIfOptions>();
  CLI::App *command = set.add(
      "whatif",
      "Say what other tiles of an operation would do: list, SVG, JSON",
      "  tilewright whatif ffn.mlir ffn/gate\n"
      "  tilewright whatif ffn.mlir ffn/gate --target ascend-a3 --svg -o "
      "gate.svg\n"
      "  tilewright whatif ffn.mlir ffn/gate --json | jq '.points[.best]'\n");
  command->add_option("FILE", options->file, "Source; - for standard input")
      ->required();
  command->add_option("KEY", options->key, "Operation, function/name")
      ->required();
  auto *svg = command->add_flag("--svg", options->svg, "A heat map");
  svg->excludes(command->get_option("--json"));
  command->add_flag("--dark", options->dark, "Light on dark (SVG)");
  command->add_flag("--all", options->all,
                    "List every point, not the best ten");
  command
      ->add_option("--points", options->points,
                   "Map at most so many points; default 1024")
      ->check(CLI::Range(int64_t(1), int64_t(100000)));
  command
      ->add_option("-o,--output", options->output,
                   "Write there instead of standard output")
      ->type_name("FILE");
  command->callback([&set, options] {
    set.chosen = [options](Context &c) { return whatIf(c, *options); };
  });
}

} // namespace tilewright::tool
