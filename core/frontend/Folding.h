//===- Folding.h - what of a text can be hidden -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <string>
#include <vector>

namespace tilewright::frontend {

class SourceSnapshot;

struct FoldingRange {
  model::TextRange range; ///< of what is hidden; over several lines
  std::string kind;       ///< comment, imports (aliases) or empty
};

/// Whatever is in brackets over several lines, runs of comments, runs of
/// aliases, resources: by begin, at most one that begins on a line. From the
/// tokens, function by function, so that a bracket left open spoils one
/// function only. Linear in the text.
std::vector<FoldingRange> foldingRanges(const SourceSnapshot &source);

} // namespace tilewright::frontend
