//===- WhatIf.h - what other tiles would do ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include <string>
#include <vector>

namespace tilewright::model {

/// One setting of the tile space.
struct TilePoint {
  int64_t x = 0, y = 0; ///< sizes along the axes of the map
  TileSizes sizes;      ///< as a pin has them
  bool legal = true;
  std::string code; ///< why not: as a diagnostic; empty if legal
  std::string why;
  double seconds = 0; ///< estimated; 0 if not legal
  int64_t tasks = 0;
  double coreUse = 0;
  std::string bound; ///< engine that works longest
};

/// The tile space of one operation as a map over two of its dimensions; where
/// more can be chosen (the depth of a matmul), each point has the best of them.
/// The result of `tilewright/whatIf`. Every time is of origin `estimated`.
struct WhatIf {
  static constexpr const char *schema = "tilewright/whatIf";
  static constexpr int version = 1;

  int64_t documentVersion = 0;
  int64_t generation = 0;
  std::string key;   ///< of the operation that carries the tile decision
  std::string asked; ///< the key that was asked about
  std::string target;
  std::string xDim, yDim;      ///< names; yDim is empty where there is one axis
  std::vector<int64_t> xs, ys; ///< sizes along the axes, growing
  std::vector<TilePoint> points; ///< one for each y and x, x fastest
  int64_t current = -1; ///< index of the point in force; -1: not on the map
  int64_t best = -1;    ///< of the fastest legal point; -1: none is legal
  double currentSeconds = 0; ///< of the tiles in force
  int64_t weighed = 0;       ///< settings that were judged
  double milliseconds = 0;   ///< that took; measured
};
void to_json(nlohmann::json &json, const WhatIf &map);
void from_json(const nlohmann::json &json, WhatIf &map);

/// "L1.m=128 L1.n=256 L0.k=64".
std::string tileText(const TileSizes &sizes);

} // namespace tilewright::model
