//===- DrawSamples.cpp - sample graphs as SVG files, to be looked at ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/viz/SampleGraphs.h"
#include "viz/Export.h"
#include "viz/Layout.h"
#include <fstream>
#include <iostream>

using namespace tilewright;

static void draw(const std::string &path, const model::Graph &graph,
                 const viz::CollapsedSet &collapsed, viz::ThemeName theme) {
  viz::ApproximateTextMeasurer measurer;
  auto scene = viz::layOut(graph, viz::fold(graph, collapsed), measurer);
  viz::SvgOptions options;
  options.theme = theme;
  options.title = "swiglu_ffn";
  std::ofstream(path) << viz::toSvg(graph, *scene, options);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: draw-samples DIRECTORY\n";
    return 1;
  }
  std::string to = std::string(argv[1]) + "/";
  using enum viz::ThemeName;
  draw(to + "tensor-light.svg", samples::tensorFfn(), {}, Light);
  draw(to + "tensor-dark.svg", samples::tensorFfn(), {}, Dark);
  draw(to + "tile-open.svg", samples::tileFfn(), {}, Light);
  draw(to + "tile-open-dark.svg", samples::tileFfn(), {}, Dark);
  draw(to + "tile-grids-closed.svg", samples::tileFfn(),
       viz::groupsOfKind(samples::tileFfn(), {model::NodeKind::Grid}), Light);
  draw(to + "tile-scopes-closed.svg", samples::tileFfn(),
       viz::groupsOfKind(samples::tileFfn(), {model::NodeKind::Scope}), Light);
  draw(to + "block.svg", samples::blockKernel(), {}, Light);
  draw(to + "random-60.svg", samples::random(60, 1), {}, Light);
  draw(to + "random-grouped.svg", samples::random(90, 3, true), {}, Light);
  draw(to + "random-120.svg", samples::random(120, 2), {}, Light);
  draw(to + "random-400.svg", samples::random(400, 2), {}, Light);
}
