//===- CheckExamplesTest.cpp - what the pipeline makes has no faults ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/check/CheckBlock.h"
#include "core/dialect/Block/BlockDialect.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

using namespace mlir;
using namespace tilewright;

namespace {

std::string text(const model::Diagnostic &finding) {
  return finding.code + " " + finding.message;
}

void checkSources(const std::vector<std::string> &sources) {
  size_t kernels = 0;
  for (const std::string &source : sources) {
    auto context = test::makeContext();
    OwningOpRef<ModuleOp> module = test::parse(*context, source);
    auto target = test::targetNamed("ascend-a3");
    if (test::runPasses(*module, target, [](llvm::StringRef) {}) != "")
      continue; // sizes known only at run time end before kernels
    for (const model::Diagnostic &finding :
         check::checkBlock(*module, *target)) {
      INFO(source.substr(0, 200));
      CHECK(text(finding) == "");
    }
    for (auto kernel : module->getOps<block::KernelOp>())
      (void)kernel, ++kernels;
  }
  CHECK(kernels >= 10);
}

} // namespace

TEST_CASE("kernels made of samples have no faults") {
  checkSources(test::sampleSources());
}

TEST_CASE("kernels made of examples have no faults") {
  checkSources(test::exampleSources());
}
