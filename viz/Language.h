//===- Language.h - the words a picture has of its own ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include <string>

namespace tilewright::viz {

/// Of the words that a picture adds to what the graph says. Names of
/// operations, types, attributes and passes are the same in every language.
enum class Language { English, Chinese };

/// What a node, an edge is: "kernel".
std::string kindName(model::NodeKind kind,
                     Language language = Language::English);
std::string kindName(model::EdgeKind kind,
                     Language language = Language::English);
/// What a number comes from: "measured".
std::string originName(model::Origin origin, Language language);
/// "41 inside".
std::string insideText(int64_t nodes, Language language);
/// "3 nodes, 1 edge, 41 folded"; the last only if it is not 0.
std::string countsText(int64_t nodes, int64_t edges, int64_t folded,
                       Language language);

/// The names of what a tooltip tells.
struct TooltipWords {
  const char *operation, *folded, *grid, *result, *keys;
};
TooltipWords tooltipWords(Language language);

} // namespace tilewright::viz
