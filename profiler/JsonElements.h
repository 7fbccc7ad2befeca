//===- JsonElements.h - a large JSON text piece by piece --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "profiler/ByteSource.h"
#include <string>
#include <vector>

namespace tilewright::profiler {

/// Walks the outermost structure of a JSON text of any length: tokens one by
/// one, values as extents, arrays as runs of whole elements. Checks only what
/// it needs to find its way; runs are for a parser.
class JsonElements {
public:
  /// `source` must outlive this.
  explicit JsonElements(ByteSource &source) : source(source) {}

  enum class Status {
    Ok,
    End,      ///< of the array
    Failed,   ///< `error()` says why
    Truncated ///< the text ends early
  };

  /// The next byte that is no white space, which stays; -1 at the end or on
  /// failure.
  int peek();
  void skip() { ++at; } ///< the byte just peeked
  /// Position of the next byte in the text.
  uint64_t offset() const { return base + at; }
  bool failed() const { return hasFailed; }
  const model::Diagnostic &error() const { return failure; }

  /// A string without its quotes, still escaped. At a '"'.
  Status readString(std::string &text);
  /// Any value; its text is kept up to `keep` bytes.
  Status skipValue(std::string &text, size_t keep);

  /// A run of whole elements of an array, behind its '[': appended to `run`
  /// are elements with the commas between them, about `size` bytes of them.
  /// `start` is where the first is in the text. `End` once the array is over
  /// (then `run` may still hold its last elements). On `Truncated`, `run`
  /// holds the elements that were whole.
  Status readElements(std::string &run, size_t size, uint64_t &start);

private:
  bool fill();
  void compact();

  ByteSource &source;
  std::string buffer;
  size_t at = 0;     ///< next byte in `buffer`
  size_t filled = 0; ///< bytes in `buffer`
  uint64_t base = 0; ///< position of `buffer[0]` in the text
  bool ended = false, hasFailed = false;
  model::Diagnostic failure;
};

} // namespace tilewright::profiler
