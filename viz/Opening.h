//===- Opening.h - how much of a graph is shown at first --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/Layout.h"
#include <map>
#include <optional>

namespace tilewright::viz {

/// The area a graph is shown in, in units of the scene: pixels divided by the
/// least scale at which its texts can be read.
struct Frame {
  double width = 0;
  double height = 0;
};

/// A graph as it is shown at first.
struct Opening {
  CollapsedSet collapsed;
  VisibleGraph visible;
  Scene scene;
  bool whole = false; ///< all of it fits into the frame
};

/// Opens groups from the outside in while all of the graph stays within
/// `frame`. A group that is alone at its level says nothing closed: it opens
/// whatever its size, so a graph that is one large function begins in its
/// inside. Groups named in `chosen` are open (true) or closed (false) as it
/// says. The work is bounded: near linear in the graph plus what can be seen in
/// the frame. Empty only if `stop` was requested.
std::optional<Opening> openReadably(
    const model::Graph &graph, const Frame &frame, const TextMeasurer &measurer,
    const std::map<std::string, bool> &chosen = {}, LayoutOptions options = {},
    const Positions *previous = nullptr, std::stop_token stop = {});

} // namespace tilewright::viz
