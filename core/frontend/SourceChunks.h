//===- SourceChunks.h - a text cut into functions ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The unit of reading is the top-level operation, nearly always a function:
// after an edit only the functions that changed are parsed again. This file
// finds them without parsing, in text of any quality, and measures everything
// that could harm the parser behind it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/SourceLimits.h"
#include "core/model/Diagnostic.h"
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::frontend {

/// `#name = …` or `!name = …`.
struct AliasSpan {
  std::string name; ///< with its first sign
  model::TextRange range;
  model::TextRange nameRange;
  std::vector<size_t> uses; ///< indices of the aliases its text refers to
  int64_t tokens = 0;       ///< of its own text
  bool blocked = false;     ///< never to be parsed; a diagnostic says why
};

/// The `module … {` that encloses chunks.
struct ModuleSpan {
  model::TextRange header;    ///< `module` to `{`
  model::TextRange nameRange; ///< of `@name`; empty if it has none
  std::string name;
  int parent = -1;
  int64_t end = 0; ///< behind its `}`, or the end of the text
};

/// One or more whole operations of a module body.
struct ChunkSpan {
  model::TextRange range;
  int module = -1;             ///< index of the enclosing module
  std::vector<size_t> aliases; ///< that it or its modules' headers refer to
  int64_t tokens = 0;
  bool blocked = false;    ///< never to be parsed; a diagnostic says why
  bool unbalanced = false; ///< brackets do not match; a diagnostic says where
};

struct SourceLayout {
  std::vector<AliasSpan> aliases;
  std::vector<ModuleSpan> modules;
  std::vector<ChunkSpan> chunks;
  /// `{-# … #-}`, where resources are; empty if there is none.
  model::TextRange metadata;
  /// In order of discovery, ranges in the text, no uri. At most a hundred.
  std::vector<model::Diagnostic> diagnostics;
  /// The text exceeds the limit and was not looked at.
  bool tooLarge = false;
};

/// Never fails. Linear in the text.
SourceLayout splitSource(std::string_view text,
                         const SourceLimits &limits = {});

/// Every alias that `direct` needs, itself included, each after what it uses.
std::vector<size_t> aliasClosure(const SourceLayout &layout,
                                 const std::vector<size_t> &direct);

} // namespace tilewright::frontend
