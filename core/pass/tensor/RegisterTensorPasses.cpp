//===- RegisterTensorPasses.cpp - tensor passes by name -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/RegisterPasses.h"
#include "core/pass/tensor/TensorPasses.h"
#include "mlir/Pass/PassRegistry.h"

void tilewright::registerTensorPasses() {
  using namespace tilewright::pass;
  mlir::registerPass(createRaiseContractionsPass);
  mlir::registerPass(createRaiseTensorsPass);
  mlir::registerPass(createInferShapesPass);
  mlir::registerPass([] { return createDecomposeCompositesPass(); });
  mlir::registerPass(createEliminateNopsPass);
  mlir::registerPass(createSimplifyAlgebraPass);
  mlir::registerPass(createFoldConstantsPass);
  mlir::registerPass(createCsePass);
  mlir::registerPass(createDcePass);
}
