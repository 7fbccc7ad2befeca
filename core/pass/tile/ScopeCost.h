//===- ScopeCost.h - what computing operations together costs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closed-form estimates by which form-scopes judges. With c the seconds one
// core computes, b the bytes that cross global memory, t the tiles that can be
// computed side by side and n = min(cores, t):
//
//   compute = c / n
//   memory  = b / min(n * rate of a core's load, rate of global memory)
//   seconds = dispatch + max(compute, memory)    (their sum on one pipe)
//
// Sizes only known at run time are taken as 1024.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pass/tile/ScopeSpace.h"
#include "core/target/Target.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace tilewright::pass {

/// Bytes of a tensor.
double tensorBytes(mlir::Value value);

class ScopeCost {
public:
  explicit ScopeCost(const target::Target &target);

  /// Seconds that one core computes on all of `op`.
  double computeSeconds(mlir::Operation *op) const;
  /// Tiles of `space` that can be computed side by side.
  double tasks(const ScopeSpace &space) const;
  /// Seconds of the whole scope; see above.
  double seconds(OpRole kind, double computeSeconds, double bytes,
                 double tasks) const;

  /// The memory part of it alone; linear in `bytes`.
  double memorySeconds(OpRole kind, double bytes, double tasks) const;

  /// A matmul under its default tiles.
  struct Matmul {
    double seconds = 0;
    double rowTiles = 1, columnTiles = 1; ///< of m and of n
  };
  /// `count` matmuls like `op` that share an operand, in one scope.
  Matmul matmul(mlir::Operation *op, unsigned count);
  /// Seconds of a matmul where there is no matrix unit: conversions to f32,
  /// products and their sums.
  double writtenOutMatmul(mlir::Operation *op) const;

private:
  const target::Target &target;
  struct Unit {
    double cores = 1, loadRate = 1;
    bool onePipe = true;
  };
  Unit unitOf(std::string_view placementClass) const;
  Unit matmulUnit, vectorUnit;
  double globalRate = 0, dispatch = 0;
  llvm::StringMap<Matmul> known; ///< by shapes, types and count
};

} // namespace tilewright::pass
