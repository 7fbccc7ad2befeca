//===- Formatting.h - a text laid out anew ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright::frontend {

class SourceSnapshot;
struct TextEdit;

struct FormatOptions {
  int indent = 2;    ///< blanks a region, 1 to 16
  bool tabs = false; ///< a tab a region instead
};

/// Edits of the space between tokens alone, in order of the text: each
/// operation on a line of its own, indented by its regions; one blank around
/// `=` and `->` and behind a comma; at most one empty line in a row; nothing
/// behind a line's end. A line that goes on keeps its place below the one it
/// belongs to. Comments, strings, what is in `<…>` and resources stay as they
/// are. A function whose brackets do not match, or that holds what is no token,
/// is left alone; one that cannot be read keeps its lines. Formatting what was
/// formatted gives no edits.
///
/// `within`: only edits that touch its lines; functions outside cost nothing.
std::vector<TextEdit>
formattingEdits(const SourceSnapshot &source, const FormatOptions &options,
                std::optional<model::TextRange> within = std::nullopt);

} // namespace tilewright::frontend
