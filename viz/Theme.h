//===- Theme.h - colours of a picture ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace tilewright::viz {

struct Colour {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;
  std::string hex() const; ///< "#rrggbb"
  friend bool operator==(const Colour &, const Colour &) = default;
};

enum class ThemeName { Light, Dark };

struct NodeColours {
  Colour fill;
  Colour border;
  Colour text;
  Colour mutedText;
};

/// Every text of a theme has a contrast of at least 4.5 on what it stands on;
/// a test holds that.
struct Theme {
  Colour background;
  Colour text;
  Colour mutedText;
  Colour edgeLabel;
  Colour dataEdge;
  Colour orderEdge; ///< drawn dashed
  Colour eventEdge; ///< drawn dotted
  Colour selection;
};

const Theme &theme(ThemeName name);
NodeColours nodeColours(ThemeName name, model::NodeKind kind);
/// Of the box of an expanded group; alternates with depth.
NodeColours groupColours(ThemeName name, model::NodeKind kind, int depth);

} // namespace tilewright::viz
