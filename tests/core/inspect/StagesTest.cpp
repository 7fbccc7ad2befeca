//===- StagesTest.cpp - the printer on what the passes really make --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/inspect/KeyLookup.h"
#include "core/inspect/NamedPrinter.h"
#include "core/pass/block/AllocateOnchip.h"
#include "core/pass/block/Bufferize.h"
#include "core/pass/block/InsertSync.h"
#include "core/pass/block/OrderInstructions.h"
#include "core/pass/block/OutlineKernels.h"
#include "core/pass/block/StreamResults.h"
#include "core/pass/execution/BuildTasks.h"
#include "core/pass/tile/ChooseTiles.h"
#include "core/pass/tile/ExpandTiles.h"
#include "core/pass/tile/FormScopes.h"
#include "core/pass/tile/PlaceTiles.h"
#include "core/target/TargetRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "tests/core/frontend/ReadText.h"
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tilewright;
using namespace tilewright::frontend;
using namespace tilewright::inspect;

static std::string plain(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

TEST_CASE("every example at every stage is printed so that it reads again") {
  target::TargetRegistry registry;
  std::vector<model::Diagnostic> problems;
  registry.addFolder(TILEWRIGHT_SOURCE_DIR "/resources/targets", problems);
  model::Diagnostic error;
  auto target = registry.find("ascend-a3", error);
  REQUIRE(target);
  using namespace tilewright::pass;
  int stages = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           TILEWRIGHT_SOURCE_DIR "/resources/examples")) {
    if (entry.path().extension() != ".mlir")
      continue;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    auto source = readText(text.str());
    INFO(entry.path().filename() << " " << codesOf(*source));
    SourceModule built = buildModule(*source, testContext(), nullptr);
    REQUIRE(built.module);
    std::vector<std::unique_ptr<mlir::Pass>> passes;
    passes.push_back(nullptr);
    passes.push_back(createFormScopesPass(target));
    passes.push_back(createChooseTilesPass(target));
    passes.push_back(createExpandTilesPass(target));
    passes.push_back(createPlaceTilesPass(target));
    passes.push_back(createBufferizePass(target));
    passes.push_back(createOutlineKernelsPass(target));
    passes.push_back(createOrderInstructionsPass(target));
    passes.push_back(createStreamResultsPass(target));
    passes.push_back(createAllocateOnchipPass(target));
    passes.push_back(createInsertSyncPass(target));
    passes.push_back(createBuildTasksPass());
    for (auto &pass : passes) {
      std::string name = pass ? pass->getArgument().str() : "source";
      if (pass) {
        mlir::PassManager manager(&testContext());
        manager.addPass(std::move(pass));
        // What a pass refuses is for its own tests.
        if (failed(manager.run(*built.module)))
          break;
      }
      std::vector<std::pair<mlir::Operation *, model::TextRange>> places;
      model::PrintedStage printed = printNamed(*built.module, {}, places);
      INFO(name << "\n" << printed.text);
      auto again = readText(printed.text);
      CHECK(codesOf(*again) == "");
      SourceModule module = buildModule(*again, testContext(), nullptr);
      REQUIRE(module.module);
      CHECK(plain(*module.module) == plain(*built.module));
      // What is told of names without the text is what stands there.
      auto names = printedNames(*built.module);
      for (auto &[op, range] : places)
        if (op->getNumResults() == 1) {
          std::string written = "%" + names[op->getResult(0)] + " = ";
          CHECK(printed.text.substr(size_t(range.begin), written.size()) ==
                written);
        }
      // Each operation with a key is found at its place in the text.
      size_t withKeys = 0;
      for (const model::TextSpan &span : printed.spans) {
        CHECK(span.range.begin < span.range.end);
        CHECK(printed.text[size_t(span.range.begin)] != ' ');
        withKeys += !span.keys.empty();
      }
      CHECK(withKeys * 2 > printed.spans.size());
      if (entry.path().filename() == "swiglu_ffn.mlir")
        for (const char *word : {"%x", "%w_gate", "%y"})
          CHECK(printed.text.find(word) != std::string::npos);
      ++stages;
    }
  }
  CHECK(stages > 60);
}
