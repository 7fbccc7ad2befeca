//===- CompileTime.cpp - how long the examples take to compile ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints for each source file, cold (nothing cached in the session) and after
// one edited comment (every scope re-used), the least time of some compilations
// through all stages, and what keeping the results of scope passes costs in
// terms of those passes.
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace tilewright;
using Clock = std::chrono::steady_clock;

static double milliseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin)
      .count();
}

static void report(const std::string &name, double best, double worst,
                   const char *unit = "ms") {
  std::printf("{\"name\": \"%s\", \"value\": %.3f, \"unit\": \"%s\", "
              "\"peer\": null, \"peer_value\": null, \"ratio\": null, "
              "\"spread\": %.3f, \"origin\": \"measured\"}\n",
              name.c_str(), best, unit, (worst - best) / best);
  std::fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: compile_time TARGET FILE...\n");
    return 2;
  }
  std::vector<model::Diagnostic> problems;
  std::shared_ptr<target::TargetRegistry> targets =
      target::TargetRegistry::standard(problems);
  constexpr int rounds = 7;
  bool failed = false;
  for (int i = 2; i < argc; ++i) {
    CompileRequest request;
    request.uri = "file://" + std::filesystem::absolute(argv[i]).string();
    request.target = argv[1];
    std::ifstream file(argv[i], std::ios::binary);
    request.text.assign(std::istreambuf_iterator<char>(file), {});
    std::vector<double> cold, warm, captured;
    for (int round = 0; round < rounds; ++round) {
      Session session(targets);
      // The context's own start is no part of a warm engine's compilation.
      CompileRequest nothing = request;
      nothing.text = "func.func @f() {\n  return\n}\n";
      session.compile(nothing);
      Clock::time_point begin = Clock::now();
      auto compilation = session.compile(request);
      cold.push_back(milliseconds(begin));
      SessionStatistics statistics = session.statistics();
      if (statistics.passMilliseconds > 0)
        captured.push_back(statistics.captureMilliseconds /
                           statistics.passMilliseconds);
      if (!compilation->complete()) {
        for (const model::Diagnostic &diagnostic :
             compilation->stages().diagnostics)
          std::fprintf(stderr, "%s: %s\n", argv[i], diagnostic.message.c_str());
        failed = true;
        break;
      }
      CompileRequest edited = request;
      edited.text = "// edited\n" + edited.text;
      begin = Clock::now();
      session.compile(edited);
      warm.push_back(milliseconds(begin));
    }
    std::string name = std::filesystem::path(argv[i]).stem().string();
    if (warm.size() == rounds) {
      report(name + "_cold", *std::min_element(cold.begin(), cold.end()),
             *std::max_element(cold.begin(), cold.end()));
      report(name + "_scopes_reused",
             *std::min_element(warm.begin(), warm.end()),
             *std::max_element(warm.begin(), warm.end()));
      if (!captured.empty())
        report(name + "_capture_of_passes",
               *std::min_element(captured.begin(), captured.end()),
               *std::max_element(captured.begin(), captured.end()), "share");
    }
  }
  return failed;
}
