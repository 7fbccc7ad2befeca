//===- ScopeCost.h - what computing operations together costs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is asked before there is a scope to choose tiles for (those are weighed
// by core/estimate): of parts of a split depth, of other cores, of an attention
// whose steps are not laid out. With c the seconds one core computes, b the
// bytes that cross global memory, t the tiles that can be computed side by side
// and n = min(cores, t):
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

  /// Seconds of a matmul under its default tiles.
  double matmul(mlir::Operation *op) const;
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
};

} // namespace tilewright::pass
