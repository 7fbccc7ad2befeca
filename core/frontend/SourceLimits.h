//===- SourceLimits.h - what a source may not exceed ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tilewright::frontend {

/// Bounds that keep reading a text linear in time and small in stack. MLIR's
/// parser, verifier, printer and destructors recurse over all of these, some of
/// them in quadratic time, so a text beyond a bound never reaches them.
struct SourceLimits {
  /// Whole text, bytes. Offsets are kept in 32 bits.
  int64_t textBytes = int64_t(256) << 20;
  /// One line without what stands in its string literals, bytes.
  int64_t lineBytes = int64_t(1) << 20;
  /// Nested `{`.
  int regionDepth = 512;
  /// Nested brackets of any kind.
  int bracketDepth = 1024;
  /// Operators of one affine expression.
  int expressionOperators = 4096;
  /// Aliases that refer to aliases.
  int aliasDepth = 256;
  /// Tokens of one alias with all it refers to written out.
  int64_t aliasTokens = 65536;
  /// Tokens of one function with all its aliases written out.
  int64_t expandedTokens = int64_t(1) << 28;
  /// Errors reported for one function.
  int errorsPerChunk = 20;
  /// A function of fewer bytes is parsed as a whole after every edit.
  int64_t windowedBytes = int64_t(256) << 10;
  /// Bytes of a type or value shown to a person.
  int64_t shownBytes = 2000;
};

} // namespace tilewright::frontend
