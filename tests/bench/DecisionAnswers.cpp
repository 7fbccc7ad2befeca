//===- DecisionAnswers.cpp - how soon a question is answered --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a compiled source: whether other tiles of one operation would be legal and
// what they are estimated to cost, a different size each time; and the map of
// all its tiles, with its JSON and its picture. Prints the 95th percentile of
// each over all operations with a tile decision, the slowest of them.
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/DecisionAnswers.h"
#include "core/decision/Legality.h"
#include "core/pipeline/CompilationImpl.h"
#include "core/target/TargetRegistry.h"
#include "tests/bench/BenchLine.h"
#include "viz/HeatMap.h"
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

using namespace tilewright;

static double p95(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[(times.size() - 1) * 95 / 100];
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: decision_answers TARGET FILE [ROUNDS]\n");
    return 2;
  }
  size_t rounds = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 200;
  std::vector<model::Diagnostic> problems;
  CompileRequest request;
  request.uri = "file://" + std::filesystem::absolute(argv[2]).string();
  request.target = argv[1];
  std::ifstream file(argv[2], std::ios::binary);
  request.text.assign(std::istreambuf_iterator<char>(file), {});
  Session session(target::TargetRegistry::standard(problems));
  auto compilation = session.compile(request);
  if (!compilation->complete()) {
    for (const model::Diagnostic &diagnostic :
         compilation->stages().diagnostics)
      std::fprintf(stderr, "%s\n", diagnostic.message.c_str());
    return 1;
  }
  const Compilation::Impl &impl = compilation->impl();

  // Equal kernels are asked about once.
  std::set<const decision::TileProblem *> seen;
  std::vector<double> slowestAnswers, slowestMaps, answers, maps;
  int64_t legal = 0, asked = 0, mostPoints = 0;
  std::mt19937 random(1);
  for (const decision::TiledScope &scope : impl.scopes) {
    if (!seen.insert(scope.problem.get()).second)
      continue;
    answers.clear();
    for (size_t round = 0; round < rounds; ++round) {
      model::TileSizes sizes = scope.sizes;
      for (auto &[level, dims] : sizes)
        for (auto &[dim, size] : dims)
          size *= 1 + int64_t(random() % 3);
      bench::Timer timer;
      model::Diagnostic why;
      bool fits = decision::isLegal(*scope.problem, sizes, *impl.target, why);
      auto estimate = estimateOf(*compilation, scope.key);
      answers.push_back(timer.milliseconds());
      legal += fits;
      ++asked;
      if (!estimate || estimate->kernels.empty())
        return 1;
    }
    if (slowestAnswers.empty() || p95(answers) > p95(slowestAnswers))
      slowestAnswers = answers;
    maps.clear();
    int64_t points = 0;
    for (size_t round = 0; round < std::min<size_t>(rounds, 50); ++round) {
      bench::Timer timer;
      auto map = whatIf(*compilation, scope.key);
      if (!map)
        return 1;
      // As it is shown: the picture, and the text of the answer.
      std::string answer = nlohmann::json(*map).dump();
      std::string picture = viz::heatMapSvg(*map);
      maps.push_back(timer.milliseconds());
      if (answer.empty() || picture.empty())
        return 1;
      points = int64_t(map->points.size());
    }
    mostPoints = std::max(mostPoints, points);
    // The limit is on maps of at least so many points.
    if (points >= 400 && (slowestMaps.empty() || p95(maps) > p95(slowestMaps)))
      slowestMaps = maps;
  }
  auto print = [&](const char *what, const std::vector<double> &times) {
    bench::Line line;
    line.name = std::filesystem::path(argv[2]).stem().string() + "_" + what;
    line.unit = "ms";
    line.value = p95(times);
    auto [best, worst] = std::minmax_element(times.begin(), times.end());
    line.spread = (*worst - *best) / *best;
    line.print();
  };
  if (slowestAnswers.empty())
    return 1;
  print("legality_and_estimate_p95", slowestAnswers);
  if (!slowestMaps.empty())
    print("what_if_p95", slowestMaps);
  std::fprintf(
      stderr, "%zu kernels, %lld of %lld sizes legal, at most %lld points\n",
      seen.size(), (long long)legal, (long long)asked, (long long)mostPoints);
  return 0;
}
