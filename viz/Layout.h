//===- Layout.h - layered layout --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/Fold.h"
#include "viz/Language.h"
#include "viz/Scene.h"
#include <functional>
#include <optional>
#include <stop_token>

namespace tilewright::viz {

/// Called with the done share, 0 to 1, from the thread that works.
using Progress = std::function<void(double)>;

struct LayoutOptions {
  double nodeGap = 28; ///< least distance of neighbours in a rank
  double rankGap = 60; ///< least distance of ranks; grows for wide fans
  double edgeGap = 14; ///< least distance of an edge to its neighbours
  double groupPadding = 18;
  double maxNodeWidth = 240; ///< longer texts are elided
  bool edgeLabels = true;    ///< tensor types
  /// Width over height that what stands alone is arranged for.
  double aspect = 1.6;
  Language language = Language::English;
  /// Edges over more ranks are led along the side while few, else cut to
  /// stubs. Keeps the layout near linear.
  int maxSpan = 24;
  int maxSideChannels = 16; ///< a level of nesting
  /// Groups nested deeper are laid out collapsed.
  int maxDepth = 48;
  int maxSweeps = 16; ///< of crossing reduction; stops earlier on a stall
};

/// Places the visible graph: ranks from top to bottom, groups as boxes around
/// their own layout. Deterministic. `previous` may be null; where it knows a
/// node, its order from left to right is kept unless that costs crossings.
/// Empty only if `stop` was requested. Near linear: 100,000 nodes in seconds.
std::optional<Scene>
layOut(const model::Graph &graph, const VisibleGraph &visible,
       const TextMeasurer &measurer, const LayoutOptions &options = {},
       const Positions *previous = nullptr, std::stop_token stop = {},
       const Progress &progress = {});

} // namespace tilewright::viz
