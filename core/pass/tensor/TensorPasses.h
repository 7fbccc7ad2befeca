//===- TensorPasses.h - the passes of the Tensor graph ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Module passes. Each leaves a key on every operation it makes or keeps, takes
// time linear in the operations, and preserves all analyses when it changed
// nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <functional>
#include <memory>

namespace tilewright::pass {

/// `infer-shapes`: result types as exact as operands and attributes tell.
std::unique_ptr<mlir::Pass> createInferShapesPass();

/// `raise-contractions`: matrix products written in linalg become tw.matmul.
std::unique_ptr<mlir::Pass> createRaiseContractionsPass();

/// `raise-tensors`: arith and math on tensors, and slices, insertions, shapes
/// and joined tensors of the tensor dialect, become tw operators; elementwise
/// operations that tw has not become linalg.generic.
std::unique_ptr<mlir::Pass> createRaiseTensorsPass();

/// `decompose-composites`: sigmoid, silu, gelu, softmax, rms_norm and
/// layer_norm written out in primitive operators, in f32 inside.
std::unique_ptr<mlir::Pass> createDecomposeCompositesPass();
/// The same, but operations for which `keep` says so stay as they are.
std::unique_ptr<mlir::Pass> createDecomposeCompositesPassKeeping(
    std::function<bool(mlir::Operation *)> keep);

/// `eliminate-nops`: operators on no elements, and those that change nothing.
std::unique_ptr<mlir::Pass> createEliminateNopsPass();

/// `simplify-algebra`: rewrites that keep every value (see the .cpp for what
/// that means for NaN, infinities and zeros).
std::unique_ptr<mlir::Pass> createSimplifyAlgebraPass();

/// `fold-constants`: operators on constants, run by the interpreter.
std::unique_ptr<mlir::Pass> createFoldConstantsPass();

/// `cse`: equal pure operations made one, which carries the keys of all.
std::unique_ptr<mlir::Pass> createCsePass();

/// `dce`: operations without effect whose results nobody reads.
std::unique_ptr<mlir::Pass> createDcePass();

} // namespace tilewright::pass
