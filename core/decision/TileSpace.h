//===- TileSpace.h - all tiles an operation could have ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TiledScope.h"
#include "core/model/WhatIf.h"

namespace tilewright::decision {

/// The tile space of `scope` over its two chief dimensions: m and n of a matmul
/// or an attention, else the last two that are cut. Sizes are multiples of what
/// the machine computes at a time, with ratios of 4/3 and 3/2 from one to the
/// next; those in force and the whole extent are among them. At most
/// `mostPoints` points: of longer axes, evenly, fewer sizes. Takes some
/// microseconds a point.
model::WhatIf mapTiles(const TiledScope &scope, const target::Target &target,
                       int64_t mostPoints = 1024);

} // namespace tilewright::decision
