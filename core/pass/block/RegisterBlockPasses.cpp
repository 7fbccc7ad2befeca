//===- RegisterBlockPasses.cpp - the block stage's passes by name ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/RegisterPasses.h"
#include "core/pass/block/AllocateOnchip.h"
#include "core/pass/block/Bufferize.h"
#include "core/pass/block/InsertSync.h"
#include "core/pass/block/MergeBlocks.h"
#include "core/pass/block/OrderInstructions.h"
#include "core/pass/block/OutlineKernels.h"
#include "core/pass/block/PackWeights.h"
#include "core/pass/block/PipelineBuffers.h"
#include "core/pass/block/StreamResults.h"

void tilewright::registerBlockPasses() {
  mlir::registerPass([] { return pass::createBufferizePass(); });
  mlir::registerPass([] { return pass::createOutlineKernelsPass(); });
  mlir::registerPass([] { return pass::createPackWeightsPass(); });
  mlir::registerPass([] { return pass::createMergeBlocksPass(); });
  mlir::registerPass([] { return pass::createPipelineBuffersPass(); });
  mlir::registerPass([] { return pass::createOrderInstructionsPass(); });
  mlir::registerPass([] { return pass::createStreamResultsPass(); });
  mlir::registerPass([] { return pass::createAllocateOnchipPass(); });
  mlir::registerPass([] { return pass::createInsertSyncPass(); });
}
