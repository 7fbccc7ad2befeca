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
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::frontend {

/// `#name = …` or `!name = …`.
struct AliasSpan {
  std::string name; ///< with its first sign
  model::TextRange range;
  model::TextRange nameRange;
  std::vector<size_t> uses; ///< indices of the aliases its text refers to
  int64_t tokens = 0;       ///< of its own text
  int64_t writtenOut = 0;   ///< tokens with all it refers to; bounded
  bool blocked = false;     ///< never to be parsed; a diagnostic says why
};

/// The `module … {` that encloses chunks.
struct ModuleSpan {
  model::TextRange header;    ///< `module` to `{`
  model::TextRange nameRange; ///< of `@name`; empty if it has none
  std::string name;
  int parent = -1;
  int64_t end = 0; ///< behind its `}`, or the end of the text
  bool closed = false;
  /// How often its header names each alias.
  std::vector<std::pair<std::string, int64_t>> aliasUses;
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

/// What splitSource() gives for a text that was edited, made of what it gave
/// before.
struct Resplit {
  SourceLayout layout;
  /// Chunks before `first` are as they were; [first, newEnd) stand in place of
  /// what was [first, oldEnd); those behind only moved.
  size_t first = 0, oldEnd = 0, newEnd = 0;
};

/// Looks only at the chunks that an edit touched. None if the edit is not
/// within chunks, or changes what is behind it; splitSource() must look then.
/// `before` is the layout of `textBefore`, no alias of it blocked.
std::optional<Resplit> resplitSource(const SourceLayout &before,
                                     std::string_view textBefore,
                                     std::string_view text,
                                     const SourceLimits &limits = {});

/// Every alias that `direct` needs, itself included, each after what it uses.
std::vector<size_t> aliasClosure(const SourceLayout &layout,
                                 const std::vector<size_t> &direct);

} // namespace tilewright::frontend
