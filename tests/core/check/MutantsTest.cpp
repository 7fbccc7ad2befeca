//===- MutantsTest.cpp - checker and interpreter against the truth --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The truth about a small kernel is found by trying every order its pipes may
// take. For each kernel with one thing wrong, the checker, which tries none,
// and the interpreter, which tries some, must say the same.
//
//===----------------------------------------------------------------------===//
#include "tests/core/check/Mutants.h"
#include "mlir/Parser/Parser.h"
#include "tests/core/check/KernelSource.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int schedules = 64;

struct Count {
  size_t all = 0, wrong = 0;
};

void judgeMutants(ModuleOp module, llvm::StringRef kernel, Count &count) {
  auto target = test::targetNamed("ascend-a3");
  test::Verdicts whole = test::judge(module, *target, schedules);
  CHECK(whole.truth == "");
  CHECK(whole.checker == "");
  CHECK(whole.interpreter == "");
  REQUIRE(whole.known);
  test::forEachMutant(
      module, kernel, [&](const std::string &what, ModuleOp mutant) {
        test::Verdicts verdicts = test::judge(mutant, *target, schedules);
        INFO(what);
        INFO("truth: " << verdicts.truth);
        INFO("checker: " << verdicts.checker);
        INFO("interpreter: " << verdicts.interpreter);
        CHECK(verdicts.known);
        CHECK(verdicts.agree());
        ++count.all;
        count.wrong += !verdicts.truth.empty();
        return true;
      });
}

} // namespace

TEST_CASE("mutants of small kernels are judged rightly") {
  Count count;
  for (auto &[name, body] : test::rightKernels()) {
    INFO(name);
    auto context = test::makeContext();
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(test::kernelSource(body), context.get());
    REQUIRE(module);
    judgeMutants(*module, "k", count);
  }
  CHECK(count.all > 300);
  CHECK(count.wrong > 200);
  CHECK(count.all > count.wrong + 20); // some change nothing that matters
}

TEST_CASE("mutants of what the pipeline makes are judged rightly") {
  const std::string sources[] = {
      R"(func.func @softmax(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %p = tw.softmax %x {axis = -1} : tensor<4x16xf32>
  return %p : tensor<4x16xf32>
})",
      R"(func.func @sum(%a: tensor<4x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %s = tw.add %a, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %e = tw.exp %s : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %e : tensor<4x16xf32>
})",
      R"(func.func @norm(%x: tensor<4x16xf32>, %w: tensor<16xf32>) -> tensor<4x16xf32> {
  %n = tw.rms_norm %x, %w {axis = -1, epsilon = 1.0e-5 : f32} : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  return %n : tensor<4x16xf32>
})",
      R"(func.func @product(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c = tw.matmul %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
})",
      R"(func.func @deep(%a: tensor<16x96xf32>, %b: tensor<96x16xf32>) -> tensor<16x16xf32> {
  %c = tw.matmul %a, %b : (tensor<16x96xf32>, tensor<96x16xf32>) -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
})"};
  Count count;
  for (const std::string &source : sources) {
    auto context = test::makeContext();
    OwningOpRef<ModuleOp> module = test::parse(*context, source);
    REQUIRE(test::runPasses(*module, test::targetNamed("ascend-a3"),
                            [](llvm::StringRef) {}) == "");
    std::vector<std::string> kernels;
    for (auto kernel : module->getOps<block::KernelOp>())
      kernels.push_back(kernel.getSymName().str());
    for (const std::string &kernel : kernels) {
      INFO(kernel);
      judgeMutants(*module, kernel, count);
    }
  }
  CHECK(count.all > 300);
  CHECK(count.wrong > 200);
}
