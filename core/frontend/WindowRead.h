//===- WindowRead.h - a few lines of a long function, read ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/ChunkParser.h"

namespace tilewright::frontend {

/// Reads a chunk whose text differs from an earlier one in a few lines, by
/// parsing only these: what they use becomes parameters of a function around
/// them. `before` is what the earlier text gave; if that text was wrong, the
/// last right one (ParsedChunk::right) is what is compared with.
///
/// Gives what ChunkParser::read() would, but of a text that is wrong now the
/// tables are those of the right one, moved. Null where parsing the lines alone
/// might tell something else: of operations with regions or without named
/// results, in functions of several blocks, where the lines define other names
/// or types than before, or where the chunk is short.
std::shared_ptr<const ParsedChunk>
readWindow(mlir::MLIRContext &context, const std::string &bufferName,
           const SourceLimits &limits, const ChunkInput &input,
           const std::shared_ptr<const ParsedChunk> &before,
           const std::atomic<bool> *cancel);

/// The text that `chunk` was last right with: itself or ParsedChunk::right.
std::shared_ptr<const ParsedChunk>
lastRight(const std::shared_ptr<const ParsedChunk> &chunk);

} // namespace tilewright::frontend
