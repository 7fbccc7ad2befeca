//===- Locate.h - where our other programs are ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace tilewright::lsp {

/// The path of one of our programs: what the environment variable `variable`
/// says, else `name` in the folder of the running executable.
std::string locateProgram(const std::string &name, const char *variable);

/// tilewright-engine, by TILEWRIGHT_ENGINE.
std::string locateEngine();
/// tilewright-lsp, by TILEWRIGHT_LSP.
std::string locateServer();

} // namespace tilewright::lsp
