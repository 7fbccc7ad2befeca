//===- ExperimentStore.h - experiments of a folder --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Experiment.h"
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;

namespace tilewright::experiment {

/// Path of a folder's database: `.tilewright/experiments.db` in it.
std::string storePath(const std::string &folder);

/// Names a text for good: the first 128 bits of its SHA-256, in hexadecimal.
std::string fingerprint(std::string_view text);

/// The experiments of one folder, in SQLite. Equal sources, pins, overrides and
/// decisions
/// are kept once. Several processes may use one at the same time; a writer
/// waits up to five seconds for another. Not thread safe: one for each thread.
///
/// Errors set `error` and nothing is changed: TW0640 for what SQLite says of
/// the file, TW0641 for an experiment that there is none of.
class ExperimentStore {
public:
  /// Opens or makes the database of `folder`; null on error.
  static std::unique_ptr<ExperimentStore> create(const std::string &folder,
                                                 model::Diagnostic &error);
  /// Opens it if it is there. Null without `error.code` if it is not.
  static std::unique_ptr<ExperimentStore> open(const std::string &folder,
                                               model::Diagnostic &error);
  ~ExperimentStore();
  ExperimentStore(const ExperimentStore &) = delete;
  ExperimentStore &operator=(const ExperimentStore &) = delete;

  const std::string &path() const { return file; }

  /// Keeps `experiment`; `id`, the fingerprints and, if empty, `time` are set.
  /// Returns its id, 0 on error.
  int64_t record(model::Experiment &experiment, model::Diagnostic &error);

  /// The last `limit` of `source` (a name in the folder; empty: of all), the
  /// newest last, without decisions and texts.
  std::optional<std::vector<model::Experiment>>
  list(const std::string &source, int64_t limit, model::Diagnostic &error);

  /// One with its decisions and texts.
  std::optional<model::Experiment> find(int64_t id, model::Diagnostic &error);

  /// Whether some experiment was made from this text of a source or pins.
  bool hasText(std::string_view text);

private:
  ExperimentStore(sqlite3 *database, std::string file)
      : database(database), file(std::move(file)) {}
  static std::unique_ptr<ExperimentStore>
  openFile(const std::string &folder, bool make, model::Diagnostic &error);
  bool prepareTables(model::Diagnostic &error);
  bool fail(model::Diagnostic &error) const;
  bool keepText(const std::string &name, std::string_view text);

  sqlite3 *database;
  std::string file;
};

} // namespace tilewright::experiment
