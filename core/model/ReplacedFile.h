//===- ReplacedFile.h - files that are whole or not there -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace tilewright::model {

/// Where writing to a path leads.
struct OutputPlace {
  /// Behind all symbolic links, those to nothing included.
  std::string path;
  /// A device, pipe or socket is there: written as it is, never replaced.
  bool inPlace = false;
  int error = 0; ///< errno: nothing can be written there
};
OutputPlace outputPlace(const std::string &path);

/// Whether both lead to one existing file.
bool isSameFile(const std::string &a, const std::string &b);

/// A file written beside its place and moved there once it is whole. A symbolic
/// link stays and the file behind it is replaced; what is no ordinary file (a
/// device, a pipe) is written in place. Waits until a pipe has a reader.
class ReplacedFile {
public:
  explicit ReplacedFile(const std::string &path);
  /// Removes what was not committed.
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile &) = delete;
  ReplacedFile &operator=(const ReplacedFile &) = delete;

  /// errno of what failed first; 0: nothing.
  int error() const { return failed; }
  /// For who writes by other means; -1 if it could not be opened.
  int descriptor() const { return file; }
  bool write(std::string_view bytes);
  /// Puts it in its place; false with error() if anything has failed.
  bool commit();

private:
  void fail(int error);

  OutputPlace place;
  std::string partial; ///< empty if written in place
  int file = -1;
  int failed = 0;
};

} // namespace tilewright::model
