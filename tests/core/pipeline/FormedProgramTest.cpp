//===- FormedProgramTest.cpp - what a changed pin does not make anew ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>

using namespace tilewright;

namespace {

constexpr const char *source =
    R"(func.func @f(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>) -> tensor<64x128xf32> {
  %nop = tw.add %x, %x : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  %h = tw.matmul %x, %w : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
  %y = tw.silu %h : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
})";

std::shared_ptr<target::TargetRegistry> targets() {
  std::vector<model::Diagnostic> problems;
  return target::TargetRegistry::standard(problems);
}

CompileRequest request(std::vector<model::Pin> pins = {}) {
  CompileRequest request;
  request.uri = "file:///f.mlir";
  request.text = source;
  request.target = "cpu-generic";
  request.pins = std::move(pins);
  return request;
}

model::Pin pin(std::string key, std::string kind, nlohmann::json value) {
  model::Pin pin;
  pin.key = std::move(key);
  pin.kind = std::move(kind);
  pin.value = std::move(value);
  return pin;
}

model::Pin tiles(int64_t m) {
  return pin("f/h", "tile", {{"cache2", {{"m", m}, {"n", 64}, {"k", 48}}}});
}

/// All a front can see of a compilation, but times and what was re-used.
nlohmann::json all(const Compilation &compilation) {
  model::StageTable table = compilation.stages();
  table.generation = 0;
  nlohmann::json result;
  for (model::PassRecord &pass : table.passes) {
    pass.milliseconds = 0;
    pass.reused = false;
    if (auto printed = compilation.print(pass.name()))
      result["text"][pass.name()] = printed->text;
  }
  result["table"] = table;
  result["decisions"] = compilation.decisions();
  for (const char *stage : {"tensor", "tile", "block", "execution"})
    if (auto graph = compilation.graph(stage))
      result["graphs"].push_back(*graph);
  return result;
}

bool tensorPassesReused(const Compilation &compilation) {
  return compilation.stages().passes.front().reused;
}

} // namespace

TEST_CASE("a changed tile pin begins at choose-tiles, with the same results") {
  Session session(targets());
  REQUIRE(session.compile(request())->complete());
  for (int64_t m : {24, 48, 24, 40}) {
    auto pinned = session.compile(request({tiles(m)}));
    CHECK(tensorPassesReused(*pinned));
    for (const model::PassRecord &pass : pinned->stages().passes)
      if (pass.stage == "tensor" || pass.name() == "tile/form-scopes")
        CHECK(pass.milliseconds == 0);
    Session fresh(targets());
    auto wanted = fresh.compile(request({tiles(m)}));
    CHECK_FALSE(tensorPassesReused(*wanted));
    CHECK(all(*pinned) == all(*wanted));
  }
}

TEST_CASE("what stands before choose-tiles and has changed is made anew") {
  Session session(targets());
  session.compile(request());
  auto apart = pin("f/y", "scope", "apart");
  CHECK_FALSE(tensorPassesReused(*session.compile(request({apart}))));
  CHECK(tensorPassesReused(*session.compile(request({apart, tiles(24)}))));
  CHECK_FALSE(tensorPassesReused(*session.compile(request({tiles(24)}))));
  CompileRequest edited = request({tiles(24)});
  edited.text.replace(edited.text.find("silu"), 4, "relu");
  auto compilation = session.compile(edited);
  CHECK_FALSE(tensorPassesReused(*compilation));
  CHECK(compilation->print("tensor")->text.find("tw.relu") !=
        std::string::npos);
  CompileRequest elsewhere = edited;
  elsewhere.target = "ascend-a3";
  CHECK_FALSE(tensorPassesReused(*session.compile(elsewhere)));
}

TEST_CASE("pins that do nothing are told of each time") {
  Session session(targets());
  session.compile(request());
  // One of an operation that a pass takes away, one of none, one of a kind
  // that there is not; and what reading the pins file found.
  CompileRequest odd = request({pin("f/nop", "tile", {{"cache2", {{"d0", 8}}}}),
                                pin("f/gone", "tile", {{"cache2", {{"m", 8}}}}),
                                pin("f/h", "colour", "blue")});
  model::Diagnostic problem;
  problem.code = "TW0210";
  problem.message = "odd";
  odd.pinProblems = {problem};
  auto first = session.compile(odd), again = session.compile(odd);
  Session fresh(targets());
  auto wanted = fresh.compile(odd);
  CHECK(tensorPassesReused(*again));
  CHECK(wanted->stages().diagnostics.size() >= 3);
  CHECK(all(*first) == all(*wanted));
  CHECK(all(*again) == all(*wanted));
}

TEST_CASE("a source with an error is read again") {
  Session session(targets());
  session.compile(request());
  CompileRequest broken = request();
  broken.text = "func.func @f(";
  CHECK_FALSE(session.compile(broken)->complete());
  auto mended = session.compile(request());
  CHECK(mended->complete());
  CHECK_FALSE(tensorPassesReused(*mended));
}
