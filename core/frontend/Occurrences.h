//===- Occurrences.h - every place that means the same ----------*- C++ -*-===//
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

struct Occurrence {
  model::TextRange range;  ///< of the name with its sign: `%x` of `%x#1`
  bool definition = false; ///< it gets its meaning here
  bool write = false;      ///< so it does, or it is among what `outs` names
};

struct Occurrences {
  std::string name; ///< with its sign; empty: nothing with a name stands there
  std::vector<Occurrence> places; ///< in order of the text
};

/// Where the value, symbol, alias or block at `offset` stands. Values and
/// blocks are searched in their function, symbols in the modules that see them,
/// aliases in what refers to them. On lines that cannot be read names count by
/// what is in force above them.
Occurrences occurrencesAt(const SourceSnapshot &source, int64_t offset);

} // namespace tilewright::frontend
