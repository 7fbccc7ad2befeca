//===- OutputFile.h - files that are whole or not there ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/ReplacedFile.h"
#include "core/tools/tilewright/SourceFile.h"
#include "lsp/protocol/Message.h"
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::tool {

/// A file that is first written beside its final place: a full disk, a crash or
/// Ctrl-C never leaves half a file there, nor takes away what was there before.
/// A device or pipe stays and gets the whole at once; a symbolic link stays and
/// the file behind it is replaced. Errors throw Failure TW0705.
class OutputFile {
public:
  /// Only checks that the place can be written to, and that it is not `source`.
  OutputFile(std::string path, const SourceFile &source);
  /// Removes what was not committed.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  /// Absolute; for the engine to write to.
  const std::string &temporaryPath() const { return temporary; }
  const std::string &path() const { return finalPath; }
  /// What the engine says of the temporary file, said of the place.
  void speakOfPlace(lsp::ResponseError &error) const;
  /// Writes and syncs `text`.
  void write(std::string_view text);
  /// Puts it in its place.
  void commit();

private:
  std::string finalPath;
  model::OutputPlace place;
  std::string temporary;
  std::string ownFolder; ///< of `temporary`, if it cannot be beside the place
};

/// Writes all of standard output. A reader that has gone is no error.
void writeStandardOutput(std::string_view text);

/// Writes all of `output` and puts it in its place; standard output if none.
void writeOutput(std::optional<OutputFile> &output, std::string_view text);

} // namespace tilewright::tool
