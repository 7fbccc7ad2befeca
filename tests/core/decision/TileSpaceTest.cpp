//===- TileSpaceTest.cpp - maps of tile sizes -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TileSpace.h"
#include "../estimate/Problems.h"
#include "core/decision/DefaultTiles.h"
#include "core/decision/Legality.h"
#include "core/estimate/Estimate.h"
#include <algorithm>

using namespace tilewright;
using namespace tilewright::testing;
using decision::mapTiles;

static decision::TiledScope scopeOf(decision::TileProblem problem,
                                    const target::Target &target) {
  decision::TiledScope scope;
  scope.key = problem.key;
  scope.sizes = decision::defaultTiles(problem, target).sizes;
  scope.defaults = scope.sizes;
  scope.problem =
      std::make_shared<const decision::TileProblem>(std::move(problem));
  return scope;
}

static void checkMap(const model::WhatIf &map,
                     const decision::TiledScope &scope,
                     const target::Target &target) {
  REQUIRE(map.points.size() ==
          map.xs.size() * std::max<size_t>(1, map.ys.size()));
  CHECK(std::is_sorted(map.xs.begin(), map.xs.end()));
  CHECK(std::is_sorted(map.ys.begin(), map.ys.end()));
  REQUIRE(map.current >= 0);
  REQUIRE(map.best >= 0);
  const model::TilePoint &best = map.points[size_t(map.best)];
  for (size_t i = 0; i < map.points.size(); ++i) {
    const model::TilePoint &point = map.points[i];
    CAPTURE(i, point.x, point.y, model::tileText(point.sizes), point.why);
    CHECK(point.x == map.xs[i % map.xs.size()]);
    model::Diagnostic why;
    CHECK(decision::isLegal(*scope.problem, point.sizes, target, why) ==
          point.legal);
    if (!point.legal) {
      CHECK(!point.why.empty());
      CHECK(point.code.substr(0, 4) == "TW02");
      continue;
    }
    CHECK(point.seconds > 0);
    CHECK(point.seconds >= best.seconds);
    CHECK(!point.bound.empty());
    // The time is that of these very sizes.
    CHECK(estimate::estimateSeconds(*scope.problem, {point.sizes}, target) ==
          point.seconds);
  }
}

TEST_CASE("the tile space of a large matmul on ascend-a3") {
  const target::Target &a3 = *shipped("ascend-a3");
  decision::TiledScope scope =
      scopeOf(matmul(6144, 6144, 6144, "f16", 2, 4), a3);
  model::WhatIf map = mapTiles(scope, a3, 400);
  checkMap(map, scope, a3);
  CHECK(map.points.size() > 200);
  CHECK(map.points.size() <= 400);
  CHECK(map.xDim == "n");
  CHECK(map.yDim == "m");
  // 512 x 512 of f32 is 1 MiB, the accumulators have 128 KiB.
  bool found = false;
  for (const model::TilePoint &point : map.points)
    if (point.x == 512 && point.y == 512) {
      found = true;
      CHECK_FALSE(point.legal);
      CHECK(point.code == "TW0201");
      CHECK(point.why.find("L0C needs 1 MiB of 128 KiB") != std::string::npos);
    }
  CHECK(found);
  const model::TilePoint &best = map.points[size_t(map.best)];
  // The class that the published kernels use.
  CHECK(best.x * best.y >= 128 * 192);
  CHECK(best.sizes.at("L0").at("k") % 16 == 0);
  std::printf("best of 6144 cubed: %s, %.0f us; %lld settings in %.1f ms\n",
              model::tileText(best.sizes).c_str(), best.seconds * 1e6,
              static_cast<long long>(map.weighed), map.milliseconds);
}

TEST_CASE("a few rows want a tile of few rows") {
  const target::Target &a3 = *shipped("ascend-a3");
  decision::TiledScope scope = scopeOf(matmul(8, 2048, 7168, "f16", 2, 4), a3);
  model::WhatIf map = mapTiles(scope, a3);
  checkMap(map, scope, a3);
  CHECK(map.points[size_t(map.best)].y <= 16);
}

TEST_CASE("maps of every kind of problem on every target") {
  for (const char *name : {"ascend-a3", "ascend-a5", "cpu-generic"}) {
    const target::Target &target = *shipped(name);
    CAPTURE(name);
    for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                           {17, 33, 65},
                           {1000, 10, 3},
                           {96, 3072, 1536},
                           {-1, 512, 256}}) {
      CAPTURE(m, n, k);
      decision::TiledScope scope =
          scopeOf(matmul(m, n, k, "f32", 4, 4), target);
      checkMap(mapTiles(scope, target), scope, target);
    }
    decision::TiledScope rows = scopeOf(exponential(1000, 3000), target);
    checkMap(mapTiles(rows, target), rows, target);
    // One dimension only.
    decision::TiledScope line = scopeOf(exponential(1, 3000), target);
    model::WhatIf map = mapTiles(line, target);
    checkMap(map, line, target);
    CHECK(map.ys.empty());
  }
}

TEST_CASE("no more points than asked for, but what is in force stays") {
  const target::Target &a3 = *shipped("ascend-a3");
  decision::TiledScope scope =
      scopeOf(matmul(6144, 6144, 6144, "f16", 2, 4), a3);
  for (int64_t most : {20, 50, 100, 1000}) {
    model::WhatIf map = mapTiles(scope, a3, most);
    CHECK(int64_t(map.points.size()) <= most);
    CHECK(map.current >= 0);
  }
}
