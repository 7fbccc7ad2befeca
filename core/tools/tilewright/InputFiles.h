//===- InputFiles.h - tensors a command is given ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/Methods.h"
#include <string>
#include <vector>

namespace tilewright::tool {

/// Reads the values of --input, "NAME=FILE.npy"; throws Failure.
std::vector<lsp::RunInput> parseInputs(const std::vector<std::string> &words);

/// Makes a folder for files to be written to and returns its absolute path;
/// throws Failure TW0705.
std::string makeFolder(const std::string &path);

} // namespace tilewright::tool
