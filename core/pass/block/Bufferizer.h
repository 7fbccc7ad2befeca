//===- Bufferizer.h - a scope as instructions on buffers --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The class behind Bufferize.h. Its parts lie in files of their own:
// ResultBuffers.cpp says where instructions write, BufferizeViews.cpp,
// BufferizeMoves.cpp, BufferizeLoops.cpp, BufferizeOperators.cpp and
// BufferizeLinalg.cpp turn operations into instructions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/block/Bufferize.h"
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::pass {

using Sizes = mlir::SmallVector<mlir::OpFoldResult>;

/// A tile: the memref of its valid part, that part's sizes, the static sizes
/// of the room it has, and the layout it lies in.
struct Buffer {
  mlir::Value memref;
  Sizes sizes; ///< logical, also where the memref is packed
  llvm::SmallVector<int64_t> capacity;
  tile::LayoutAttr layout;

  bool onChip() const {
    return block::underlyingBuffer(memref).getDefiningOp<block::AllocOp>();
  }
};

/// Converts one scope; see Bufferize.h.
class Bufferizer {
public:
  Bufferizer(mlir::func::FuncOp func, const target::Target &target)
      : func(func), target(target), builder(func.getContext()) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult fail(mlir::func::FuncOp made,
                           std::optional<mlir::InFlightDiagnostic> error);
  mlir::MemRefType memrefType(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                              llvm::StringRef level);
  mlir::Type globalType(mlir::Type type);
  void setWhole(mlir::Value tensor, mlir::Value memref);
  mlir::Value index(mlir::Value value) {
    return mapping.lookupOrDefault(value);
  }
  mlir::OpFoldResult index(mlir::OpFoldResult size) {
    auto value = mlir::dyn_cast<mlir::Value>(size);
    return value ? mlir::OpFoldResult(index(value)) : size;
  }
  Sizes indices(llvm::ArrayRef<mlir::OpFoldResult> sizes);
  static bool isTensor(mlir::Value value) {
    return mlir::isa<mlir::RankedTensorType>(value.getType());
  }
  mlir::FailureOr<Buffer> bufferOf(mlir::Operation *user, mlir::Value tensor);
  /// A view of the first `sizes` elements; `memref` itself if that is all.
  mlir::Value validPart(mlir::Location loc, mlir::Value memref,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes);

  // Where instructions write.

  std::string resultLevel(mlir::Operation *op);
  /// The sum that a value is part of is made by the matrix unit.
  static mlir::Operation *unitOf(mlir::Value tensor);
  mlir::FailureOr<Buffer> allocate(mlir::Operation *op, mlir::Value tensor,
                                   llvm::StringRef level,
                                   llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// The part of an output that `tensor`, made in a grid, will be stored to, if
  /// the unit can write there: then there is nothing to store.
  std::optional<Buffer> outputFor(mlir::Value tensor, mlir::Operation *unit,
                                  llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// The memref a store writes to.
  mlir::Value storePlace(mlir::tensor::ParallelInsertSliceOp store,
                         mlir::RankedTensorType type);
  /// Whether `result` is what a loop makes of `carried`, the value it carries:
  /// the same buffer, which the end of each turn writes.
  static bool isLoopResultOf(mlir::Value result, mlir::Value carried);

  /// Whether `tensor` is not read after `op`, so that `op` may write over it.
  static bool endsAt(mlir::Value tensor, mlir::Operation *op);
  /// Where `op` writes its result: the place it is stored to, an operand that
  /// ends here, or a buffer of its own.
  mlir::FailureOr<Buffer>
  destination(mlir::Operation *op, llvm::ArrayRef<mlir::OpFoldResult> sizes,
              llvm::ArrayRef<mlir::Value> reusable = {});
  /// Whether a value seen before may still be read at or after `op`.
  static bool mayBeRead(mlir::Value tensor, mlir::Operation *op);

  // Operations.

  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertForall(mlir::scf::ForallOp loop);
  mlir::LogicalResult convertFor(mlir::scf::ForOp loop);
  mlir::LogicalResult convertStore(mlir::tensor::ParallelInsertSliceOp store);
  /// A buffer that is all of an argument, as one of another shape: to or from
  /// one dimension.
  mlir::Value reshaped(mlir::Location loc, mlir::Value memref,
                       mlir::RankedTensorType type);
  mlir::LogicalResult convertWholeShape(mlir::Operation *op);
  mlir::LogicalResult convertSlice(mlir::tensor::ExtractSliceOp slice);
  mlir::LogicalResult convertExpand(mlir::tensor::ExpandShapeOp expand);
  mlir::LogicalResult convertMove(tile::MoveOp move);
  mlir::LogicalResult convertPack(tile::MoveOp move, const Buffer &source);
  mlir::LogicalResult convertMatmul(tw::MatmulOp op);
  mlir::LogicalResult convertReduce(tw::ReduceOp op);
  mlir::LogicalResult convertFull(tw::FullOp op);
  mlir::Attribute fillValue(tw::FullOp op, mlir::Type element);
  mlir::LogicalResult convertTranspose(tw::TransposeOp op);
  mlir::LogicalResult convertReshape(tw::ReshapeOp op);
  mlir::LogicalResult convertElementwise(mlir::Operation *op);
  mlir::LogicalResult convertLinalg(mlir::linalg::LinalgOp op);
  mlir::LogicalResult convertOther(mlir::Operation *op);
  /// Index arithmetic that only buffers' shapes used.
  void cleanUp();

  mlir::func::FuncOp func;
  const target::Target &target;
  mlir::OpBuilder builder;
  mlir::IRMapping mapping; ///< of values that are no tensors
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  /// Grid results and, inside a grid, its shared_outs -> output argument.
  llvm::DenseMap<mlir::Value, mlir::Value> outputs, shared;
  llvm::SmallPtrSet<mlir::Operation *, 4> stores; ///< stores that are no moves
};

} // namespace tilewright::pass
