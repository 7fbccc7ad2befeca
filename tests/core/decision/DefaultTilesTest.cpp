//===- DefaultTilesTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/DefaultTiles.h"
#include "core/decision/Legality.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::decision;

static std::shared_ptr<const target::Target> targetNamed(const char *name) {
  std::vector<model::Diagnostic> problems;
  static auto registry = target::TargetRegistry::standard(problems);
  model::Diagnostic error;
  auto found = registry->find(name, error);
  REQUIRE(found);
  return found;
}

TEST_CASE("defaults are legal for any extent") {
  for (const char *name : {"cpu-generic", "ascend-a3"}) {
    auto target = targetNamed(name);
    for (int64_t m : {1, 7, 96, 127, 128, 129, 1000, 6144, -1})
      for (int64_t n : {1, 7, 129, 1408, 6144})
        for (int64_t k : {1, 7, 64, 1000, 6144, -1})
          for (int64_t bytes : {2, 4}) {
            TileProblem problem;
            problem.key = "f/c";
            problem.matmul = true;
            problem.dims = {{"b0", 3, true},
                            {"m", m, true},
                            {"n", n, true},
                            {"k", k, false}};
            problem.lhsBytes = problem.rhsBytes = bytes;
            problem.dtype = bytes == 2 ? "f16" : "f32";
            TileChoice choice = defaultTiles(problem, *target);
            model::Diagnostic why;
            INFO(name << " " << m << " " << n << " " << k << " "
                      << nlohmann::json(choice.sizes).dump());
            CHECK(isLegal(problem, choice.sizes, *target, why));
            INFO(why.message);
            CHECK_FALSE(choice.reason.empty());
          }
  }
}

static TileChoice squareMatmul(const target::Target &target, int64_t m,
                               int64_t n, int64_t k, TileProblem &problem) {
  problem.key = "f/c";
  problem.matmul = true;
  problem.dims = {{"m", m, true}, {"n", n, true}, {"k", k, false}};
  return defaultTiles(problem, target);
}

TEST_CASE("a matmul gives every core work, with the figures") {
  auto cpu = targetNamed("cpu-generic");
  TileProblem problem;
  TileChoice choice = squareMatmul(*cpu, 128, 1408, 4096, problem);
  int64_t tasks = taskCount(problem, choice.sizes, *cpu);
  CHECK(tasks >= cpu->coreCount("any"));
  CHECK(tasks % cpu->coreCount("any") == 0);
  CHECK(choice.reason.find(std::to_string(tasks) + " tasks keep 4 cores") !=
        std::string::npos);
  CHECK(choice.reason.find("of 512 KiB") != std::string::npos);
  CHECK(choice.weighed.size() == 2);
  // One row of blocks: the 128 rows are not torn apart for their own sake.
  CHECK(choice.sizes["cache2"]["m"] >= 128);
  CHECK(choice.sizes["cache2"]["m"] % 6 == 0);
  CHECK(choice.sizes["cache2"]["n"] % 16 == 0);
}

TEST_CASE("ascend leaves room to double-buffer both operands") {
  auto ascend = targetNamed("ascend-a3");
  TileProblem problem;
  problem.lhsBytes = problem.rhsBytes = 2;
  problem.dtype = "f16";
  TileChoice choice = squareMatmul(*ascend, 6144, 6144, 6144, problem);
  for (const BufferUse &use : bufferUses(problem, choice.sizes, *ascend))
    if (use.level == "L0A" || use.level == "L0B")
      CHECK(use.bytes * 2 <= ascend->usableBytes(use.level));
}

TEST_CASE("a smaller budget makes smaller tiles") {
  auto ascend = targetNamed("ascend-a3");
  TileProblem rows;
  rows.key = "f/sum";
  rows.dims = {{"d0", 4096, true}, {"d1", 1024, false}};
  rows.buffers = {{"x", 4, {true, true}}, {"y", 4, {true, true}}};
  TileChoice whole = defaultTiles(rows, *ascend, 1.0);
  TileChoice half = defaultTiles(rows, *ascend, 0.25);
  CHECK(half.sizes["UB"]["d0"] < whole.sizes["UB"]["d0"]);
  CHECK(whole.sizes["UB"].count("d1") == 0);
}

TEST_CASE("what depends on everything is one task and says so") {
  auto cpu = targetNamed("cpu-generic");
  TileProblem all;
  all.key = "f/sum";
  all.dims = {{"d0", 64, false}, {"d1", 64, false}};
  all.buffers = {{"x", 4, {true, true}}};
  TileChoice choice = defaultTiles(all, *cpu);
  CHECK(taskCount(all, choice.sizes, *cpu) == 1);
  CHECK(choice.reason.find("one task") != std::string::npos);
}
