//===- OperatorHooks.h - what every tw operator shares ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that the methods of all operators lead to (see the base classes
// in TensorOps.td). Each is written once, over the operator's iteration space
// or shape rule, and not once an operator.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace tilewright::tw {

// The method declarations that TilingInterface generates name these
// unqualified.
using llvm::ArrayRef;
using llvm::FailureOr;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using mlir::OpBuilder;
using mlir::OpFoldResult;
using mlir::Range;
namespace utils = mlir::utils;

// Verifiers.cpp
llvm::LogicalResult verifyOperator(mlir::Operation *op);

// ShapeInference.cpp
llvm::LogicalResult
reifyResultShapes(mlir::Operation *op, mlir::OpBuilder &builder,
                  mlir::ReifiedRankedShapedTypeDims &shapes);
/// The type of an elementwise operator on `lhs` and `rhs`: the broadcast shape
/// with the element type of `lhs`; the type of `lhs` where they do not
/// broadcast, which the verifier then reports.
mlir::RankedTensorType broadcastType(mlir::Value lhs, mlir::Value rhs);

// Tiling.cpp
llvm::SmallVector<mlir::utils::IteratorType> iteratorTypes(mlir::Operation *op);
llvm::SmallVector<mlir::Range> iterationDomain(mlir::Operation *op,
                                               mlir::OpBuilder &b);
llvm::FailureOr<mlir::TilingResult>
tiledImplementation(mlir::Operation *op, mlir::OpBuilder &b,
                    llvm::ArrayRef<mlir::OpFoldResult> offsets,
                    llvm::ArrayRef<mlir::OpFoldResult> sizes);
llvm::LogicalResult
resultTilePosition(mlir::Operation *op, mlir::OpBuilder &b,
                   llvm::ArrayRef<mlir::OpFoldResult> offsets,
                   llvm::ArrayRef<mlir::OpFoldResult> sizes,
                   llvm::SmallVector<mlir::OpFoldResult> &resultOffsets,
                   llvm::SmallVector<mlir::OpFoldResult> &resultSizes);
llvm::FailureOr<mlir::TilingResult>
resultTileValue(mlir::Operation *op, mlir::OpBuilder &b,
                llvm::ArrayRef<mlir::OpFoldResult> offsets,
                llvm::ArrayRef<mlir::OpFoldResult> sizes);
llvm::LogicalResult domainTileFromResultTile(
    mlir::Operation *op, mlir::OpBuilder &b,
    llvm::ArrayRef<mlir::OpFoldResult> offsets,
    llvm::ArrayRef<mlir::OpFoldResult> sizes,
    llvm::SmallVectorImpl<mlir::OpFoldResult> &domainOffsets,
    llvm::SmallVectorImpl<mlir::OpFoldResult> &domainSizes);

} // namespace tilewright::tw
