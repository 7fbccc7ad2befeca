//===- KeptModuleTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/KeptModule.h"
#include "core/pipeline/Settler.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace mlir;
using namespace tilewright;

namespace {
std::shared_ptr<MLIRContext> makeContext() {
  auto context = std::make_shared<MLIRContext>();
  context->loadDialect<func::FuncDialect, arith::ArithDialect>();
  return context;
}

constexpr llvm::StringLiteral text = R"(
  func.func @f(%a: f32) -> f32 {
    %0 = arith.addf %a, %a : f32 loc(fused<"f/x">["m":1:1])
    return %0 : f32
  })";

std::string printed(ModuleOp module) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  module->print(stream, OpPrintingFlags().enableDebugInfo(true, false));
  return result;
}
} // namespace

TEST_CASE("what is kept stays as it was, before and after it is settled") {
  auto context = makeContext();
  auto module =
      parseSourceString<ModuleOp>(text, ParserConfig(context.get(), false));
  std::string before = printed(*module);
  KeptModule kept(*module, context);
  module->walk([](arith::AddFOp add) {
    add->setAttr("later", UnitAttr::get(add.getContext()));
  });
  CHECK(printed(*kept.module(context.get())) == before);
  CHECK(kept.size() == 320 * 4);
  kept.settle();
  CHECK(printed(*kept.module(context.get())) == before);
  CHECK(kept.size() > 0);
}

TEST_CASE("what is kept is read in another context, and outlives its own") {
  auto context = makeContext();
  auto module =
      parseSourceString<ModuleOp>(text, ParserConfig(context.get(), false));
  std::string before = printed(*module);
  auto kept = std::make_unique<KeptModule>(*module, context);
  module = nullptr;
  context = nullptr;
  auto other = makeContext();
  CHECK(printed(*kept->module(other.get())) == before);
}

TEST_CASE("the settler lets go of clones while others read them") {
  auto context = makeContext();
  auto module =
      parseSourceString<ModuleOp>(text, ParserConfig(context.get(), false));
  std::string before = printed(*module);
  std::weak_ptr<MLIRContext> alive = context;
  std::vector<std::shared_ptr<const KeptModule>> kept;
  for (int i = 0; i < 200; ++i)
    kept.push_back(std::make_shared<const KeptModule>(*module, context));
  Settler settler;
  settler.add(kept);
  for (const auto &each : kept)
    REQUIRE(printed(*each->module(context.get())) == before);
  module = nullptr;
  context = nullptr;
  // All settled, nothing holds the context any more.
  for (int i = 0; i < 1000 && !alive.expired(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(alive.expired());
}
