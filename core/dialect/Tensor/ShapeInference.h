//===- ShapeInference.h - result shapes from operand shapes -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes are in elements, `ShapedType::kDynamic` for `?`. On failure `error`
// says what does not fit, with the figures and a code.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace tilewright::tw {

using Shape = llvm::SmallVector<int64_t>;
using ShapeRef = llvm::ArrayRef<int64_t>;

/// "128x?x64", or "scalar" for no dimensions.
std::string shapeText(ShapeRef shape);

/// numpy's rule: aligned at the last dimension, a static 1 stretches. `?` never
/// does: where it meets a size other than 1 both are asserted to be equal.
llvm::FailureOr<Shape> broadcastShapes(llvm::ArrayRef<ShapeRef> shapes,
                                       std::string &error);
llvm::FailureOr<Shape> matmulShape(ShapeRef lhs, ShapeRef rhs,
                                   bool transposeLhs, bool transposeRhs,
                                   std::string &error);
llvm::FailureOr<Shape> reduceShape(ShapeRef input, llvm::ArrayRef<int64_t> axes,
                                   bool keepDims, std::string &error);
llvm::FailureOr<Shape> transposeShape(ShapeRef input,
                                      llvm::ArrayRef<int64_t> permutation,
                                      std::string &error);
/// A `?` in `sizes` takes what is left. Empty `strides` means ones.
llvm::FailureOr<Shape> sliceShape(ShapeRef input,
                                  llvm::ArrayRef<int64_t> offsets,
                                  llvm::ArrayRef<int64_t> sizes,
                                  llvm::ArrayRef<int64_t> strides,
                                  std::string &error);
llvm::FailureOr<Shape> concatShape(llvm::ArrayRef<ShapeRef> inputs,
                                   int64_t axis, std::string &error);
/// `wanted` with its `?` worked out where that can be done.
llvm::FailureOr<Shape> reshapeShape(ShapeRef input, ShapeRef wanted,
                                    std::string &error);

/// `axis` counted from the front; fails if it is not below `rank`.
llvm::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank,
                                       std::string &error);

/// The most that can be said of the shape of the one result of a `tw`
/// operator: from its operands and attributes, and for operators whose shape
/// is stated (reshape, full) from the result type.
llvm::FailureOr<Shape> inferShape(mlir::Operation *op, std::string &error);

/// What both shapes say together; fails if they differ in rank or in a size.
llvm::FailureOr<Shape> joinShapes(ShapeRef a, ShapeRef b);

} // namespace tilewright::tw
