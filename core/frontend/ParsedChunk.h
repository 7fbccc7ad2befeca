//===- ParsedChunk.h - what is known of one function's text -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain tables, no live operations: hover, definition and symbols are answered
// from them while the next text is being read, in any thread. All offsets count
// from the chunk's first byte, so that a chunk that only moved stays as it is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::frontend {

struct ChunkRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool contains(uint32_t offset) const {
    return begin <= offset && offset < end;
  }
};

/// `%name`, `%name:2`, or a block argument.
struct ParsedValue {
  ChunkRange definition;  ///< of `%name`
  int32_t operation = -1; ///< that defines it; -1 for a block argument
  uint32_t firstResult = 0;
  uint32_t firstType = 0; ///< into typeIndices
  uint32_t count = 1;     ///< results it names
  std::string key;        ///< of the first of them
};

struct ParsedOperation {
  ChunkRange range;     ///< from its first result's name to its end
  ChunkRange nameRange; ///< of `tw.matmul`
  uint32_t name = 0;    ///< into names
  std::string symbol;   ///< it defines; may be empty
  std::string key;
};

/// Where `%name` stands, definitions included.
struct ParsedReference {
  ChunkRange range;
  uint32_t value = 0;
};

/// `@name` anywhere in the text.
struct ParsedSymbol {
  ChunkRange range;
  std::string name;
};

/// A `func.call`, to be checked against the function in another chunk.
struct ParsedCall {
  ChunkRange range; ///< of the callee
  std::string callee;
  std::string type; ///< "(tensor<4xf32>) -> f32"
  std::string key;
};

struct ParsedChunk {
  std::string prefix; ///< aliases and module headers it was read with
  std::string text;
  std::string suffix;
  /// As in ChunkSpan: what follows an open bracket was not complained of.
  bool unbalanced = false;

  std::vector<std::string> names;
  std::vector<std::string> types; ///< as text, cut at a bound
  std::vector<uint32_t> typeIndices;
  std::vector<ParsedOperation> operations; ///< by begin, enclosing first
  std::vector<ParsedValue> values;
  std::vector<ParsedReference> references; ///< by begin
  std::vector<ParsedSymbol> symbols;       ///< by begin
  std::vector<ParsedCall> calls;
  /// Indices of the operations that define a symbol and are in no other.
  std::vector<uint32_t> definitions;
  std::vector<model::Diagnostic> diagnostics; ///< ranges from the chunk's start

  /// Parsed and verified from first to last byte.
  bool complete = false;
  bool cancelled = false;
  /// The tables are those of an earlier text, moved; the text is the present
  /// one.
  bool moved = false;
  /// Of a long chunk that is wrong, what it was when it was last right.
  std::shared_ptr<const ParsedChunk> right;

  const std::string &typeOf(const ParsedValue &value, uint32_t result) const {
    return types[typeIndices[value.firstType + result]];
  }
};

} // namespace tilewright::frontend
