//===- TileExpander.h - a scope becomes grids of tiles ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/SplitReduction.h"
#include "core/decision/TileProblem.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/DenseMap.h"
#include <array>

namespace tilewright::pass {

/// Turns the body of one scope into grids of tiles (ExpandTiles.h). Its parts
/// lie in the files that the sections below name.
class TileExpander {
public:
  TileExpander(mlir::func::FuncOp func, const target::Target &target)
      : func(func), target(target), builder(func.getContext()) {}

  llvm::LogicalResult run();

private:
  using Sizes = llvm::SmallVector<mlir::OpFoldResult>;

  /// A grid being built: the loop over it and, for each dimension of the space,
  /// where this tile begins and how large it is.
  struct Grid {
    mlir::scf::ForallOp loop;
    Sizes offsets, sizes;
  };
  struct Tile {
    mlir::Value value;
    Sizes offsets, sizes;
  };

  /// Tells zeros apart while equal operations become one.
  static constexpr const char *sumNumber = "tile.sum";

  //===--------------------------------------------------------------------===//
  // ExpandTiles.cpp: grids, and operations fused over one space
  //===--------------------------------------------------------------------===//

  /// A forall over the `free` dimensions of `extents`; the others are whole.
  Grid makeGrid(mlir::Location loc, llvm::ArrayRef<mlir::OpFoldResult> extents,
                const llvm::SmallBitVector &free, llvm::ArrayRef<int64_t> tiles,
                mlir::ValueRange outputs);
  mlir::Value emptyFor(mlir::Location loc, mlir::Value like);
  void insert(Grid &grid, mlir::Location loc, mlir::Value tile, unsigned output,
              llvm::ArrayRef<mlir::OpFoldResult> offsets,
              llvm::ArrayRef<mlir::OpFoldResult> sizes);
  llvm::SmallVector<int64_t> tilesFor(const decision::ResolvedTiles &tiles);
  void resolveTilesOf(mlir::Operation *op);
  Sizes sizesOf(mlir::Location loc, mlir::Value value);
  llvm::LogicalResult expandFused();
  /// What is returned, from the tiles of `grid`.
  void storeResults(Grid &grid);
  /// Tile of the result of `op` at `grid`.
  Tile placeOf(mlir::Operation *op, const Grid &grid);
  llvm::LogicalResult tileOperation(mlir::Operation *op, const Grid &grid);
  llvm::LogicalResult tileAll(llvm::ArrayRef<mlir::Operation *> ops,
                              const Grid &grid);
  /// Sizes of the space, each from a value that has all of it.
  mlir::FailureOr<Sizes> spaceSizes(mlir::Location loc);
  /// Makes `tiled`, cut from `original`, read tiles made before instead of
  /// slices of whole results.
  llvm::LogicalResult connect(mlir::Operation *tiled,
                              mlir::Operation *original);
  /// A tile of what is computed on the way into a matmul's operand.
  mlir::FailureOr<mlir::Value>
  prologueTile(mlir::Operation *op, llvm::ArrayRef<mlir::OpFoldResult> offsets,
               llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// A tile of a value that is the same everywhere.
  mlir::FailureOr<mlir::Value>
  fillTile(mlir::Operation *fill, llvm::ArrayRef<mlir::OpFoldResult> sizes,
           mlir::Type wanted);

  //===--------------------------------------------------------------------===//
  // ExpandRowPieces.cpp: rows in pieces
  //===--------------------------------------------------------------------===//

  /// A reduction whose rows are gone through in pieces: each piece is reduced
  /// and added to what is carried of those before it.
  struct Carried {
    tw::ReduceOp op;
    mlir::RankedTensorType type; ///< of what is carried
    mlir::Value value;
  };
  /// The operations of a scope whose rows are gone through in pieces.
  struct RowOps {
    llvm::SmallVector<mlir::Operation *> before; ///< beside the rows
    /// On the rows, needed by `reductions`.
    llvm::SmallVector<mlir::Operation *> along;
    llvm::SmallVector<tw::ReduceOp> reductions;
    llvm::SmallVector<mlir::Operation *> after;
  };

  /// Sums of narrow floats are carried as f32 and rounded once.
  mlir::Type carriedType(tw::ReduceOp op);
  RowOps rowOps();
  /// What the rows of `grid`, or its parts of them, come to; `limits` are the
  /// most elements it has of them along each dimension.
  mlir::FailureOr<llvm::SmallVector<Carried>>
  reduceRows(const RowOps &ops, const Grid &grid,
             llvm::ArrayRef<int64_t> limits);
  /// Results of the reductions from what all of their rows come to.
  void finishRows(llvm::MutableArrayRef<Carried> carried, const Grid &grid);
  llvm::LogicalResult tileRowPieces(const Grid &grid);
  /// The loops over the pieces, from dimension `d` of the space on.
  llvm::LogicalResult tilePieces(const Grid &grid, Grid &piece, unsigned d,
                                 llvm::ArrayRef<int64_t> limits,
                                 llvm::ArrayRef<mlir::Operation *> along,
                                 llvm::MutableArrayRef<Carried> carried);
  llvm::LogicalResult reducePiece(const Grid &piece, Carried &each);

  //===--------------------------------------------------------------------===//
  // ExpandSplit.cpp: rows in parts, side by side
  //===--------------------------------------------------------------------===//

  /// Two grids: one over parts of the rows, which leaves what each part comes
  /// to, and one that joins these, always in the same order.
  llvm::LogicalResult expandSplit(mlir::Location loc,
                                  const decision::Split &split,
                                  const Sizes &extents,
                                  mlir::ValueRange outputs);

  //===--------------------------------------------------------------------===//
  // ExpandMatmul.cpp: over the depth of matmuls
  //===--------------------------------------------------------------------===//

  /// One of the matmuls that step over k together, and its tiles there.
  struct Product {
    tw::MatmulOp op;
    mlir::Value lhs, rhs;
    /// Null before the first step of those that start from nothing.
    mlir::Value sum;
    /// Of the tiles of both operands: how deep they are (null: not cut yet),
    /// and where in them the step begins.
    std::array<mlir::OpFoldResult, 2> held{}, from{};
  };
  /// One loop over the depth, and the operands that are cut there.
  struct DepthLevel {
    int64_t depth;
    std::array<bool, 2> cuts{true, true};
  };

  /// Slices one operand: `along` is the tile's m or n, `depth` its k. Leading
  /// batches are dropped from a tensor that still has them.
  mlir::Value
  sliceOperand(mlir::Location loc, mlir::Value source, bool depthFirst,
               llvm::ArrayRef<mlir::OpFoldResult> batchOffsets,
               mlir::OpFoldResult alongOffset, mlir::OpFoldResult alongSize,
               mlir::OpFoldResult depthOffset, mlir::OpFoldResult depthSize);
  mlir::OpFoldResult sum(mlir::OpFoldResult outer, mlir::OpFoldResult inner);
  /// The loops over k from level `level` of `depths` on, adding to the sums of
  /// `products`; where they are null the first step stands before its loop.
  llvm::LogicalResult tileDepth(llvm::MutableArrayRef<Product> products,
                                const Grid &grid, unsigned level,
                                mlir::OpFoldResult extent);
  /// Tiles of all matmuls of the scope, into `sums`.
  llvm::LogicalResult tileMatmuls(const Grid &grid);
  /// A sum as what follows takes it: of the result's type and rank.
  mlir::Value finishSum(tw::MatmulOp op, mlir::Value sum,
                        llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes);

  //===--------------------------------------------------------------------===//
  // ExpandAlone.cpp: operations that are scopes of their own
  //===--------------------------------------------------------------------===//

  llvm::LogicalResult expandOther();
  llvm::LogicalResult expandTileable(mlir::TilingInterface op);
  /// Copies `source` tile by tile to `into` at offsets and strides of the
  /// destination; where `fromSlice` the offsets and strides are the source's.
  mlir::Value copyGrid(mlir::Location loc, mlir::Value source, mlir::Value into,
                       llvm::ArrayRef<mlir::OpFoldResult> extents,
                       llvm::ArrayRef<int64_t> offsets,
                       llvm::ArrayRef<int64_t> strides, bool fromSlice);
  llvm::LogicalResult expandSlice(tw::SliceOp op);
  llvm::LogicalResult expandConcat(tw::ConcatOp op);
  llvm::LogicalResult expandInsert(tw::InsertOp op);
  llvm::LogicalResult expandReshape(tw::ReshapeOp op);

  mlir::func::FuncOp func;
  const target::Target &target;
  mlir::OpBuilder builder;
  ScopeBody body;
  mlir::func::ReturnOp ret;
  decision::ResolvedTiles tiles;
  llvm::SmallVector<DepthLevel> depths; ///< of k, outermost first
  mlir::RankedTensorType sumType;       ///< of one tile's sums
  /// Tile of each matmul's result.
  llvm::DenseMap<mlir::Operation *, mlir::Value> sums;
  llvm::DenseMap<mlir::Value, Tile> made;
};

} // namespace tilewright::pass
