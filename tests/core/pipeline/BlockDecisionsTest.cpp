//===- BlockDecisionsTest.cpp - decisions of the block passes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>

using namespace tilewright;

namespace {

const char *const text =
    R"(func.func @f(%x: tensor<256x2048xf16>, %w: tensor<2048x512xf16>, %a: tensor<4096x1024xf32>)
    -> (tensor<256x512xf16>, tensor<4096x1024xf32>) {
  %y = tw.matmul %x, %w : (tensor<256x2048xf16>, tensor<2048x512xf16>) -> tensor<256x512xf16>
  %e = tw.exp %a : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %y, %e : tensor<256x512xf16>, tensor<4096x1024xf32>
}
)";

std::shared_ptr<const Compilation> compile(Session &session,
                                           std::vector<model::Pin> pins,
                                           const char *target = "ascend-a3") {
  CompileRequest request;
  request.uri = "file:///block.mlir";
  request.text = text;
  request.target = target;
  request.pins = std::move(pins);
  auto compilation = session.compile(request);
  REQUIRE(compilation);
  CHECK(compilation->complete());
  return compilation;
}

const model::Decision *decision(const Compilation &compilation,
                                const std::string &key,
                                const std::string &kind) {
  for (const model::Decision &each : compilation.decisions())
    if (each.key == key && each.kind == kind)
      return &each;
  return nullptr;
}

std::vector<std::string> codes(const Compilation &compilation) {
  std::vector<std::string> all;
  for (const model::Diagnostic &each : compilation.stages().diagnostics)
    all.push_back(each.code);
  return all;
}

} // namespace

TEST_CASE("buffers and merge are decisions with reasons") {
  std::vector<model::Diagnostic> problems;
  Session session(target::TargetRegistry::standard(problems));
  // The second time from the cache.
  for (int time = 0; time < 2; ++time) {
    auto compilation = compile(session, {});
    for (const char *key : {"f/y#0", "f/y#1", "f/e"}) {
      INFO(key);
      const model::Decision *buffers = decision(*compilation, key, "buffers");
      REQUIRE(buffers);
      CHECK(buffers->value >= 2);
      CHECK(buffers->origin == model::DecisionOrigin::Default);
      CHECK(buffers->reason.find("copies handed from MTE") !=
            std::string::npos);
      CHECK(!buffers->weighed.empty());
      CHECK(!buffers->metrics.empty());
    }
    const model::Decision *merge = decision(*compilation, "f/e", "merge");
    REQUIRE(merge);
    CHECK(merge->value > 1);
    CHECK(merge->reason.find("blocks a task") != std::string::npos);
    CHECK(merge->weighed.size() == 3);
  }
}

TEST_CASE("pins of buffers and merge are obeyed") {
  std::vector<model::Diagnostic> problems;
  Session session(target::TargetRegistry::standard(problems));
  auto compilation = compile(session, {{"f/y#0", "*", "buffers", 1, "", {}},
                                       {"f/e", "*", "buffers", 2, "", {}},
                                       {"f/e", "*", "merge", 4, "", {}}});
  CHECK(codes(*compilation).empty());
  for (auto [key, kind, value] :
       {std::tuple("f/y#0", "buffers", 1), std::tuple("f/e", "buffers", 2),
        std::tuple("f/e", "merge", 4)}) {
    INFO(key << " " << kind);
    const model::Decision *pinned = decision(*compilation, key, kind);
    REQUIRE(pinned);
    CHECK(pinned->value == value);
    CHECK(pinned->origin == model::DecisionOrigin::Pinned);
  }
  const model::Decision *other = decision(*compilation, "f/y#1", "buffers");
  REQUIRE(other);
  CHECK(other->origin == model::DecisionOrigin::Default);
}

TEST_CASE("pins of buffers and merge that cannot be obeyed are told") {
  std::vector<model::Diagnostic> problems;
  Session session(target::TargetRegistry::standard(problems));
  for (auto [key, kind, value, code] :
       {std::tuple("f/y", "buffers", nlohmann::json("two"), "TW0221"),
        std::tuple("f/e", "merge", nlohmann::json(0), "TW0221"),
        std::tuple("f/e", "merge", nlohmann::json(997), "TW0223"),
        std::tuple("f/gone", "merge", nlohmann::json(2), "TW0206")}) {
    INFO(key << " " << kind << " " << value.dump());
    // The second time from the cache.
    for (int time = 0; time < 2; ++time) {
      auto compilation = compile(session, {{key, "*", kind, value, "", {}}});
      CHECK(codes(*compilation) == std::vector<std::string>{code});
    }
  }
  // Four times 64 KiB are more than there is.
  auto full = compile(
      session,
      {{"f/e", "*", "tile", {{"UB", {{"d0", 16}, {"d1", 1024}}}}, "", {}},
       {"f/e", "*", "merge", 4, "", {}},
       {"f/e", "*", "buffers", 4, "", {}}});
  CHECK(codes(*full) == std::vector<std::string>{"TW0220"});
  for (const model::Diagnostic &each : full->stages().diagnostics)
    if (each.code == "TW0220")
      CHECK(each.message.find("smaller tiles or 2 copies would fit") !=
            std::string::npos);
  const model::Decision *kept = decision(*full, "f/e", "buffers");
  REQUIRE(kept);
  CHECK(kept->value == 2);
  CHECK(kept->origin == model::DecisionOrigin::Default);
  // Without a loop there is nothing to take turns in.
  auto alone = compile(session, {{"f/e", "*", "merge", 1, "", {}},
                                 {"f/e", "*", "buffers", 2, "", {}}});
  CHECK(codes(*alone) == std::vector<std::string>{"TW0222"});
  // Nor where cores do one thing after the other.
  auto cpu =
      compile(session, {{"f/y", "*", "buffers", 2, "", {}}}, "cpu-generic");
  CHECK(codes(*cpu) == std::vector<std::string>{"TW0205"});
}
