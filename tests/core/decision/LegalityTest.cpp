//===- LegalityTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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
  CHECK(why.hint == "n=256 would fit");
  CHECK(isLegal(matmul(1024, 1024, 1024, 2),
                {{"L0", {{"m", 128}, {"n", 256}, {"k", 64}}}}, *ascend, why));
}

TEST_CASE("sizes must be multiples of the block the unit computes") {
  model::Diagnostic why;
  CHECK_FALSE(isLegal(matmul(1024, 1024, 1024, 2), {{"L0", {{"m", 100}}}},
                      *targetNamed("ascend-a3"), why));
  CHECK(why.code == "TW0202");
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
