//===- DefaultChoicesTest.cpp - defaults against what else there is -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/CompilationImpl.h"
#include "core/pipeline/DecisionAnswers.h"
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace tilewright;
namespace fs = std::filesystem;

namespace {

std::shared_ptr<const Compilation> compile(Session &session, std::string text,
                                           const char *target,
                                           std::vector<model::Pin> pins = {}) {
  CompileRequest request;
  request.uri = "file:///default.mlir";
  request.text = std::move(text);
  request.target = target;
  request.pins = std::move(pins);
  auto compilation = session.compile(request);
  REQUIRE(compilation);
  return compilation;
}

Session &session() {
  static std::vector<model::Diagnostic> problems;
  static Session shared(target::TargetRegistry::standard(problems));
  return shared;
}

std::string matmulText(int64_t m, int64_t n, int64_t k) {
  auto type = [](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "xf16>";
  };
  return "func.func @f(%a: " + type(m, k) + ", %b: " + type(k, n) + ") -> " +
         type(m, n) + " {\n  %c = tw.matmul %a, %b : (" + type(m, k) + ", " +
         type(k, n) + ") -> " + type(m, n) + "\n  return %c : " + type(m, n) +
         "\n}\n";
}

const model::Decision &decided(const Compilation &compilation,
                               const std::string &kind) {
  for (const model::Decision &each : compilation.decisions())
    if (each.key == "f/c" && each.kind == kind)
      return each;
  FAIL("no decision " << kind);
  return compilation.decisions().front();
}

} // namespace

TEST_CASE("what-if finds nothing that is much faster than the default") {
  for (const char *target : {"ascend-a3", "cpu-generic"})
    for (const auto &entry :
         fs::directory_iterator(TILEWRIGHT_SOURCE_DIR "/resources/examples")) {
      if (entry.path().extension() != ".mlir")
        continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::string text((std::istreambuf_iterator<char>(file)), {});
      auto compilation = compile(session(), text, target);
      for (const decision::TiledScope &scope : compilation->impl().scopes) {
        std::optional<model::WhatIf> map = whatIf(*compilation, scope.key, 400);
        REQUIRE(map);
        if (map->best < 0)
          continue;
        const model::TilePoint &best = map->points[size_t(map->best)];
        CAPTURE(target, entry.path().filename().string(), scope.key,
                model::tileText(scope.sizes), map->currentSeconds,
                model::tileText(best.sizes), best.seconds, scope.budget);
        CHECK(best.seconds >= map->currentSeconds / 1.03);
        // One time for one thing.
        std::optional<model::EstimateList> estimate =
            estimateOf(*compilation, scope.key);
        REQUIRE(estimate);
        CHECK(estimate->kernels.front().seconds ==
              Approx(map->currentSeconds).epsilon(1e-12));
      }
    }
}

TEST_CASE("a large product takes large tiles in an order that blocks for L2") {
  auto compilation =
      compile(session(), matmulText(6144, 6144, 6144), "ascend-a3");
  const model::Decision &tile = decided(*compilation, "tile");
  auto sizes = tile.value.get<model::TileSizes>();
  CAPTURE(model::tileText(sizes));
  int64_t m = sizes["L0"]["m"], n = sizes["L0"]["n"];
  CHECK(std::min(m, n) == 128);
  CHECK(std::max(m, n) == 256);
  CHECK(sizes["L0"]["k"] % 64 == 0);
  CHECK(sizes["L1"]["k"] % 64 == 0);
  CHECK(tile.reason.find("keep 24 cores 100% busy") != std::string::npos);
  const model::Decision &order = decided(*compilation, "order");
  CHECK(order.value.get<std::string>().starts_with("blocked="));
  CHECK(order.reason.find("come from behind L2 instead of") !=
        std::string::npos);
  CHECK(order.weighed.size() >= 2);
  // The plain order of one block a task costs what was published: a third more.
  auto plain = compile(session(), matmulText(6144, 6144, 6144), "ascend-a3",
                       {{"f/c", "*", "order", "rows", "", {}},
                        {"f/c", "*", "merge", 1, "", {}}});
  double byDefault = estimateOf(*compilation, "f/c")->seconds;
  CHECK(estimateOf(*plain, "f/c")->seconds > 1.25 * byDefault);
}

TEST_CASE("few rows fill the unit's rows, few columns fill the cores") {
  auto few = compile(session(), matmulText(8, 1536, 7168), "ascend-a3");
  auto sizes = decided(*few, "tile").value.get<model::TileSizes>();
  CHECK(sizes["L0"]["m"] == 16);
  CHECK(sizes["L0"]["k"] >= 128);
  CHECK(sizes["L0"]["n"] <= 64);
  CHECK(decided(*few, "tile").reason.find("24 tasks keep 24 cores") !=
        std::string::npos);
  auto skinny = compile(session(), matmulText(96, 3072, 1536), "ascend-a3");
  const model::Decision &tile = decided(*skinny, "tile");
  sizes = tile.value.get<model::TileSizes>();
  CHECK(sizes["L1"]["m"] == 96);
  CHECK(sizes["L1"]["n"] == 128);
  CHECK(tile.reason.find("24 tasks keep 24 cores 100% busy") !=
        std::string::npos);
  // All of the left operand stays in L1, while the right one passes.
  CHECK(sizes["L1"]["k#0"] == 1536);
  CHECK(sizes["L1"]["k"] < 1536);
  CHECK(tile.reason.find("the left operand stays in L1, all of its k=1536") !=
        std::string::npos);
  // No core loads an element of the left operand twice.
  std::optional<model::EstimateList> estimate = estimateOf(*skinny, "f/c");
  double loaded = 0;
  for (const model::LevelTraffic &traffic : estimate->kernels[0].traffic)
    if (traffic.from == "GM" && traffic.to == "L1")
      loaded = traffic.bytes;
  CHECK(loaded == 2.0 * 1536 * (24 * 96 + 3072));
}

TEST_CASE("order is obeyed or refused with why") {
  auto pinned = [&](nlohmann::json value, const char *target = "ascend-a3") {
    return compile(
        session(), matmulText(2048, 2048, 512), target,
        {{"f/c", "*", "order", value, "", {}},
         {"f/c", "*", "merge", 1, "", {}},
         {"f/c", "*", "tile", {{"L1", {{"m", 128}, {"n", 256}}}}, "", {}}});
  };
  for (auto [value, strip] : {std::pair("rows", "1"),
                              {"columns", "16"},
                              {"blocked=4", "4"},
                              {"blocked=5", "5"}}) {
    CAPTURE(value);
    auto compilation = pinned(value);
    const model::Decision &order = decided(*compilation, "order");
    CHECK(order.origin == model::DecisionOrigin::Pinned);
    CHECK(order.value == value);
    for (const model::Diagnostic &each : compilation->stages().diagnostics)
      UNSCOPED_INFO(each.message);
    CHECK(compilation->stages().diagnostics.empty());
    std::string block = compilation->print("block/insert-sync")->text;
    CHECK((block.find("block.order = " + std::string(strip)) !=
           std::string::npos) == (std::string(value) != "rows"));
  }
  for (auto [value, code] :
       {std::pair<nlohmann::json, const char *>("zigzag", "TW0231"),
        {4, "TW0231"},
        {"blocked=0", "TW0231"},
        {"blocked=17", "TW0232"}}) {
    CAPTURE(value.dump());
    auto compilation = pinned(value);
    REQUIRE(compilation->stages().diagnostics.size() == 1);
    CHECK(compilation->stages().diagnostics[0].code == code);
    CHECK(!compilation->stages().diagnostics[0].hint.empty());
    CHECK(decided(*compilation, "order").origin ==
          model::DecisionOrigin::Default);
  }
}
