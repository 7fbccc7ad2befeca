//===- PassPipeline.cpp - sources through the passes, for tests -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/core/pass/PassPipeline.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/block/AllocateOnchip.h"
#include "core/pass/block/Bufferize.h"
#include "core/pass/block/InsertSync.h"
#include "core/pass/block/MergeBlocks.h"
#include "core/pass/block/OrderInstructions.h"
#include "core/pass/block/OutlineKernels.h"
#include "core/pass/block/PipelineBuffers.h"
#include "core/pass/block/StreamResults.h"
#include "core/pass/execution/BuildTasks.h"
#include "core/pass/tensor/TensorPasses.h"
#include "core/pass/tile/ChooseTiles.h"
#include "core/pass/tile/ExpandTiles.h"
#include "core/pass/tile/FormScopes.h"
#include "core/pass/tile/PlaceTiles.h"
#include "core/pass/tile/ReuseLoads.h"
#include "core/pass/tile/SplitAccumulators.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Parser/Parser.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace mlir;

namespace tilewright::test {

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerTensorDialect(registry);
  registry.insert<block::BlockDialect, tile::TileDialect, func::FuncDialect,
                  linalg::LinalgDialect, scf::SCFDialect>();
  linalg::registerTilingInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->loadAllAvailableDialects();
  return context;
}

pass::TargetPtr targetNamed(const char *name) {
  std::vector<model::Diagnostic> problems;
  static auto registry = target::TargetRegistry::standard(problems);
  model::Diagnostic error;
  pass::TargetPtr target = registry->find(name, error);
  INFO(error.message);
  REQUIRE(target);
  return target;
}

OwningOpRef<ModuleOp> parse(MLIRContext &context, const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  INFO(text);
  REQUIRE(module);
  for (auto func : module->getOps<func::FuncOp>()) {
    std::string name = func.getSymName().str();
    func->setLoc(withKey(func.getLoc(), name));
    int number = 0;
    func.getBody().walk([&](Operation *op) {
      op->setLoc(withKey(op->getLoc(), name + "/v" + std::to_string(number++)));
    });
  }
  return module;
}

std::vector<std::unique_ptr<Pass>> passesFor(const pass::TargetPtr &target) {
  std::vector<std::unique_ptr<Pass>> passes;
  passes.push_back(pass::createRaiseContractionsPass());
  passes.push_back(pass::createRaiseTensorsPass());
  passes.push_back(pass::createInferShapesPass());
  passes.push_back(pass::createDecomposeCompositesPass());
  passes.push_back(pass::createEliminateNopsPass());
  passes.push_back(pass::createSimplifyAlgebraPass());
  passes.push_back(pass::createFoldConstantsPass());
  passes.push_back(pass::createCsePass());
  passes.push_back(pass::createDcePass());
  passes.push_back(pass::createSplitAccumulatorsPass(target));
  passes.push_back(pass::createFormScopesPass(target));
  passes.push_back(pass::createChooseTilesPass(target));
  passes.push_back(pass::createExpandTilesPass(target));
  passes.push_back(pass::createPlaceTilesPass(target));
  passes.push_back(pass::createReuseLoadsPass(target));
  passes.push_back(pass::createBufferizePass(target));
  passes.push_back(pass::createOutlineKernelsPass(target));
  passes.push_back(pass::createMergeBlocksPass(target));
  passes.push_back(pass::createPipelineBuffersPass(target));
  passes.push_back(pass::createOrderInstructionsPass(target));
  passes.push_back(pass::createStreamResultsPass(target));
  passes.push_back(pass::createAllocateOnchipPass(target));
  passes.push_back(pass::createInsertSyncPass(target));
  passes.push_back(pass::createBuildTasksPass());
  return passes;
}

std::string runPasses(ModuleOp module, const pass::TargetPtr &target,
                      const std::function<void(llvm::StringRef)> &after) {
  for (std::unique_ptr<Pass> &pass : passesFor(target)) {
    std::string name = pass->getArgument().str();
    PassManager manager(module.getContext());
    manager.addPass(std::move(pass));
    if (failed(manager.run(module)))
      return name;
    after(name);
  }
  return {};
}

std::vector<std::string> exampleSources() {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::string(TILEWRIGHT_SOURCE_DIR) + "/resources/examples"))
    if (entry.path().extension() == ".mlir")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> sources;
  for (const std::string &path : paths) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    sources.push_back(text.str());
  }
  return sources;
}

std::vector<std::string> sampleSources() {
  return {
      // Rows: reductions and what is between them.
      R"(func.func @softmax(%x: tensor<129x1000xf32>) -> tensor<129x1000xf32> {
  %m = tw.reduce %x {kind = max, axes = [-1], keepdims} : (tensor<129x1000xf32>) -> tensor<129x1xf32>
  %d = tw.sub %x, %m : (tensor<129x1000xf32>, tensor<129x1xf32>) -> tensor<129x1000xf32>
  %e = tw.exp %d : (tensor<129x1000xf32>) -> tensor<129x1000xf32>
  %s = tw.reduce %e {kind = sum, axes = [-1], keepdims} : (tensor<129x1000xf32>) -> tensor<129x1xf32>
  %p = tw.div %e, %s : (tensor<129x1000xf32>, tensor<129x1xf32>) -> tensor<129x1000xf32>
  return %p : tensor<129x1000xf32>
})",
      // Batches, transposed operands, constants, 16-bit types.
      R"(func.func @attention(%q: tensor<3x100x64xf16>, %k: tensor<3x130x64xf16>, %v: tensor<3x130x64xf16>) -> tensor<3x100x64xf16> {
  %s = tw.matmul %q, %k {transpose_rhs} : (tensor<3x100x64xf16>, tensor<3x130x64xf16>) -> tensor<3x100x130xf32>
  %c = tw.full {value = 0.125} : () -> tensor<1xf32>
  %t = tw.mul %s, %c : (tensor<3x100x130xf32>, tensor<1xf32>) -> tensor<3x100x130xf32>
  %m = tw.reduce %t {kind = max, axes = [-1], keepdims} : (tensor<3x100x130xf32>) -> tensor<3x100x1xf32>
  %d = tw.sub %t, %m : (tensor<3x100x130xf32>, tensor<3x100x1xf32>) -> tensor<3x100x130xf32>
  %e = tw.exp %d : (tensor<3x100x130xf32>) -> tensor<3x100x130xf32>
  %u = tw.reduce %e {kind = sum, axes = [-1], keepdims} : (tensor<3x100x130xf32>) -> tensor<3x100x1xf32>
  %p = tw.div %e, %u : (tensor<3x100x130xf32>, tensor<3x100x1xf32>) -> tensor<3x100x130xf32>
  %h = tw.cast %p : (tensor<3x100x130xf32>) -> tensor<3x100x130xf16>
  %o = tw.matmul %h, %v : (tensor<3x100x130xf16>, tensor<3x130x64xf16>) -> tensor<3x100x64xf16>
  return %o : tensor<3x100x64xf16>
})",
      // A deep matmul: both loops over k on targets with two levels.
      R"(func.func @deep(%a: tensor<256x3000xf16>, %b: tensor<3000x200xf16>) -> tensor<256x200xf16> {
  %c = tw.matmul %a, %b : (tensor<256x3000xf16>, tensor<3000x200xf16>) -> tensor<256x200xf16>
  return %c : tensor<256x200xf16>
})",
      // Data movement, and results that nothing computes.
      R"(func.func @data(%x: tensor<100x64xf32>, %y: tensor<100x32xf32>, %z: tensor<10x8xf32>) -> (tensor<96x100xf32>, tensor<100x96xf32>, tensor<50x128xf32>, tensor<20x8xf32>, tensor<100x64xf32>, tensor<4x5xf32>, tensor<f32>, tensor<3xf32>) {
  %c = tw.concat %x, %y {axis = 1} : (tensor<100x64xf32>, tensor<100x32xf32>) -> tensor<100x96xf32>
  %t = tw.transpose %c {permutation = [1, 0]} : (tensor<100x96xf32>) -> tensor<96x100xf32>
  %i = tw.insert %z, %c {offsets = [3, 5]} : (tensor<10x8xf32>, tensor<100x96xf32>) -> tensor<100x96xf32>
  %r = tw.reshape %x : (tensor<100x64xf32>) -> tensor<50x128xf32>
  %s = tw.slice %y {offsets = [10, 2], sizes = [20, 8], strides = [2, 3]} : (tensor<100x32xf32>) -> tensor<20x8xf32>
  %f = tw.full {value = 2.0} : () -> tensor<4x5xf32>
  %sum = tw.reduce %x {kind = sum, axes = [0, 1]} : (tensor<100x64xf32>) -> tensor<f32>
  %k = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  return %t, %i, %r, %s, %x, %f, %sum, %k : tensor<96x100xf32>, tensor<100x96xf32>, tensor<50x128xf32>, tensor<20x8xf32>, tensor<100x64xf32>, tensor<4x5xf32>, tensor<f32>, tensor<3xf32>
})",
      // Upstream operations among ours.
      R"(func.func @upstream(%a: tensor<100x64xf32>, %b: tensor<64x32xf32>) -> tensor<100x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<100x32xf32>) -> tensor<100x32xf32>
  %c = linalg.matmul ins(%a, %b : tensor<100x64xf32>, tensor<64x32xf32>) outs(%f : tensor<100x32xf32>) -> tensor<100x32xf32>
  %r = tw.relu %c : (tensor<100x32xf32>) -> tensor<100x32xf32>
  return %r : tensor<100x32xf32>
})",
  };
}

} // namespace tilewright::test
