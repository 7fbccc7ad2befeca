//===- ExperimentStore.cpp - experiments of a folder ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/experiment/ExperimentStore.h"
#include "core/model/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <ctime>
#include <filesystem>
#include <sqlite3.h>

namespace tilewright::experiment {

namespace {

/// Written to the database's user_version; raised with the tables.
constexpr int tablesVersion = 2;
constexpr int waitMilliseconds = 5000;

constexpr const char *tables = R"(
  CREATE TABLE texts(
    fingerprint TEXT PRIMARY KEY,
    text TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE experiments(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL, kind TEXT NOT NULL, file TEXT NOT NULL,
    target TEXT NOT NULL, function TEXT NOT NULL, note TEXT NOT NULL,
    version TEXT NOT NULL, passed INTEGER NOT NULL,
    source TEXT NOT NULL REFERENCES texts, pins TEXT REFERENCES texts,
    decisions TEXT NOT NULL REFERENCES texts, metrics TEXT NOT NULL);
  CREATE INDEX experiments_by_file ON experiments(file, id);
)";
/// From version 1 to 2.
constexpr const char *withOverrides =
    "ALTER TABLE experiments ADD COLUMN overrides TEXT REFERENCES texts;";
constexpr const char *columns =
    "id, time, kind, file, target, function, note, version, passed, source, "
    "pins, decisions, metrics, overrides";

/// A prepared statement; what is bound is counted from 1, what is read from 0.
class Statement {
public:
  Statement(sqlite3 *database, const char *sql) {
    sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(int at, std::string_view text) {
    sqlite3_bind_text64(statement, at, text.data(), text.size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
  }
  Statement &bind(int at, int64_t value) {
    sqlite3_bind_int64(statement, at, value);
    return *this;
  }
  /// SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return statement ? sqlite3_step(statement) : SQLITE_ERROR; }
  std::string text(int at) const {
    auto *bytes =
        reinterpret_cast<const char *>(sqlite3_column_text(statement, at));
    return bytes ? std::string(bytes, sqlite3_column_bytes(statement, at))
                 : std::string();
  }
  int64_t number(int at) const { return sqlite3_column_int64(statement, at); }

private:
  sqlite3_stmt *statement = nullptr;
};

/// All or nothing; rolled back unless committed. Takes the right to write at
/// once, so that two writers wait for each other instead of failing.
class Transaction {
public:
  explicit Transaction(sqlite3 *database) : database(database) {
    open = sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr,
                        nullptr) == SQLITE_OK;
  }
  ~Transaction() {
    if (open)
      sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction &) = delete;
  Transaction &operator=(const Transaction &) = delete;
  bool isOpen() const { return open; }
  bool commit() {
    if (sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr) !=
        SQLITE_OK)
      return false;
    open = false;
    return true;
  }

private:
  sqlite3 *database;
  bool open = false;
};

std::string now() {
  std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// The columns of `columns`, decisions aside.
model::Experiment experimentIn(const Statement &row) {
  model::Experiment experiment;
  experiment.id = row.number(0);
  experiment.time = row.text(1);
  experiment.kind = row.text(2);
  experiment.file = row.text(3);
  experiment.target = row.text(4);
  experiment.function = row.text(5);
  experiment.note = row.text(6);
  experiment.version = row.text(7);
  experiment.passed = row.number(8) != 0;
  experiment.sourceFingerprint = row.text(9);
  experiment.pinsFingerprint = row.text(10);
  experiment.overridesFingerprint = row.text(13);
  model::Diagnostic ignored;
  if (auto metrics =
          model::readJson<std::vector<model::Metric>>(row.text(12), ignored))
    experiment.metrics = std::move(*metrics);
  return experiment;
}

} // namespace

std::string storePath(const std::string &folder) {
  return (std::filesystem::path(folder) / ".tilewright" / "experiments.db")
      .string();
}

std::string fingerprint(std::string_view text) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(text));
  auto bytes = hash.final();
  return llvm::toHex(llvm::ArrayRef(bytes).take_front(16),
                     /*LowerCase=*/true);
}

std::unique_ptr<ExperimentStore>
ExperimentStore::create(const std::string &folder, model::Diagnostic &error) {
  return openFile(folder, true, error);
}

std::unique_ptr<ExperimentStore>
ExperimentStore::open(const std::string &folder, model::Diagnostic &error) {
  return openFile(folder, false, error);
}

std::unique_ptr<ExperimentStore>
ExperimentStore::openFile(const std::string &folder, bool make,
                          model::Diagnostic &error) {
  error = model::Diagnostic();
  std::string path = storePath(folder);
  std::error_code failed;
  if (make)
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path(), failed);
  else if (!std::filesystem::exists(path, failed) && !failed)
    return nullptr;
  sqlite3 *database = nullptr;
  int flags = SQLITE_OPEN_READWRITE | (make ? SQLITE_OPEN_CREATE : 0);
  int status = failed
                   ? SQLITE_CANTOPEN
                   : sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  std::unique_ptr<ExperimentStore> store(
      new ExperimentStore(database, std::move(path)));
  if (status != SQLITE_OK) {
    store->fail(error);
    if (failed)
      error.message = store->file + " cannot be reached: " + failed.message();
    return nullptr;
  }
  sqlite3_busy_timeout(database, waitMilliseconds);
  return store->prepareTables(error) ? std::move(store) : nullptr;
}

ExperimentStore::~ExperimentStore() { sqlite3_close(database); }

bool ExperimentStore::fail(model::Diagnostic &error) const {
  error = model::Diagnostic();
  error.code = "TW0640";
  error.message =
      file + ": " + (database ? sqlite3_errmsg(database) : "cannot be opened");
  error.hint = "is there space, and may you write there? What is no database "
               "is best moved away";
  return false;
}

bool ExperimentStore::prepareTables(model::Diagnostic &error) {
  auto versionNow = [&]() -> int64_t {
    Statement query(database, "PRAGMA user_version");
    return query.step() == SQLITE_ROW ? query.number(0) : -1;
  };
  int64_t version = versionNow();
  if (version >= 0 && version < tablesVersion) {
    // Another process may be making them.
    Transaction making(database);
    version = making.isOpen() ? versionNow() : -1;
    if (version >= 0 && version < tablesVersion) {
      std::string sql =
          std::string(version == 0 ? tables : "") + withOverrides +
          "PRAGMA user_version = " + std::to_string(tablesVersion);
      if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) !=
              SQLITE_OK ||
          !making.commit())
        return fail(error);
      version = tablesVersion;
    }
  }
  if (version < 0)
    return fail(error);
  if (version > tablesVersion) {
    fail(error);
    error.message = file + " was written by a newer Tilewright (version " +
                    std::to_string(version) + " of its tables, " +
                    std::to_string(tablesVersion) + " is known)";
    error.hint = "use that version, or move the file away";
    return false;
  }
  return true;
}

bool ExperimentStore::keepText(const std::string &name, std::string_view text) {
  Statement insert(database, "INSERT OR IGNORE INTO texts VALUES(?1, ?2)");
  insert.bind(1, name).bind(2, text);
  return insert.step() == SQLITE_DONE;
}

int64_t ExperimentStore::record(model::Experiment &experiment,
                                model::Diagnostic &error) {
  std::string decisions = model::writeJson(experiment.decisions);
  std::string decisionsName = fingerprint(decisions);
  experiment.sourceFingerprint = fingerprint(experiment.sourceText);
  experiment.pinsFingerprint =
      experiment.pinsText.empty() ? "" : fingerprint(experiment.pinsText);
  experiment.overridesFingerprint = experiment.overridesText.empty()
                                        ? ""
                                        : fingerprint(experiment.overridesText);
  if (experiment.time.empty())
    experiment.time = now();
  Transaction writing(database);
  if (!writing.isOpen() ||
      !keepText(experiment.sourceFingerprint, experiment.sourceText) ||
      (!experiment.pinsText.empty() &&
       !keepText(experiment.pinsFingerprint, experiment.pinsText)) ||
      (!experiment.overridesText.empty() &&
       !keepText(experiment.overridesFingerprint, experiment.overridesText)) ||
      !keepText(decisionsName, decisions)) {
    fail(error);
    return 0;
  }
  {
    Statement insert(
        database, "INSERT INTO experiments(time, kind, file, target, function, "
                  "note, version, passed, source, pins, decisions, metrics, "
                  "overrides) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,"
                  "NULLIF(?10,''),?11,?12,NULLIF(?13,''))");
    insert.bind(1, experiment.time)
        .bind(2, experiment.kind)
        .bind(3, experiment.file)
        .bind(4, experiment.target)
        .bind(5, experiment.function)
        .bind(6, experiment.note)
        .bind(7, experiment.version)
        .bind(8, int64_t(experiment.passed))
        .bind(9, experiment.sourceFingerprint)
        .bind(10, experiment.pinsFingerprint)
        .bind(11, decisionsName)
        .bind(12, model::writeJson(experiment.metrics))
        .bind(13, experiment.overridesFingerprint);
    if (insert.step() != SQLITE_DONE) {
      fail(error);
      return 0;
    }
  }
  int64_t id = sqlite3_last_insert_rowid(database);
  if (!writing.commit()) {
    fail(error);
    return 0;
  }
  return experiment.id = id;
}

std::optional<std::vector<model::Experiment>>
ExperimentStore::list(const std::string &source, int64_t limit,
                      model::Diagnostic &error) {
  std::string sql = "SELECT * FROM (SELECT " + std::string(columns) +
                    " FROM experiments WHERE ?1 = '' OR file = ?1 ORDER BY id "
                    "DESC LIMIT ?2) ORDER BY id";
  Statement query(database, sql.c_str());
  query.bind(1, source).bind(2, limit);
  std::vector<model::Experiment> found;
  int status;
  while ((status = query.step()) == SQLITE_ROW)
    found.push_back(experimentIn(query));
  if (status != SQLITE_DONE) {
    fail(error);
    return std::nullopt;
  }
  return found;
}

std::optional<model::Experiment>
ExperimentStore::find(int64_t id, model::Diagnostic &error) {
  std::string sql = "SELECT " + std::string(columns) +
                    ", (SELECT text FROM texts WHERE fingerprint = source)"
                    ", (SELECT text FROM texts WHERE fingerprint = pins)"
                    ", (SELECT text FROM texts WHERE fingerprint = decisions)"
                    ", (SELECT text FROM texts WHERE fingerprint = overrides)"
                    " FROM experiments WHERE id = ?1";
  Statement query(database, sql.c_str());
  query.bind(1, id);
  int status = query.step();
  if (status == SQLITE_ROW) {
    model::Experiment experiment = experimentIn(query);
    experiment.sourceText = query.text(14);
    experiment.pinsText = query.text(15);
    experiment.overridesText = query.text(17);
    model::Diagnostic ignored;
    if (auto decisions = model::readJson<std::vector<model::Decision>>(
            query.text(16), ignored))
      experiment.decisions = std::move(*decisions);
    return experiment;
  }
  fail(error);
  if (status == SQLITE_DONE) {
    error.code = "TW0641";
    error.message =
        "there is no experiment " + std::to_string(id) + " in " + file;
    error.hint = "tilewright experiments list tells which there are";
  }
  return std::nullopt;
}

bool ExperimentStore::hasText(std::string_view text) {
  Statement query(database, "SELECT 1 FROM texts WHERE fingerprint = ?1");
  query.bind(1, fingerprint(text));
  return query.step() == SQLITE_ROW;
}

} // namespace tilewright::experiment
