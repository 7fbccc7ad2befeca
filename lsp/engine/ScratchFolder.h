//===- ScratchFolder.h - files that live for one request --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <filesystem>
#include <optional>
#include <string>

namespace tilewright::engine {

/// A fresh folder for this process only, removed with all in it at the end.
class ScratchFolder {
public:
  /// TW0630 if it cannot be made.
  static std::optional<ScratchFolder> make(model::Diagnostic &error);
  ~ScratchFolder();
  ScratchFolder(ScratchFolder &&other) noexcept
      : folder(std::move(other.folder)) {
    other.folder.clear();
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ScratchFolder &operator=(ScratchFolder &&) = delete;

  std::string file(const std::string &name) const {
    return (folder / name).string();
  }

private:
  explicit ScratchFolder(std::filesystem::path folder)
      : folder(std::move(folder)) {}
  std::filesystem::path folder;
};

} // namespace tilewright::engine
