//===- LiveModulesTest.cpp - which modules stay as they are ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/LiveModules.h"
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include "mlir/IR/Builders.h"
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace mlir;
using namespace tilewright;

namespace {

Kept keptOf(const std::shared_ptr<MLIRContext> &context, int operations) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&*context));
  OpBuilder builder(module->getBodyRegion());
  for (int i = 0; i < operations; ++i)
    builder.create<ModuleOp>(builder.getUnknownLoc());
  return std::make_shared<const KeptModule>(*module, context);
}

Snapshot snapshotOf(const char *stage, const char *pass, Kept program) {
  Snapshot snapshot;
  snapshot.stage = stage;
  snapshot.pass = pass;
  snapshot.program = std::move(program);
  return snapshot;
}

/// Whether the settler took `module` within ten seconds: bytecode has another
/// size than what a clone is taken to have.
bool settles(const Kept &module) {
  for (int i = 0; i < 1000; ++i) {
    if (module->size() != size_t(module->operations() + 1) * 320)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

bool isLive(const Kept &module) {
  return module->size() == size_t(module->operations() + 1) * 320;
}

} // namespace

TEST_CASE(
    "the modules of the last compilation stay, those before are settled") {
  auto context = std::make_shared<MLIRContext>();
  Settler settler;
  LiveModules live(settler);
  Kept shared = keptOf(context, 10), first = keptOf(context, 20),
       second = keptOf(context, 30);
  live.follow({shared, first},
              {snapshotOf("tensor", "cse", shared),
               snapshotOf("tile", "choose-tiles", first)},
              nullptr);
  live.follow({second},
              {snapshotOf("tensor", "cse", shared),
               snapshotOf("tile", "choose-tiles", second)},
              nullptr);
  CHECK(settles(first));
  CHECK(isLive(shared));
  CHECK(isLive(second));
}

TEST_CASE("beyond a number of operations the ends of stages come first") {
  auto context = std::make_shared<MLIRContext>();
  Settler settler;
  LiveModules live(settler, 100);
  Kept early = keptOf(context, 40), last = keptOf(context, 50),
       tile = keptOf(context, 45), large = keptOf(context, 500);
  live.follow({early, last, tile, large},
              {snapshotOf("tensor", "source", early),
               snapshotOf("tensor", "cse", last),
               snapshotOf("tile", "choose-tiles", tile),
               snapshotOf("block", "bufferize", large)},
              nullptr);
  CHECK(settles(early));
  CHECK(settles(large));
  CHECK(isLive(last));
  CHECK(isLive(tile));
}

TEST_CASE("a graph is made once for compilations that share the snapshot") {
  std::vector<model::Diagnostic> problems;
  Session session(target::TargetRegistry::standard(problems));
  CompileRequest request;
  request.uri = "file:///f.mlir";
  request.target = "cpu-generic";
  request.text =
      "func.func @f(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> "
      "tensor<64x64xf32> {\n  %y = tw.matmul %x, %w : "
      "(tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
      "  return %y : tensor<64x64xf32>\n}\n";
  auto first = session.compile(request);
  REQUIRE(first->complete());
  auto graph = first->graph("tensor");
  REQUIRE(graph);
  CHECK(first->graph("tensor") == graph);
  request.pins = {{"f/y", "*", "tile", {{"cache2", {{"m", 32}}}}, "", {}}};
  auto second = session.compile(request);
  REQUIRE(second->complete());
  CHECK(second->graph("tensor") == graph);
  CHECK(second->graph("tile") != first->graph("tile"));
  model::Diagnostic error;
  CHECK_FALSE(second->graph("nowhere", &error));
  CHECK(error.code == "TW0610");
}
