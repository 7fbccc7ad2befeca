//===- InputFiles.cpp - tensors a command is given ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/InputFiles.h"
#include "core/tools/tilewright/Failure.h"
#include "core/tools/tilewright/Table.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace tilewright::tool {

static std::string absolute(const std::string &path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

std::vector<lsp::RunInput> parseInputs(const std::vector<std::string> &words) {
  std::vector<lsp::RunInput> inputs;
  for (const std::string &word : words) {
    size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      throw Failure("TW0700", "--input " + printable(word) + " has no value",
                    "Write --input NAME=FILE.npy, with NAME as in the source, "
                    "without %.",
                    exitUsage);
    std::string name = word.substr(word[0] == '%', equals - (word[0] == '%'));
    std::string path = word.substr(equals + 1);
    for (const lsp::RunInput &other : inputs)
      if (other.name == name)
        throw Failure("TW0700", "--input " + name + " is given twice", "",
                      exitUsage);
    // Told here, where the person's own words for it are known.
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
      throw Failure("TW0702", printable(path) + " is a folder, not a .npy file",
                    "", exitUsage);
    if (::access(path.c_str(), R_OK) != 0)
      throw Failure("TW0701",
                    "cannot read " + printable(path) + " for input " + name +
                        ": " + std::strerror(errno),
                    "", exitUsage);
    inputs.push_back({name, absolute(path)});
  }
  return inputs;
}

std::string makeFolder(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    throw Failure("TW0705",
                  "cannot make the folder " + path + ": " + error.message());
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    throw Failure("TW0705",
                  "cannot write to " + path + ": " + std::strerror(errno));
  return absolute(path);
}

} // namespace tilewright::tool
