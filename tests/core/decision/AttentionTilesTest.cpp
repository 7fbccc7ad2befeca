//===- AttentionTilesTest.cpp ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/AttentionTiles.h"
#include "core/decision/DefaultTiles.h"
#include "core/decision/Legality.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::decision;

static std::shared_ptr<const target::Target> genericCpu() {
  std::vector<model::Diagnostic> problems;
  static auto registry = target::TargetRegistry::standard(problems);
  model::Diagnostic error;
  auto found = registry->find("cpu-generic", error);
  REQUIRE(found);
  return found;
}

static TileProblem attention(int64_t heads, int64_t queries, int64_t keys,
                             int64_t depth) {
  TileProblem problem;
  problem.key = "f/o";
  problem.attention = true;
  problem.dims = {{"b0", heads, true},
                  {"m", queries, true},
                  {"n", keys, false, true},
                  {"d", depth, false},
                  {"v", depth, false}};
  enum { M = 1, N, D, V };
  for (auto [name, a, b] : {std::tuple{"q", M, D},
                            {"k", N, D},
                            {"v", N, V},
                            {"scores", M, N},
                            {"result", M, V}}) {
    TileProblem::Buffer buffer;
    buffer.name = name;
    buffer.along.assign(problem.dims.size(), false);
    buffer.along[a] = buffer.along[b] = true;
    problem.buffers.push_back(buffer);
  }
  return problem;
}

TEST_CASE("tiles of an attention are legal for any extent and fit") {
  auto cpu = genericCpu();
  for (int64_t heads : {1, 8, -1})
    for (int64_t queries : {1, 7, 127, 129, 1000, 8192, -1})
      for (int64_t keys : {1, 7, 1000, 8192, -1})
        for (int64_t depth : {16, 64, 128, 256}) {
          TileProblem problem = attention(heads, queries, keys, depth);
          TileChoice choice = defaultTiles(problem, *cpu);
          model::Diagnostic why;
          bool legal = isLegal(problem, choice.sizes, *cpu, why);
          INFO(nlohmann::json(choice.sizes).dump() << " " << why.message);
          CHECK(legal);
          CHECK_FALSE(choice.reason.empty());
        }
}

TEST_CASE("a tighter budget makes the tiles of an attention smaller") {
  auto cpu = genericCpu();
  TileProblem problem = attention(8, 1024, 1024, 64);
  auto bytes = [&](const TileChoice &choice) {
    int64_t total = 0;
    for (const BufferUse &use : bufferUses(problem, choice.sizes, *cpu))
      total += use.bytes;
    return total;
  };
  TileChoice whole = defaultTiles(problem, *cpu);
  TileChoice half = defaultTiles(problem, *cpu, 0.5);
  CHECK(bytes(whole) <= cpu->usableBytes("cache2"));
  CHECK(bytes(half) <= cpu->usableBytes("cache2") / 2);
  CHECK(bytes(half) < bytes(whole));
  // Enough tasks for every core, and the figures are told.
  CHECK(taskCount(problem, whole.sizes, *cpu) >= cpu->coreCount("any"));
  CHECK(whole.reason.find("KiB of 512 KiB") != std::string::npos);
}

TEST_CASE("keys of an attention may be cut, its depth may not") {
  auto cpu = genericCpu();
  TileProblem problem = attention(8, 1024, 1024, 64);
  model::Diagnostic why;
  CHECK(isLegal(problem, {{"cache2", {{"m", 96}, {"n", 128}}}}, *cpu, why));
  CHECK_FALSE(isLegal(problem, {{"cache2", {{"d", 32}}}}, *cpu, why));
  CHECK(why.code == "TW0204");
  CHECK_FALSE(isLegal(problem, {{"cache2", {{"b0", 2}}}}, *cpu, why));
  CHECK(why.code == "TW0204");
  CHECK_FALSE(
      isLegal(problem, {{"cache2", {{"m", 1024}, {"n", 1024}}}}, *cpu, why));
  CHECK(why.code == "TW0201");
  CHECK(why.message.find("scores 4 MiB") != std::string::npos);
}

TEST_CASE("no key that a query of a tile sees is skipped") {
  auto sees = [](const KeyBand &band, int64_t row, int64_t key) {
    return key >= band.from && key < band.to && key >= row + band.rowFrom &&
           key < row + band.rowTo;
  };
  KeyBand causal, atEnd, window, prefix, never = KeyBand::none();
  causal.rowTo = 1;
  atEnd.rowTo = 12;  // 20 queries at the end of 31 keys
  window.rowTo = -3; // the first queries see none
  window.rowFrom = -9;
  prefix.from = 5;
  prefix.to = 17;
  for (const KeyBand &band : {KeyBand(), causal, atEnd, window, prefix, never})
    for (int64_t keys : {1, 16, 31})
      for (int64_t rowTile : {1, 3, 8, 20})
        for (int64_t keyTile : {1, 4, 7, 16}) {
          int64_t taken = 0, needed = 0, steps = (keys + keyTile - 1) / keyTile;
          for (int64_t row = 0; row < 20; row += rowTile) {
            KeySteps some = keySteps(band, row, rowTile, keys, keyTile);
            for (int64_t step = 0; step < steps; ++step) {
              bool any = false;
              for (int64_t r = row; r < row + rowTile; ++r)
                for (int64_t c = step * keyTile;
                     c < std::min(keys, (step + 1) * keyTile); ++c)
                  any |= sees(band, r, c);
              bool whole = (step + 1) * keyTile <= keys;
              bool takes = whole ? step * keyTile >= some.begin &&
                                       step * keyTile < some.end
                                 : some.rest;
              REQUIRE((takes || !any));
              // Only what lies between is taken without need: the rest, and
              // nothing of a band without a lower end.
              if (whole && band.rowFrom == -KeyBand::far)
                REQUIRE(takes == any);
              taken += takes;
              needed += any;
            }
          }
          REQUIRE(taken >= needed);
          REQUIRE(countSteps(band, 20, rowTile, keys, keyTile).total == taken);
        }
}

TEST_CASE("tiles of a causal attention skip what the mask hides and say so") {
  auto cpu = genericCpu();
  TileProblem problem = attention(8, 1024, 1024, 64);
  TileChoice all = defaultTiles(problem, *cpu);
  CHECK_FALSE(skippedSteps(problem, all.sizes, *cpu));
  CHECK(all.reason.find("skips") == std::string::npos);
  problem.visibleKeys.emplace().rowTo = 1;
  TileChoice causal = defaultTiles(problem, *cpu);
  std::optional<double> skipped = skippedSteps(problem, causal.sizes, *cpu);
  REQUIRE(skipped);
  CHECK(*skipped > 0.3);
  CHECK(*skipped < 0.5);
  CHECK(causal.reason.find("skips") != std::string::npos);
  CHECK(skippedSteps(problem, {{"cache2", {{"m", 256}, {"n", 256}}}}, *cpu) ==
        0.375); // 6 of 16
  CHECK(skippedSteps(problem, {{"cache2", {{"m", 1024}, {"n", 256}}}}, *cpu) ==
        0.0);
}
