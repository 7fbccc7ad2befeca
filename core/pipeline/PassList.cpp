//===- PassList.cpp - the passes in the order they run --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/PassList.h"
#include "core/pass/block/AllocateOnchip.h"
#include "core/pass/block/Bufferize.h"
#include "core/pass/block/InsertSync.h"
#include "core/pass/block/MergeBlocks.h"
#include "core/pass/block/OrderInstructions.h"
#include "core/pass/block/OutlineKernels.h"
#include "core/pass/block/PackWeights.h"
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

using namespace mlir;

namespace tilewright {

namespace {

/// form-scopes with its decisions and remarks handed to the session.
class FormScopesStep
    : public PassWrapper<FormScopesStep, OperationPass<ModuleOp>> {
public:
  explicit FormScopesStep(PassInputs &inputs) : inputs(inputs) {}
  StringRef getArgument() const override { return "form-scopes"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    pass::createFormScopesPass()->getDependentDialects(registry);
  }
  void runOnOperation() override {
    auto formed = pass::formScopes(getOperation(), *inputs.target, inputs.pins,
                                   inputs.missing);
    if (failed(formed))
      return signalPassFailure();
    inputs.formedDecisions = std::move(formed->decisions);
    inputs.formedDiagnostics = std::move(formed->diagnostics);
  }

private:
  PassInputs &inputs;
};

/// choose-tiles with its decisions and remarks handed to the session.
class ChooseTilesStep
    : public PassWrapper<ChooseTilesStep, OperationPass<ModuleOp>> {
public:
  explicit ChooseTilesStep(PassInputs &inputs) : inputs(inputs) {}
  StringRef getArgument() const override { return "choose-tiles"; }
  void runOnOperation() override {
    auto chosen =
        pass::chooseTiles(getOperation(), *inputs.target,
                          {inputs.pins, inputs.budgets, inputs.missing});
    if (failed(chosen))
      return signalPassFailure();
    inputs.decisions = std::move(chosen->decisions);
    inputs.tiledScopes = std::move(chosen->scopes);
    inputs.diagnostics = std::move(chosen->diagnostics);
  }

private:
  PassInputs &inputs;
};

/// A pass that needs nothing of the session.
template <auto Create>
PassEntry plain(const char *stage, const char *name,
                PassUnit unit = PassUnit::Program) {
  return {stage, name, unit, [](PassInputs &) { return Create(); }};
}

/// A pass that asks the target.
template <auto Create>
PassEntry targeted(const char *stage, const char *name,
                   PassUnit unit = PassUnit::Scope) {
  return {stage, name, unit,
          [](PassInputs &inputs) { return Create(inputs.target); }};
}

} // namespace

const std::vector<PassEntry> &passList() {
  using namespace pass;
  static const std::vector<PassEntry> passes = {
      plain<createRaiseContractionsPass>("tensor", "raise-contractions"),
      plain<createRaiseTensorsPass>("tensor", "raise-tensors"),
      plain<createInferShapesPass>("tensor", "infer-shapes"),
      plain<createDecomposeCompositesPass>("tensor", "decompose-composites"),
      plain<createEliminateNopsPass>("tensor", "eliminate-nops"),
      plain<createSimplifyAlgebraPass>("tensor", "simplify-algebra"),
      plain<createFoldConstantsPass>("tensor", "fold-constants"),
      plain<createCsePass>("tensor", "cse"),
      plain<createDcePass>("tensor", "dce"),
      targeted<createSplitAccumulatorsPass>("tile", "split-accumulators",
                                            PassUnit::Program),
      {"tile", "form-scopes", PassUnit::Program,
       [](PassInputs &inputs) {
         return std::make_unique<FormScopesStep>(inputs);
       }},
      {"tile", "choose-tiles", PassUnit::Program,
       [](PassInputs &inputs) {
         return std::make_unique<ChooseTilesStep>(inputs);
       }},
      targeted<createExpandTilesPass>("tile", "expand-tiles"),
      targeted<createPlaceTilesPass>("tile", "place-tiles"),
      targeted<createReuseLoadsPass>("tile", "reuse-loads"),
      targeted<createBufferizePass>("block", "bufferize"),
      targeted<createOutlineKernelsPass>("block", "outline-kernels"),
      targeted<createPackWeightsPass>("block", "pack-weights"),
      targeted<createMergeBlocksPass>("block", "merge-blocks"),
      {"block", "pipeline-buffers", PassUnit::Scope,
       [](PassInputs &inputs) {
         return createPipelineBuffersPass(inputs.target,
                                          &inputs.scopeDecisions);
       }},
      targeted<createOrderInstructionsPass>("block", "order-instructions"),
      targeted<createStreamResultsPass>("block", "stream-results"),
      targeted<createAllocateOnchipPass>("block", "allocate-onchip"),
      targeted<createInsertSyncPass>("block", "insert-sync"),
      plain<createBuildTasksPass>("execution", "build-tasks"),
  };
  return passes;
}

size_t chooseTilesPosition(const std::vector<PassEntry> &passes) {
  size_t i = 0;
  while (passes[i].name != "choose-tiles")
    ++i;
  return i;
}

} // namespace tilewright
