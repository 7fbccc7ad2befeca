//===- LevelLayout.h - layered layout of one level of nesting ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/Geometry.h"
#include "viz/Layout.h"
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <vector>

namespace tilewright::viz {

/// Height of the strip with a box's name.
inline constexpr double boxHeader = 24;

/// Something with a size in one level: a node, a box that is already laid out,
/// or a port on the border of the box this level is the inside of.
struct LevelNode {
  enum class Pin : uint8_t { None, First, Last };
  double width = 0;
  double height = 0;
  Pin pin = Pin::None; ///< ports: on the first or the last rank, alone there
  /// Where it was from left to right; NaN if it was not there.
  double hint = std::numeric_limits<double>::quiet_NaN();
  bool isBox = false; ///< its edges end at fixed places (the offsets)
};

struct LevelEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  /// From the middle of a box to where the edge ends on it.
  double fromOffset = 0;
  double toOffset = 0;
  int fromPort = 0; ///< edges of one port leave a node at one place
  /// Not data: the one to turn around where there is a cycle.
  bool weak = false;
  bool labelled = false; ///< starts with a straight piece for the label
};

/// How one edge runs.
struct LevelRoute {
  enum class Kind : uint8_t {
    Through, ///< rank by rank, by its bends
    Channel, ///< out to the side, along it, back in
    Stub,    ///< not drawn between its ends
    Loop     ///< from a node to itself
  };
  Kind kind = Kind::Through;
  bool reversed = false; ///< against the ranks
  uint32_t firstBend = 0;
  uint32_t bendCount = 0; ///< one for each rank passed, in rank order
  double startX = 0;      ///< at the upper end
  double endX = 0;        ///< at the lower end
  double laneX = 0;       ///< Channel: where it runs down
  double laneTop = 0;     ///< Channel: where it leaves to the side
  double laneBottom = 0;  ///< Channel: where it comes back
};

struct LevelResult {
  std::vector<double> x; ///< of each node's middle
  std::vector<double> y; ///< of each node's top
  std::vector<uint32_t> rank;
  std::vector<double> rankTop;
  std::vector<double> rankBottom;
  std::vector<double> bends; ///< x; used by `LevelRoute::firstBend`
  std::vector<LevelRoute> routes;
  double left = 0; ///< of everything, channels included
  double right = 0;
  double height = 0; ///< from 0
  int64_t crossings = 0;
};

/// Lays out one level. False if `stop` was requested.
bool layOutLevel(const std::vector<LevelNode> &nodes,
                 const std::vector<LevelEdge> &edges,
                 const LayoutOptions &options, std::stop_token stop,
                 LevelResult &result);

} // namespace tilewright::viz
