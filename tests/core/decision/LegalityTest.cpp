//===- LegalityTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/Legality.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>
#include <random>
#include <sstream>

using namespace tilewright;
using namespace tilewright::decision;

static std::shared_ptr<const target::Target> targetNamed(const char *name) {
  std::vector<model::Diagnostic> problems;
  static auto registry = target::TargetRegistry::standard(problems);
  model::Diagnostic error;
  auto found = registry->find(name, error);
  INFO(error.message);
  REQUIRE(found);
  return found;
}

static TileProblem matmul(int64_t m, int64_t n, int64_t k, int64_t bytes) {
  TileProblem problem;
  problem.key = "f/qk";
  problem.matmul = true;
  problem.dims = {{"m", m, true}, {"n", n, true}, {"k", k, false}};
  problem.lhsBytes = problem.rhsBytes = bytes;
  problem.dtype = bytes == 2 ? "f16" : "f32";
  return problem;
}

TEST_CASE("a buffer that does not fit is refused with the figures and advice") {
  auto ascend = targetNamed("ascend-a3");
  model::Diagnostic why;
  CHECK_FALSE(isLegal(matmul(1024, 1024, 1024, 2),
                      {{"L0", {{"m", 128}, {"n", 512}, {"k", 64}}}}, *ascend,
                      why));
  CHECK(why.code == "TW0201");
  CHECK(why.key == "f/qk");
  CHECK(why.message ==
        "L0C needs 256 KiB of 128 KiB usable: accumulator 256 KiB");
  CHECK(why.hint == "L0.n=256 would do");
  CHECK(isLegal(matmul(1024, 1024, 1024, 2),
                {{"L0", {{"m", 128}, {"n", 256}, {"k", 64}}}}, *ascend, why));
}

TEST_CASE("sizes must be multiples of the block the unit computes") {
  model::Diagnostic why;
  CHECK_FALSE(isLegal(matmul(1024, 1024, 1024, 2),
                      {{"L0", {{"m", 100}, {"n", 64}, {"k", 64}}}},
                      *targetNamed("ascend-a3"), why));
  CHECK(why.code == "TW0202");
  CHECK(why.hint == "L0.m=96 would do");
  CHECK_FALSE(isLegal(matmul(1024, 1024, 1024, 2),
                      {{"L0", {{"m", 108}, {"n", 64}, {"k", 64}}}},
                      *targetNamed("ascend-a3"), why));
  CHECK(why.hint == "L0.m=112 would do");
  // Unless one tile is all there is.
  CHECK(isLegal(matmul(100, 16, 64, 2), {{"L0", {{"m", 100}}}},
                *targetNamed("ascend-a3"), why));
}

TEST_CASE("levels and dimensions that do not exist") {
  model::Diagnostic why;
  auto cpu = targetNamed("cpu-generic");
  CHECK_FALSE(isLegal(matmul(64, 64, 64, 4), {{"L0", {{"m", 16}}}}, *cpu, why));
  CHECK(why.code == "TW0205");
  CHECK(why.severity == model::Severity::Information);
  CHECK_FALSE(
      isLegal(matmul(64, 64, 64, 4), {{"cache2", {{"q", 16}}}}, *cpu, why));
  CHECK(why.code == "TW0204");
  TileProblem rows;
  rows.key = "f/sum";
  rows.dims = {{"d0", 64, true}, {"d1", 128, false}};
  rows.buffers = {{"operand0", 4, {true, true}}};
  CHECK_FALSE(isLegal(rows, {{"cache2", {{"d1", 32}}}}, *cpu, why));
  CHECK(why.code == "TW0204");
  CHECK(isLegal(rows, {{"cache2", {{"d0", 32}, {"d1", 128}}}}, *cpu, why));
}

TEST_CASE("advice names the most that fits, not a half of what does not") {
  auto ascend = targetNamed("ascend-a3");
  model::Diagnostic why;
  // 64 KiB of L0B hold 128 x 256 of f16.
  for (int64_t n : {272, 320, 384, 500, 512, 3072}) {
    CAPTURE(n);
    CHECK_FALSE(isLegal(matmul(96, 3072, 1536, 2),
                        {{"L0", {{"m", 96}, {"n", n}, {"k", 128}}}}, *ascend,
                        why));
    CHECK(why.hint == "L0.n=256 would do");
  }
}

/// `pinned` with the changes of "L0.n=256, L0.m=64 would do" made.
static model::TileSizes advised(model::TileSizes pinned, std::string hint) {
  const std::string end = " would do";
  REQUIRE(hint.size() > end.size());
  REQUIRE(hint.substr(hint.size() - end.size()) == end);
  std::istringstream words(hint.substr(0, hint.size() - end.size()));
  std::string word;
  while (words >> word) {
    size_t dot = word.find('.'), equals = word.find('=');
    REQUIRE(dot < equals);
    REQUIRE(equals < word.size());
    int64_t &size = pinned.at(word.substr(0, dot))
                        .at(word.substr(dot + 1, equals - dot - 1));
    CHECK(size != std::stoll(word.substr(equals + 1)));
    size = std::stoll(word.substr(equals + 1));
  }
  return pinned;
}

TEST_CASE("what advice proposes is accepted") {
  std::mt19937 random(11);
  auto upTo = [&](int64_t most) { return 1 + int64_t(random() % most); };
  int refused = 0, proposed = 0;
  for (const char *name : {"ascend-a3", "cpu-generic"}) {
    auto target = targetNamed(name);
    for (int round = 0; round < 3000; ++round) {
      TileProblem problem;
      if (round % 3) {
        problem =
            matmul(upTo(4096), upTo(4096), upTo(4096), 2 + 2 * (round % 2));
        if (round % 5 == 0)
          problem.dims.insert(problem.dims.begin(), {"b0", 8, true});
      } else {
        problem.key = "f/rows";
        problem.dims = {{"d0", upTo(4096), true}, {"d1", upTo(4096), true}};
        problem.buffers = {{"x", 4, {true, true}}, {"y", 4, {true, true}}};
      }
      model::TileSizes pinned;
      for (const target::TileLevel &level :
           target->placement(placementClass(problem))->tileLevels)
        for (const Dimension &dim : problem.dims)
          if (random() % 2)
            pinned[level.name][dim.name] = upTo(2048);
      if (pinned.empty())
        continue;
      model::Diagnostic why;
      if (isLegal(problem, pinned, *target, why))
        continue;
      ++refused;
      INFO(name << ": " << nlohmann::json(pinned).dump() << ": " << why.message
                << "; " << why.hint);
      if (why.hint.find('=') == std::string::npos)
        continue;
      ++proposed;
      model::Diagnostic again;
      CHECK(isLegal(problem, advised(pinned, why.hint), *target, again));
      INFO(again.message);
    }
  }
  // Advice is the rule; there is none where dimensions the pin does not name,
  // whole here, are too large by themselves.
  CHECK(refused > 1000);
  CHECK(proposed > refused * 3 / 4);
}

TEST_CASE("advice is about what the pin names, with all else as it would be") {
  auto ascend = targetNamed("ascend-a3");
  TileProblem problem = matmul(1024, 1024, 1024, 2);
  auto complete = [](const model::TileSizes &pinned) {
    model::TileSizes sizes = {{"L0", {{"m", 128}, {"n", 128}, {"k", 64}}}};
    for (const auto &[dim, size] : pinned.at("L0"))
      sizes["L0"][dim] = size;
    return sizes;
  };
  for (model::TileSizes pinned : {model::TileSizes{{"L0", {{"n", 2048}}}},
                                  model::TileSizes{{"L0", {{"m", 1000}}}},
                                  model::TileSizes{{"L0", {{"k", 1000}}}}}) {
    model::Diagnostic why;
    REQUIRE_FALSE(isLegalPin(problem, pinned, complete, *ascend, why));
    INFO(why.message << "; " << why.hint);
    model::Diagnostic again;
    CHECK(isLegalPin(problem, advised(pinned, why.hint), complete, *ascend,
                     again));
  }
}

TEST_CASE("values that are no sizes") {
  for (const char *text :
       {"3", "[]", "{\"L0\": 3}", "{\"L0\": {\"m\": 0}}",
        "{\"L0\": {\"m\": -4}}", "{\"L0\": {\"m\": 1.5}}",
        "{\"L0\": {\"m\": 1e30}}", "{\"L0\": {\"m\": \"8\"}}"}) {
    model::Diagnostic problem;
    CHECK_FALSE(readTileSizes(nlohmann::json::parse(text), problem));
    CHECK(problem.code == "TW0203");
  }
}

TEST_CASE("bytes for a person") {
  CHECK(formatBytes(96) == "96 bytes");
  CHECK(formatBytes(213 * 1024) == "213 KiB");
  CHECK(formatBytes(1536 * 1024) == "1.5 MiB");
}
