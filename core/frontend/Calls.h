//===- Calls.h - which functions use which ----------------------*- C++ -*-===//
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

/// What has a symbol: a function, and in stages a kernel or a program.
struct Callable {
  std::string name;
  std::string detail; ///< its operation, as func.func
  std::string key;    ///< empty if it has none
  model::TextRange range;
  model::TextRange selectionRange; ///< of `@name`
};

/// One side of calls, and where in the caller they are.
struct Calls {
  Callable callable;
  std::vector<model::TextRange> places;
};

/// What the symbol at `offset` means, or else the function around it.
std::optional<Callable> callableAt(const SourceSnapshot &source,
                                   int64_t offset);

/// Of the callable whose name is at `offset`. Everything that names another
/// callable counts: calls, dispatches of kernels. By the callers' places; the
/// callees by their first use.
std::vector<Calls> callersOf(const SourceSnapshot &source, int64_t offset);
std::vector<Calls> calleesOf(const SourceSnapshot &source, int64_t offset);

} // namespace tilewright::frontend
