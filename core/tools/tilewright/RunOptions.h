//===- RunOptions.h - what running and verifying are told -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/tools/tilewright/CommandLine.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::tool {

/// Options of every command that gives a function values and runs it.
struct RunOptions {
  std::string file;
  std::string function;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  int threads = 0;

  /// Adds FILE, --function, --input, --seed and --threads to `command`.
  void addTo(CLI::App &command);

  /// Fills `params` with these; reads the source into `context`. Throws
  /// Failure.
  void fill(lsp::ExecutionParams &params, Context &context) const;
};

} // namespace tilewright::tool
