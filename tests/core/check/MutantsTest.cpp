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
  Count count;
  for (const std::string &source : test::mutantSources()) {
    auto context = test::makeContext();
    OwningOpRef<ModuleOp> module = test::parse(*context, source);
    REQUIRE(test::runPasses(*module, test::targetNamed("ascend-a3"),
                            [](llvm::StringRef) {}) == "");
    std::vector<std::string> kernels;
    for (auto kernel : module->getOps<block::KernelOp>())
      kernels.push_back(kernel.getSymName().str());
    for (const std::string &kernel : kernels) {
      INFO(kernel);
      OwningOpRef<ModuleOp> alone(cast<ModuleOp>((*module)->clone()));
      test::keepOnly(*alone, kernel);
      judgeMutants(*alone, kernel, count);
    }
  }
  CHECK(count.all > 300);
  CHECK(count.wrong > 200);
}
