//===- Failure.h - what ends a command --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "lsp/protocol/Message.h"
#include <exception>

namespace tilewright::tool {

inline constexpr int exitOk = 0;
inline constexpr int exitFailed = 1;        ///< the compilation, check or run
inline constexpr int exitUsage = 2;         ///< the command line
inline constexpr int exitInterrupted = 130; ///< Ctrl-C, as shells have it

/// Ends the command with a message and an exit code.
class Failure : public std::exception {
public:
  explicit Failure(model::Diagnostic diagnostic, int exitCode = exitFailed)
      : error(lsp::ResponseError::of(std::move(diagnostic))),
        exitCode(exitCode) {}
  explicit Failure(lsp::ResponseError error, int exitCode = exitFailed)
      : error(std::move(error)), exitCode(exitCode) {}
  Failure(std::string code, std::string message, std::string hint = "",
          int exitCode = exitFailed)
      : exitCode(exitCode) {
    model::Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    error = lsp::ResponseError::of(std::move(diagnostic));
  }

  const char *what() const noexcept override { return error.message.c_str(); }

  lsp::ResponseError error;
  int exitCode;
};

} // namespace tilewright::tool
