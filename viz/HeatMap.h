//===- HeatMap.h - what other tiles would do, as a picture ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/WhatIf.h"
#include "viz/Theme.h"
#include <string>

namespace tilewright::viz {

/// A map of tile sizes as self-contained SVG 1.1: a cell for each point,
/// coloured by its time compared with the best (on a logarithmic scale, up to
/// ten times), what is not legal hatched, the point in force framed and the
/// best one marked. Each cell says its sizes, time or fault as <title>.
std::string heatMapSvg(const model::WhatIf &map,
                       ThemeName name = ThemeName::Light);

} // namespace tilewright::viz
