//===- Export.h - scenes and graphs as files --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/Fold.h"
#include "viz/Language.h"
#include "viz/Scene.h"
#include "viz/Theme.h"
#include <nlohmann/json.hpp>
#include <string>

namespace tilewright::viz {

struct SvgOptions {
  ThemeName theme = ThemeName::Light;
  bool legend = true;   ///< the node kinds that occur
  bool heading = true;  ///< stage, pass and counts
  std::string title;    ///< before the stage, e.g. the source's name
  bool tooltips = true; ///< full names, keys and attributes as <title>
  /// For pages that make the picture live: each node and each group's title is
  /// a <g> with its id as `data-id`, the ground has the class `ground`.
  bool identify = false;
  Language language = Language::English; ///< of the scene's layout as well
};

/// A self-contained SVG 1.1 picture (no scripts, no style sheet, no external
/// font), valid XML whatever the texts hold. `graph` is the one the scene was
/// laid out from.
std::string toSvg(const model::Graph &graph, const Scene &scene,
                  const SvgOptions &options = {});

/// Graphviz text of the visible graph, groups as clusters.
std::string toDot(const model::Graph &graph, const VisibleGraph &visible);

/// The scene as JSON: schema "tilewright/scene", version 1.
nlohmann::json toJson(const Scene &scene);

} // namespace tilewright::viz
