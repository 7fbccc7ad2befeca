//===- VizLayout.cpp - time to lay out graphs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One JSON line a figure. The peer is Graphviz's dot where it finishes in
// reasonable time; its line is left without one elsewhere.
//
//===----------------------------------------------------------------------===//
#include "tests/bench/BenchLine.h"
#include "tests/viz/SampleGraphs.h"
#include "viz/Export.h"
#include "viz/Layout.h"
#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace tilewright;

static std::optional<double> dotMilliseconds(const std::string &text) {
  if (std::system("command -v dot >/dev/null 2>&1") != 0)
    return std::nullopt;
  std::string path = "/tmp/viz_layout-" + std::to_string(getpid()) + ".dot";
  std::ofstream(path) << text;
  std::string command = "timeout 20 dot -Tplain " + path + " >/dev/null 2>&1";
  bench::Timer timer;
  int code = std::system(command.c_str());
  double time = timer.milliseconds();
  std::remove(path.c_str());
  if (code != 0)
    return std::nullopt;
  return time;
}

int main() {
  viz::ApproximateTextMeasurer measurer;
  for (uint32_t count : {300u, 1000u, 10000u, 100000u}) {
    model::Graph graph = samples::random(count, 1);
    std::vector<double> times;
    for (int round = 0; round < (count >= 100000 ? 7 : 9); ++round) {
      bench::Timer timer;
      auto scene = viz::layOut(graph, viz::fold(graph, {}), measurer);
      times.push_back(timer.milliseconds());
      if (!scene)
        return 1;
    }
    bench::Line line;
    line.name = "layout of " + std::to_string(count) + " nodes";
    line.unit = "ms";
    line.measured(times);
    if (count <= 1000) {
      line.peer = "dot";
      line.peerValue = dotMilliseconds(viz::toDot(graph, viz::fold(graph, {})));
    }
    line.print();
  }
}
