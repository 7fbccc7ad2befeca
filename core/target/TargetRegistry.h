//===- TargetRegistry.h - all machines known --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/target/Target.h"
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tilewright::target {

/// Machines by name. Thread-safe.
class TargetRegistry {
public:
  using TargetPtr = std::shared_ptr<const Target>;

  /// Our own targets and the user's (see Resources.h); the user's win. Files
  /// that cannot be used are reported in `problems` and left out.
  static std::unique_ptr<TargetRegistry>
  standard(std::vector<model::Diagnostic> &problems);

  /// Reads every *.json of `folder`, in the order of their names. A target
  /// replaces an earlier one of the same name. A folder that does not exist is
  /// no problem; TW0070 for what cannot be read, TW0060, TW0061 or TW0071 for
  /// what is no target.
  void addFolder(const std::filesystem::path &folder,
                 std::vector<model::Diagnostic> &problems);
  void add(Target target);

  /// A target by name or alias: out of the files `*.target.json` of
  /// `sourceFolder`, unless that is empty, else of those added; an absolute
  /// path that ends in .json is that file. "cpu" is this machine: measured at
  /// first use (about a second), then read from the cache. Files beside sources
  /// are read again when they change. Null with TW0072 if there is none of that
  /// name, or what is wrong with the file it would be in.
  TargetPtr find(std::string_view name, model::Diagnostic &error,
                 const std::filesystem::path &sourceFolder = {});

  struct Summary {
    std::string name;
    std::string description;
    std::vector<std::string> aliases;
    std::string file; ///< it was read from; empty: from none
  };
  /// Every target, "cpu" first, the others by name, with those of
  /// `sourceFolder`. Measures nothing.
  std::vector<Summary> list(const std::filesystem::path &sourceFolder = {});

private:
  std::mutex measuring; ///< held while this machine is measured
  mutable std::mutex mutex;
  std::vector<TargetPtr> targets; ///< sorted by name, without "cpu"
  TargetPtr cpu;
  std::map<std::string, std::string> files; ///< name -> where it was read

  /// A file read, and what it was like then.
  struct ReadFile {
    std::filesystem::file_time_type changed;
    uintmax_t size = 0;
    TargetPtr target; ///< null: `problem` says why
    model::Diagnostic problem;
  };
  std::map<std::string, ReadFile> besides; ///< by path

  const ReadFile &read(const std::filesystem::path &file);
  /// `*.target.json` of the folder, by their names.
  static std::vector<std::filesystem::path>
  filesBeside(const std::filesystem::path &folder);
  const TargetPtr *lookUp(std::string_view name) const;
};

} // namespace tilewright::target
