//===- ScopeSpace.h - what a scope iterates over ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All operations of a scope share one space of points. Dimension d of a value
// is a dimension of that space, or has one element for all of it. The free
// dimensions are cut into tiles that are computed independently of each other;
// the others are whole in every tile (a reduced axis).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::pass {

/// What an operation on tensors is to the tile passes.
enum class OpRole {
  Matmul,      ///< tw.matmul
  Reduction,   ///< tw.reduce: some axes of its operand go or become 1
  Elementwise, ///< each element from the elements at its place
  Fill,        ///< the same value everywhere; cheap, cloned into its users
  Other,       ///< a scope of its own: transpose, concat, upstream operations …
  None         ///< no tensor operation: constants, index arithmetic
};
OpRole roleOf(mlir::Operation *op);

/// Class of a `tw`, `linalg` or `block` operation as targets name them in
/// rates and placements: matmul, elementwise, transcendental, reduction, cast.
std::string_view targetClassOf(mlir::Operation *op);

/// Sizes are kDynamic where not known; ranks differ, values are aligned at the
/// last dimension.
struct ScopeSpace {
  /// Carries the tile decision: the matmul, else the last reduction, else the
  /// last operation.
  mlir::Operation *root = nullptr;
  OpRole kind = OpRole::None;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallBitVector free;
  /// Dimensions along which every operation has as many elements as the space.
  llvm::SmallBitVector full;
  /// A reduction lost its axes, so that its result no longer lines up with the
  /// space: nothing that uses it can join.
  bool drops = false;
  /// Matmuls that share an operand, step over k together and have tiles alike.
  unsigned matmuls = 0;
  /// Some operation has one element for all tiles along a free dimension: each
  /// of those tiles computes it again.
  bool recomputes = false;

  /// Names in decisions: matmul b0 … m n, else d0 ….
  std::string dimName(unsigned d) const;
  /// Number of points of the dimensions that are whole in a tile; kDynamic if
  /// one of them is not known.
  int64_t wholePoints() const;
};

/// The space of one operation alone; none if it is not a compute operation.
std::optional<ScopeSpace> spaceOf(mlir::Operation *op);

/// The space of `producer` and `consumer` computed together, if one tile can
/// serve both. Without `reads` the second reads nothing that the first makes.
/// Where `recomputes` is set, tiles compute some elements more than once.
std::optional<ScopeSpace> joinSpaces(const ScopeSpace &producer,
                                     const ScopeSpace &consumer,
                                     bool reads = true);

/// The space of `ops`, the operations of one scope in order without prologues,
/// if one tile can serve all of them; else `obstacle`, if asked for, is one
/// that does not fit the others. Joining by pairs may find a way where this
/// finds none: what joins has to ask this, as passes after it do.
mlir::FailureOr<ScopeSpace> commonSpace(llvm::ArrayRef<mlir::Operation *> ops,
                                        mlir::Operation **obstacle = nullptr);

/// Whether two matmuls can share one loop over k: one operand, the depth, types
/// and the way they are read are the same.
bool areSiblings(mlir::Operation *matmul, mlir::Operation *other);

/// The elementwise operations among `ops` (in order) of which nothing is read
/// but, through each other, the operands of matmuls among `ops`: they are
/// computed on tiles of those operands, not of the space.
llvm::SmallVector<mlir::Operation *>
operandPrologues(llvm::ArrayRef<mlir::Operation *> ops);

/// Whether the rows of a scope of `ops` over `space` can be gone through piece
/// by piece, once: what runs along them is needed for nothing but reductions of
/// whole rows, and of nothing that these make.
bool reducesInOnePass(llvm::ArrayRef<mlir::Operation *> ops,
                      const ScopeSpace &space);
/// Whether the result of `op` has elements along a dimension that is whole in
/// every tile.
bool runsAlongRows(mlir::Operation *op, const ScopeSpace &space);

/// For each dimension of result 0 of `op` the dimension of `space` it runs
/// along, or -1 where it has one element for all.
llvm::SmallVector<int> resultDims(mlir::Operation *op, const ScopeSpace &space);

/// The compute operations of a scope, in order, and their common space.
struct ScopeBody {
  llvm::SmallVector<mlir::Operation *> ops;
  ScopeSpace space;
  /// On the operands of matmuls, in order; not among `ops`.
  llvm::SmallVector<mlir::Operation *> prologues;
};
mlir::FailureOr<ScopeBody> analyseScope(mlir::Operation *func);

/// Size of dimension `dim` of `value` in terms of values that are no results
/// of compute operations, so that the operation need not stay.
mlir::OpFoldResult sizeOf(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, int64_t dim);

} // namespace tilewright::pass
