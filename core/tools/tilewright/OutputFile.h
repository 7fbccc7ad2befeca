//===- OutputFile.h - files that are whole or not there ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace tilewright::tool {

/// A file that is first written beside its final place: a full disk, a crash or
/// Ctrl-C never leaves half a file there, nor takes away what was there before.
/// Errors throw Failure TW0705.
class OutputFile {
public:
  /// Only checks that the folder can be written to.
  explicit OutputFile(std::string path);
  /// Removes what was not committed.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  /// Absolute; for the engine to write to.
  const std::string &temporaryPath() const { return temporary; }
  const std::string &path() const { return finalPath; }
  /// Writes and syncs `text`.
  void write(std::string_view text);
  /// Puts it in its place.
  void commit();

private:
  std::string finalPath;
  std::string temporary;
  bool direct = false; ///< a device or pipe: written as it is
};

/// Writes all of standard output. A reader that has gone is no error.
void writeStandardOutput(std::string_view text);

} // namespace tilewright::tool
