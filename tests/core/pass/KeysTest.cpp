//===- KeysTest.cpp - no pass makes an operation without a key ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

static std::vector<std::string> allSources() {
  std::vector<std::string> sources = test::exampleSources();
  REQUIRE(sources.size() > 2);
  for (const std::string &sample : test::sampleSources())
    sources.push_back(sample);
  return sources;
}

/// Sizes only known at run time end at the Block graph.
static std::string failureOf(const std::string &source) {
  return source.find("tensor<?") == std::string::npos ? "" : "bufferize";
}

TEST_CASE("every operation of every stage has a key") {
  for (const char *name : {"cpu-generic", "ascend-a3"})
    for (const std::string &source : allSources()) {
      auto context = test::makeContext();
      OwningOpRef<ModuleOp> module = test::parse(*context, source);
      bool scoped = false;
      std::string failed = test::runPasses(
          *module, test::targetNamed(name), [&](llvm::StringRef pass) {
            scoped |= pass == "form-scopes";
            module->walk([&](Operation *op) {
              if (!scoped)
                return; // the tensor stage has its own test
              if (op == module->getOperation() || !keysOf(op).empty())
                return;
              std::string text;
              llvm::raw_string_ostream stream(text);
              op->print(stream, OpPrintingFlags().skipRegions());
              FAIL("after " << pass.str() << " on " << name << ": " << text);
            });
          });
      INFO(name << "\n" << source);
      CHECK(failed == failureOf(source));
    }
}

TEST_CASE("every stage prints as text that reads back") {
  for (const char *name : {"cpu-generic", "ascend-a3"})
    for (const std::string &source : test::sampleSources()) {
      auto context = test::makeContext();
      OwningOpRef<ModuleOp> module = test::parse(*context, source);
      test::runPasses(
          *module, test::targetNamed(name), [&](llvm::StringRef pass) {
            std::string text;
            llvm::raw_string_ostream stream(text);
            module->print(stream,
                          OpPrintingFlags().enableDebugInfo(true, false));
            OwningOpRef<ModuleOp> again =
                parseSourceString<ModuleOp>(text, context.get());
            INFO("after " << pass.str() << " on " << name << "\n" << text);
            CHECK(again);
          });
    }
}

TEST_CASE("keys are the source's own again once tasks are built") {
  for (const char *name : {"cpu-generic", "ascend-a3"})
    for (const std::string &source : test::sampleSources()) {
      auto context = test::makeContext();
      OwningOpRef<ModuleOp> module = test::parse(*context, source);
      REQUIRE(test::runPasses(*module, test::targetNamed(name),
                              [](llvm::StringRef) {}) == "");
      module->walk([&](Operation *op) {
        for (StringRef key : keysOf(op))
          CHECK_FALSE(key.starts_with("$"));
      });
    }
}
