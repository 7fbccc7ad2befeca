//===- RecordOptions.h - whether to record an experiment --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/Json.h"
#include <CLI/CLI.hpp>
#include <string>

namespace tilewright::tool {

/// --record and --note of the commands whose result can be an experiment.
struct RecordOptions {
  bool record = false;
  std::string note; ///< given: recorded

  void add(CLI::App &command);
  bool wanted() const { return record || !note.empty(); }
};

/// "recorded as experiment 3\n"; empty if `result` was not recorded.
std::string recordedAs(const lsp::Json &result);

} // namespace tilewright::tool
