//===- Locate.cpp - where our other programs are --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/client/Locate.h"
#include <cstdlib>
#include <filesystem>

namespace tilewright::lsp {

std::string locateProgram(const std::string &name, const char *variable) {
  if (const char *path = std::getenv(variable); path && *path)
    return path;
  std::error_code error;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return name;
  return (self.parent_path() / name).string();
}

std::string locateEngine() {
  return locateProgram("tilewright-engine", "TILEWRIGHT_ENGINE");
}

std::string locateServer() {
  return locateProgram("tilewright-lsp", "TILEWRIGHT_LSP");
}

} // namespace tilewright::lsp
