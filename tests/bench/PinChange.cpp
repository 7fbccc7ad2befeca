//===- PinChange.cpp - how soon the effect of one changed pin is seen -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a warm session one tile pin of one matmul is changed again and again, to
// sizes not seen before, and everything that shows its effect is made anew: all
// stages, the memory map, and the graph of each stage, once as a client that
// shows it asks for it (groups closed beyond 2,000 nodes, what is around the
// matmul open) and once whole. Prints the 95th percentile of each and of its
// parts, how many nodes that is, and how many scopes ran their passes for it.
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include "tests/bench/BenchLine.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <random>

using namespace tilewright;

/// Sizes no larger than `tiles`, each a multiple of the level inside it: what
/// is not larger fits as well.
static model::TileSizes smaller(const model::TileSizes &tiles,
                                std::mt19937 &random) {
  std::vector<std::string> levels; // innermost first
  for (const auto &[level, sizes] : tiles)
    if (level != "reg") // the micro-kernel's own
      levels.push_back(level);
  auto sumOf = [&](const std::string &level) {
    int64_t sum = 0;
    for (const auto &[dim, size] : tiles.at(level))
      sum += size;
    return sum;
  };
  std::sort(levels.begin(), levels.end(),
            [&](auto &a, auto &b) { return sumOf(a) < sumOf(b); });
  model::TileSizes result;
  std::map<std::string, int64_t> inner;
  for (const std::string &level : levels)
    for (const auto &[dim, size] : tiles.at(level)) {
      auto known = inner.try_emplace(dim, std::min<int64_t>(size, 16)).first;
      int64_t most = std::max<int64_t>(1, size / known->second);
      known->second *= 1 + int64_t(random() % uint64_t(most));
      result[level][dim] = known->second;
    }
  return result;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: pin_change TARGET FILE [ROUNDS]\n");
    return 2;
  }
  size_t rounds = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 200;
  std::vector<model::Diagnostic> problems;
  std::shared_ptr<target::TargetRegistry> targets =
      target::TargetRegistry::standard(problems);
  CompileRequest request;
  request.uri = "file://" + std::filesystem::absolute(argv[2]).string();
  request.target = argv[1];
  std::ifstream file(argv[2], std::ios::binary);
  request.text.assign(std::istreambuf_iterator<char>(file), {});

  Session session(targets);
  auto first = session.compile(request);
  if (!first->complete()) {
    for (const model::Diagnostic &diagnostic : first->stages().diagnostics)
      std::fprintf(stderr, "%s\n", diagnostic.message.c_str());
    return 1;
  }
  model::Decision subject;
  for (const model::Decision &decision : first->decisions())
    if (decision.kind == "tile" && decision.value.is_object())
      for (const auto &level : decision.value)
        if (subject.key.empty() && level.contains("k"))
          subject = decision;
  if (subject.key.empty()) {
    std::fprintf(stderr, "%s: no matmul to pin\n", argv[2]);
    return 1;
  }
  auto tiles = subject.value.get<model::TileSizes>();
  std::mt19937 random(1);

  model::GraphPart part;
  part.atMost = 2000;
  part.open = {subject.key};
  std::vector<double> stages, shown, whole, maps;
  const std::vector<const char *> levels = {"tensor", "tile", "block",
                                            "execution"};
  std::vector<std::vector<double>> folded(levels.size());
  int64_t scopes = 0, honoured = 0, done = 0, nodes = 0, allNodes = 0;
  while (stages.size() < rounds && size_t(done) < 20 * rounds) {
    model::TileSizes pin = smaller(tiles, random);
    request.pins = {{subject.key, "*", "tile", pin, "", {}}};

    int64_t before = session.statistics().scopesCompiled;
    bench::Timer timer;
    auto compilation = session.compile(request);
    double compiled = timer.milliseconds();
    if (!compilation->memoryMap())
      return 1;
    double mapped = timer.milliseconds();
    auto drawAll = [&](const model::GraphPart &part, int64_t &count,
                       std::vector<double> &drawn) {
      count = 0;
      for (const char *stage : levels) {
        bench::Timer timer;
        if (auto graph = compilation->graph(stage, nullptr, part))
          count += int64_t(graph->nodes.size());
        drawn.push_back(timer.milliseconds());
      }
      return std::accumulate(drawn.begin(), drawn.end(), 0.0);
    };
    std::vector<double> parts, wholes;
    double partly = drawAll(part, nodes, parts),
           fully = drawAll({}, allNodes, wholes);
    ++done;
    // A pin that is the default, or was refused, shows no effect.
    bool inForce = false;
    for (const model::Decision &decision : compilation->decisions())
      inForce |= decision.key == subject.key && decision.kind == "tile" &&
                 decision.origin == model::DecisionOrigin::Pinned;
    if (!inForce || session.statistics().scopesCompiled == before)
      continue;
    ++honoured;
    scopes += session.statistics().scopesCompiled - before;
    stages.push_back(compiled);
    maps.push_back(mapped - compiled);
    for (size_t i = 0; i < levels.size(); ++i)
      folded[i].push_back(parts[i]);
    shown.push_back(mapped + partly);
    whole.push_back(mapped + fully);
  }
  if (stages.empty()) {
    std::fprintf(stderr, "%s: no pin was honoured\n", argv[2]);
    return 1;
  }
  auto print = [&](const char *what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    bench::Line line;
    line.name = std::filesystem::path(argv[2]).stem().string() + "_" + what;
    line.unit = "ms";
    line.value = times[(times.size() - 1) * 95 / 100];
    line.spread = (times.back() - times.front()) / times.front();
    line.print();
  };
  print("pin_stages_p95", stages);
  print("pin_memory_map_p95", maps);
  for (size_t i = 0; i < levels.size(); ++i)
    print(("pin_graph_" + std::string(levels[i]) + "_p95").c_str(), folded[i]);
  print("pin_stages_graphs_memory_p95", shown);
  print("pin_stages_whole_graphs_memory_p95", whole);
  auto count = [&](const char *what, const char *unit, double value) {
    bench::Line line;
    line.name = std::filesystem::path(argv[2]).stem().string() + "_" + what;
    line.unit = unit;
    line.value = value;
    line.print();
  };
  count("pin_nodes", "nodes", double(nodes));
  count("pin_whole_nodes", "nodes", double(allNodes));
  count("pin_scopes", "scopes run for one pin",
        double(scopes) / double(honoured));
  std::fprintf(stderr, "%s of %s: %lld of %lld pins honoured\n",
               subject.key.c_str(), argv[2], (long long)honoured,
               (long long)done);
  return 0;
}
