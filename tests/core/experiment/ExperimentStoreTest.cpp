//===- ExperimentStoreTest.cpp --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/experiment/ExperimentStore.h"
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::experiment;
namespace fs = std::filesystem;

namespace {

/// A folder of its own, gone at the end.
struct Folder {
  Folder() {
    std::string name =
        (fs::temp_directory_path() / "experiments-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string path;
};

model::Experiment sample(const std::string &source = "func.func @f\n") {
  model::Experiment experiment;
  experiment.kind = "run";
  experiment.file = "ffn.mlir";
  experiment.target = "cpu";
  experiment.function = "ffn";
  experiment.note = "it's \"quoted\"; 注";
  experiment.version = "0.1";
  experiment.sourceText = source;
  experiment.pinsText = "{}";
  experiment.overridesText = "{\"a\": \"b\"}";
  model::Decision decision;
  decision.key = "ffn/y";
  decision.kind = "tile";
  decision.value = {{"L1", {{"m", 64}}}};
  experiment.decisions = {decision};
  experiment.metrics = {{"best time", 1.5, "ms", model::Origin::Measured}};
  return experiment;
}

} // namespace

TEST_CASE("what is recorded is found again") {
  Folder folder;
  model::Diagnostic error;
  auto store = ExperimentStore::create(folder.path, error);
  REQUIRE(store);
  model::Experiment first = sample();
  CHECK(store->record(first, error) == 1);
  CHECK(first.time.size() == 20);
  model::Experiment second = sample("other\n");
  second.file = "other.mlir";
  second.pinsText.clear();
  second.overridesText.clear();
  second.passed = false;
  CHECK(store->record(second, error) == 2);
  store.reset();

  store = ExperimentStore::open(folder.path, error);
  REQUIRE(store);
  auto all = store->list("", 10, error);
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  CHECK((*all)[0].id == 1);
  CHECK((*all)[0].note == "it's \"quoted\"; 注");
  CHECK((*all)[0].metrics.size() == 1);
  CHECK((*all)[0].decisions.empty());
  CHECK((*all)[0].sourceText.empty());
  CHECK_FALSE((*all)[1].passed);
  CHECK((*all)[1].pinsFingerprint.empty());
  REQUIRE(store->list("ffn.mlir", 10, error)->size() == 1);
  CHECK(store->list("ffn.mlir", 10, error)->front().id == 1);
  // The last so many.
  REQUIRE(store->list("", 1, error)->size() == 1);
  CHECK(store->list("", 1, error)->front().id == 2);

  auto found = store->find(1, error);
  REQUIRE(found);
  CHECK(nlohmann::json(*found) == nlohmann::json(first));
  CHECK(found->sourceText == "func.func @f\n");
  CHECK(found->pinsText == "{}");
  CHECK(found->overridesText == "{\"a\": \"b\"}");
  CHECK((*all)[0].overridesFingerprint == first.overridesFingerprint);
  CHECK((*all)[1].overridesFingerprint.empty());
  CHECK(store->hasText("other\n"));
  CHECK_FALSE(store->hasText("something else\n"));
  CHECK_FALSE(store->find(3, error));
  CHECK(error.code == "TW0641");
}

TEST_CASE("equal texts are kept once") {
  Folder folder;
  model::Diagnostic error;
  auto store = ExperimentStore::create(folder.path, error);
  REQUIRE(store);
  std::string large(1 << 20, 'x');
  model::Experiment first = sample(large);
  store->record(first, error);
  auto before = fs::file_size(store->path());
  for (int i = 0; i < 20; ++i) {
    model::Experiment again = sample(large);
    REQUIRE(store->record(again, error) > 1);
  }
  CHECK(fs::file_size(store->path()) < before + (1 << 19));
}

TEST_CASE(
    "a folder without experiments is no error, a file that is no database "
    "is one") {
  Folder folder;
  model::Diagnostic error;
  CHECK_FALSE(ExperimentStore::open(folder.path, error));
  CHECK(error.code.empty());
  fs::create_directories(fs::path(storePath(folder.path)).parent_path());
  std::ofstream(storePath(folder.path)) << std::string(4096, 'z');
  for (bool make : {false, true}) {
    auto store = make ? ExperimentStore::create(folder.path, error)
                      : ExperimentStore::open(folder.path, error);
    CHECK_FALSE(store);
    CHECK(error.code == "TW0640");
    CHECK(error.message.find("not a database") != std::string::npos);
  }
  // It is still there, as it was.
  CHECK(fs::file_size(storePath(folder.path)) == 4096);
}

TEST_CASE("a folder that cannot be written to") {
  Folder folder;
  std::ofstream(folder.path + "/.tilewright") << "a file";
  model::Diagnostic error;
  CHECK_FALSE(ExperimentStore::create(folder.path, error));
  CHECK(error.code == "TW0640");
}

TEST_CASE("a database of a newer version is left alone") {
  Folder folder;
  model::Diagnostic error;
  {
    REQUIRE(ExperimentStore::create(folder.path, error));
  }
  sqlite3 *database = nullptr;
  REQUIRE(sqlite3_open(storePath(folder.path).c_str(), &database) == SQLITE_OK);
  sqlite3_exec(database, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  CHECK_FALSE(ExperimentStore::open(folder.path, error));
  CHECK(error.message.find("newer Tilewright") != std::string::npos);
}

TEST_CASE("writers at the same time lose nothing") {
  Folder folder;
  std::atomic<int> failed = 0;
  auto write = [&](int who) {
    for (int i = 0; i < 25; ++i) {
      model::Diagnostic error;
      auto store = ExperimentStore::create(folder.path, error);
      model::Experiment experiment = sample(std::to_string(who));
      if (!store || store->record(experiment, error) == 0)
        ++failed;
    }
  };
  std::thread other(write, 1);
  write(2);
  other.join();
  CHECK(failed == 0);
  model::Diagnostic error;
  auto store = ExperimentStore::open(folder.path, error);
  REQUIRE(store);
  CHECK(store->list("", 1000, error)->size() == 50);
}

TEST_CASE("a fingerprint is the head of a SHA-256") {
  // SHA-256 of "abc", FIPS 180-2 appendix B.1.
  CHECK(fingerprint("abc") == "ba7816bf8f01cfea414140de5dae2223");
}
