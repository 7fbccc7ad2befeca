//===- CheckExamplesTest.cpp - what the pipeline makes has no faults ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/check/CheckBlock.h"
#include "core/dialect/Block/BlockDialect.h"
#include "tests/Stopwatch.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>
#include <iostream>
#include <set>

using namespace mlir;
using namespace tilewright;

namespace {

std::string text(const model::Diagnostic &finding) {
  return finding.code + " " + finding.message;
}

struct Seen {
  size_t kernels = 0, events = 0;
  size_t besideBarriers = 0; ///< superfluous events
  double seconds = 0;        ///< spent checking
};

Seen checkSources(const std::vector<std::string> &sources, const char *name) {
  Seen seen;
  auto target = test::targetNamed(name);
  for (const std::string &source : sources) {
    auto context = test::makeContext();
    OwningOpRef<ModuleOp> module = test::parse(*context, source);
    if (test::runPasses(*module, target, [](llvm::StringRef) {}) != "")
      continue; // sizes known only at run time end before kernels
    testing::Stopwatch watch;
    std::vector<model::Diagnostic> findings =
        check::checkBlock(*module, *target);
    seen.seconds += watch.seconds();
    // Where ids run out a barrier stands in, and may make an event beside it
    // superfluous; nowhere else.
    std::set<std::string> withBarrier;
    module->walk([&](block::BarrierOp barrier) {
      auto kernel = barrier->getParentOfType<block::KernelOp>();
      withBarrier.insert("(@" + kernel.getSymName().str() + ")");
    });
    for (const model::Diagnostic &finding : findings) {
      if (finding.code == "TW0457" &&
          std::ranges::any_of(withBarrier, [&](const std::string &name) {
            return finding.message.find(name) != std::string::npos;
          })) {
        ++seen.besideBarriers;
        continue;
      }
      INFO(source.substr(0, 200));
      CHECK(text(finding) == "");
    }
    module->walk([&](block::KernelOp) { ++seen.kernels; });
    module->walk([&](block::SetEventOp) { ++seen.events; });
  }
  return seen;
}

} // namespace

TEST_CASE("kernels made of samples have no faults and no superfluous events") {
  Seen seen = checkSources(test::sampleSources(), "ascend-a3");
  CHECK(seen.kernels >= 10);
  CHECK(seen.events > 20);
  CHECK(checkSources(test::sampleSources(), "cpu-generic").kernels >= 10);
}

TEST_CASE("kernels made of examples have no faults and no superfluous events") {
  Seen seen = checkSources(test::exampleSources(), "ascend-a3");
  CHECK(seen.kernels >= 10);
  CHECK(seen.events > 100);
  std::cout << "checking " << seen.kernels << " kernels with " << seen.events
            << " sets took " << seen.seconds << " s (measured)\n";
  CHECK(seen.besideBarriers <= 2);
  // More kernels than a stack of equal layers has.
  CHECK(seen.seconds < 1);
  CHECK(checkSources(test::exampleSources(), "cpu-generic").kernels >= 10);
}
