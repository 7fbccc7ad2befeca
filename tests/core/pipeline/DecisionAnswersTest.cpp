//===- DecisionAnswersTest.cpp - why, how long, what if, and pins ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/DecisionAnswers.h"
#include "core/pipeline/PinStates.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>
#include <chrono>

using namespace tilewright;

namespace {

const char *const text =
    R"(func.func @f(%x: tensor<256x2048xf16>, %w: tensor<2048x512xf16>, %a: tensor<4096x1024xf32>)
    -> (tensor<256x512xf16>, tensor<4096x1024xf32>) {
  %y = tw.matmul %x, %w : (tensor<256x2048xf16>, tensor<2048x512xf16>) -> tensor<256x512xf16>
  %e = tw.softmax %a {axis = -1 : i64} : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %y, %e : tensor<256x512xf16>, tensor<4096x1024xf32>
}
)";

struct Compiled {
  std::vector<model::Diagnostic> problems;
  Session session{target::TargetRegistry::standard(problems)};
  std::shared_ptr<const Compilation> compilation;

  explicit Compiled(const char *target, std::vector<model::Pin> pins = {}) {
    CompileRequest request;
    request.uri = "file:///answers.mlir";
    request.text = text;
    request.target = target;
    request.pins = std::move(pins);
    compilation = session.compile(request);
    REQUIRE(compilation);
    for (const model::Diagnostic &each : compilation->stages().diagnostics)
      if (each.severity == model::Severity::Error)
        FAIL_CHECK(each.message);
    REQUIRE(compilation->complete());
  }
  const Compilation &operator*() const { return *compilation; }
};

model::Pin pin(std::string key, std::string kind, nlohmann::json value,
               std::string target = "*") {
  model::Pin made;
  made.key = std::move(key);
  made.kind = std::move(kind);
  made.value = std::move(value);
  made.target = std::move(target);
  return made;
}

} // namespace

TEST_CASE("every kernel has an estimate") {
  for (const char *target : {"ascend-a3", "ascend-a5", "cpu-generic"}) {
    CAPTURE(target);
    Compiled compiled(target);
    auto list = estimateOf(*compiled, "");
    REQUIRE(list);
    REQUIRE(list->kernels.size() == 2);
    double sum = list->launchSeconds;
    for (const model::Estimate &kernel : list->kernels) {
      CAPTURE(kernel.key);
      CHECK(kernel.seconds > 0);
      CHECK(kernel.tasks > 0);
      CHECK(kernel.flop > 0);
      CHECK(!kernel.bound.empty());
      CHECK(!kernel.buffers.empty());
      sum += kernel.seconds;
    }
    CHECK(list->seconds == Approx(sum));
    const model::Estimate &matmul =
        list->kernels[0].kind == "matmul" ? list->kernels[0] : list->kernels[1];
    CHECK(matmul.flop == 2.0 * 256 * 512 * 2048);
    const model::Estimate &rows =
        list->kernels[0].kind == "matmul" ? list->kernels[1] : list->kernels[0];
    // Softmax reads and writes each element once.
    CHECK(rows.globalBytes == 2.0 * 4096 * 1024 * 4);
    auto one = estimateOf(*compiled, "f/e");
    REQUIRE(one);
    REQUIRE(one->kernels.size() == 1);
    CHECK(one->kernels[0].kind == "rows");
  }
}

TEST_CASE("a decision is explained, with what was weighed and what it costs") {
  Compiled compiled("ascend-a3");
  auto list = explain(*compiled, "f/y");
  REQUIRE(list);
  CHECK(list->root == "f/y");
  CHECK(list->estimates.size() == 1);
  INFO(list->explanation);
  for (const char *part :
       {"f/y: matmul over m=256, n=512, k=2048 on ascend-a3",
        "tile (default): L0.k=", "because m=", "weighed: ", "estimated: ",
        "bound by ", "through global memory", "L0C: ", "buffers of f/y#0"})
    CHECK(list->explanation.find(part) != std::string::npos);
  // An operation that a pass writes out is told by the kernel it ends in.
  auto softmax = explain(*compiled, "f/e");
  REQUIRE(softmax);
  INFO(softmax->explanation);
  CHECK(softmax->explanation.find("rows over d0=4096, d1=1024") !=
        std::string::npos);
  CHECK(softmax->decisions.size() >= 2);
  // All of them.
  auto all = explain(*compiled, "");
  CHECK(all->decisions.size() == compiled.compilation->decisions().size());
  CHECK(all->explanation.empty());
}

TEST_CASE("where all cores are of one kind the explanation says so") {
  auto says = [](const char *target) {
    Compiled compiled(target);
    auto list = explain(*compiled, "f/y");
    REQUIRE(list);
    return list->explanation.find("has only one kind of core") !=
           std::string::npos;
  };
  CHECK(says("cpu-generic"));
  CHECK_FALSE(says("ascend-a3"));
}

TEST_CASE("a key that does not exist is refused with the nearest") {
  Compiled compiled("cpu-generic");
  model::Diagnostic error;
  CHECK_FALSE(explain(*compiled, "f/yy", &error));
  CHECK(error.code == "TW0217");
  CHECK(error.hint.find("did you mean f/y?") == 0);
  CHECK_FALSE(whatIf(*compiled, "e", 100, &error));
  CHECK(error.hint.find("did you mean f/e?") == 0);
  CHECK_FALSE(estimateOf(*compiled, "g/nothing", &error));
  CHECK(error.hint.find("There are f/") != std::string::npos);
}

TEST_CASE("a what-if over four hundred points keeps its time") {
  for (const char *target : {"ascend-a3", "cpu-generic"}) {
    Compiled compiled(target);
    for (const char *key : {"f/y", "f/e"}) {
      CAPTURE(target, key);
      double least = 1e9;
      for (int round = 0; round < 5; ++round) {
        auto begin = std::chrono::steady_clock::now();
        auto map = whatIf(*compiled, key, 400);
        std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - begin;
        REQUIRE(map);
        CHECK(map->best >= 0);
        CHECK(map->current >= 0);
        least = std::min(least, taken.count());
      }
      CHECK(least < 500);
    }
  }
}

TEST_CASE("what a map says of a setting is so once that is pinned") {
  std::vector<model::Diagnostic> problems;
  Session session{target::TargetRegistry::standard(problems)};
  CompileRequest request;
  request.uri = "file:///map.mlir";
  request.target = "ascend-a3";
  // By default the left operand stays; the fastest of the map keeps none.
  request.text =
      R"(func.func @f(%x: tensor<96x1536xf16>, %w: tensor<1536x3072xf16>) -> tensor<96x3072xf16> {
  %y = tw.matmul %x, %w : (tensor<96x1536xf16>, tensor<1536x3072xf16>) -> tensor<96x3072xf16>
  return %y : tensor<96x3072xf16>
}
)";
  auto byDefault = session.compile(request);
  REQUIRE(byDefault);
  auto map = whatIf(*byDefault, "f/y", 400);
  REQUIRE(map);
  int stays = 0, passes = 0;
  for (size_t i = 0; i < map->points.size(); i += 4) {
    const model::TilePoint &point = map->points[i];
    if (!point.legal)
      continue;
    CAPTURE(model::tileText(point.sizes));
    request.pins = {pin("f/y", "tile", nlohmann::json(point.sizes))};
    auto compiled = session.compile(request);
    REQUIRE(compiled);
    auto estimate = estimateOf(*compiled, "f/y");
    REQUIRE(estimate);
    REQUIRE(estimate->kernels.size() == 1);
    CHECK(estimate->kernels[0].seconds == Approx(point.seconds));
    bool keeps =
        point.sizes.at("L1").count("k#0") || point.sizes.at("L1").count("k#1");
    (keeps ? stays : passes) += 1;
  }
  CHECK(stays > 0);
  CHECK(passes > 0);
}

TEST_CASE("what became of each pin is told, and where an orphan went") {
  std::vector<model::Pin> pins = {
      pin("f/y", "tile", {{"L1", {{"m", 128}, {"n", 128}}}}),
      pin("f/e", "tile", {{"UB", {{"d0", 4000}}}}), // too large
      pin("f/yyy", "tile", {{"L1", {{"m", 64}}}}),  // no such operation
      pin("f/y", "merge", 1, "cpu"),                // another target
      pin("f/y#0", "buffers", 1),
      pin("f/y*", "tile", {{"L1", {{"m", 64}}}}), // less specific
  };
  Compiled compiled("ascend-a3", pins);
  std::vector<model::PinState> states = pinStates(*compiled, pins);
  REQUIRE(states.size() == pins.size());
  auto told = [&](size_t i) {
    return states[i].state + ": " + states[i].reason;
  };
  CHECK(told(0).find("honoured: pinned") == 0);
  CHECK(told(1).find("conflicting: ") == 0);
  CHECK(states[1].code == "TW0201");
  CHECK(states[1].reason.find("UB needs") != std::string::npos);
  CHECK(told(2).find("orphaned: ") == 0);
  CHECK(states[2].likelyKey == "f/y");
  bool named = false; // on the source's line as well
  for (const model::Diagnostic &diagnostic : (*compiled).stages().diagnostics)
    named |=
        diagnostic.code == "TW0206" && diagnostic.key == "f/yyy" &&
        diagnostic.hint.find("probably called f/y now") != std::string::npos;
  CHECK(named);
  CHECK(told(3).find("elsewhere: ") == 0);
  CHECK(told(4).find("honoured: ") == 0);
  CHECK(told(5).find("shadowed: ") == 0);
  CHECK(states[5].keys == std::vector<std::string>{"f/y"});
}

TEST_CASE("an orphan is not said to be any other operation of its function") {
  std::vector<model::Pin> pins = {pin("f/down", "tile", {{"L1", {{"m", 64}}}}),
                                  pin("g/y", "merge", 1)};
  Compiled compiled("ascend-a3", pins);
  std::vector<model::PinState> states = pinStates(*compiled, pins);
  REQUIRE(states.size() == 2);
  CHECK(states[0].state == "orphaned");
  // The one product there is.
  CHECK(states[0].likelyKey == "f/y");
  CHECK(states[1].likelyKey == "f/y");
}

TEST_CASE("what is alone and pinned apart is as asked") {
  std::vector<model::Pin> pins = {pin("f/y", "scope", {{"apart", true}}),
                                  pin("f/y#7", "buffers", 2)};
  Compiled compiled("ascend-a3", pins);
  std::vector<model::PinState> states = pinStates(*compiled, pins);
  REQUIRE(states.size() == 2);
  CHECK(states[0].state == "honoured");
  CHECK(states[1].state == "conflicting");
  CHECK(states[1].reason.find("f/y has no operand 7 that waits") !=
        std::string::npos);
}

TEST_CASE("a pin for levels of another machine is no conflict") {
  std::vector<model::Pin> pins = {pin("f/y", "tile", {{"L0", {{"k", 64}}}})};
  Compiled compiled("cpu-generic", pins);
  std::vector<model::PinState> states = pinStates(*compiled, pins);
  REQUIRE(states.size() == 1);
  CHECK(states[0].state == "not applicable");
  CHECK(states[0].code == "TW0205");
}
