//===- RunError.h - what stops a run ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <exception>
#include <string>

namespace tilewright::execute {

/// Thrown inside a run and caught before it leaves the thread.
struct RunError : std::exception {
  model::Diagnostic diagnostic;

  RunError(std::string code, std::string message, std::string key = "",
           std::string hint = "") {
    diagnostic.code = std::move(code);
    diagnostic.message = std::move(message);
    diagnostic.key = std::move(key);
    diagnostic.hint = std::move(hint);
  }
  const char *what() const noexcept override {
    return diagnostic.message.c_str();
  }
};

} // namespace tilewright::execute
