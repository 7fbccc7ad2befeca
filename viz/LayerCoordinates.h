//===- LayerCoordinates.h - x of the vertices of a level --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/LayerOrder.h"

namespace tilewright::viz {

struct Spacing {
  double node = 0; ///< between two nodes
  double edge = 0; ///< where one of them is a bend
};

/// Values nearest to `wanted` (least squares with `weight`) such that each is
/// at least `gap[i]` above the one before (`gap[0]` is unused). Exact, linear.
/// Solved in place of `wanted`; the other vectors are scratch.
class OrderedFit {
public:
  void solve(std::vector<double> &wanted, const std::vector<double> &weight,
             const std::vector<double> &gap);

private:
  struct Block {
    double sum, weight;
    uint32_t count;
  };
  std::vector<Block> blocks;
  std::vector<double> shift;
};

/// Middles of all vertices, in the order of the layers, without overlap: edges
/// as upright as the order allows, those of bends first. `width` is by vertex,
/// 0 for bends, which are the vertices from `firstBend` on. False if `stop`
/// was requested.
bool placeVertices(const LayerGraph &graph, const std::vector<double> &width,
                   uint32_t firstBend, const Spacing &spacing,
                   std::stop_token stop, std::vector<double> &x);

} // namespace tilewright::viz
