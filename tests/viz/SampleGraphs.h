//===- SampleGraphs.h - graphs to draw and to test with ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"

namespace tilewright::samples {

/// The feed-forward block of an expert at tensor level.
model::Graph tensorFfn();
/// The same in scopes, grids and loops, with moves.
model::Graph tileFfn();
/// A kernel with buffers, instructions on pipes and events.
model::Graph blockKernel();
/// `count` nodes, each fed by one to three earlier ones, mostly near; one edge
/// in seventy goes far back. With `groups` some runs of nodes are in groups,
/// nested up to three deep.
model::Graph random(uint32_t count, uint32_t seed, bool groups = false);

} // namespace tilewright::samples
