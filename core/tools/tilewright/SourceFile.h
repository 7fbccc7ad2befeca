//===- SourceFile.h - the text a command is about ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace tilewright::tool {

struct SourceFile {
  std::string display; ///< as the person wrote it; "<stdin>" for "-"
  std::string uri;
  std::string text;
  std::string pins; ///< path of its pins file; empty: the one beside it
};

/// Larger files are refused: they could not be sent in one message.
inline constexpr int64_t maxSourceBytes = int64_t(100) << 20;

/// Reads FILE, or standard input for "-", into `file`. Throws Failure: TW0701
/// (cannot be read), TW0702 (a folder), TW0703 (too large), TW0704 (not UTF-8;
/// `file` then has the text, to show the place).
void readSource(const std::string &path, SourceFile &file);

} // namespace tilewright::tool
