//===- MemoryMapSvg.h - memory maps as pictures -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/MemoryMap.h"
#include "viz/Theme.h"
#include <string>

namespace tilewright::viz {

struct MemoryMapOptions {
  ThemeName theme = ThemeName::Light;
  std::string title; ///< before the pass, e.g. the source's name
  std::string level; ///< only this one; empty: all
};

/// Every kernel of `map`, one panel a memory level: instructions from left to
/// right, addresses upwards, each buffer a rectangle. Lines mark what is usable
/// and the high-water mark, a band the step at which most is alive, brackets
/// the loops. A self-contained SVG 1.1.
std::string toSvg(const model::MemoryMap &map,
                  const MemoryMapOptions &options = {});

/// Fill, border and text of the buffers that came from one operation; chosen
/// by the name, the same everywhere. The text has a contrast of at least 4.5.
NodeColours bufferColours(ThemeName name, std::string_view key);

} // namespace tilewright::viz
