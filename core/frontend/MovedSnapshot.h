//===- MovedSnapshot.h - an older reading of a text, moved ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/SourceDocument.h"
#include "core/frontend/TextChange.h"

namespace tilewright::frontend {

/// True if reading the text after `change` parses so little that nobody need be
/// answered from an older reading. `size` is that of the new text.
bool isQuicklyRead(const SourceSnapshot &before, const TextChange &change,
                   int64_t size);

/// What was known of `before`, at its places in `text`, which `change` made of
/// it. What the change touches keeps its meaning: a name typed on is the name
/// it was. Has no diagnostics. Linear in the chunks that were touched.
std::shared_ptr<const SourceSnapshot>
movedSnapshot(const SourceSnapshot &before, const TextChange &change,
              int64_t version, std::string text);

/// The same of one chunk, whose text becomes `text`. It is not complete.
std::shared_ptr<ParsedChunk> movedChunk(const ParsedChunk &before,
                                        const TextChange &change,
                                        std::string text);

} // namespace tilewright::frontend
