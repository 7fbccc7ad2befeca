//===- OverrideTrialsTest.cpp - overrides that bring the engine down ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/OverrideTrials.h"
#include <catch2/catch.hpp>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright;
using tilewright::engine::OverrideTrials;

namespace {

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "trialsXXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  int64_t files() const {
    return std::distance(std::filesystem::directory_iterator(path),
                         std::filesystem::directory_iterator());
  }
};

model::Override named(const std::string &name) {
  model::Override override;
  override.name = name;
  override.stage = "tile/dce";
  override.part = name;
  override.text = "text of " + name;
  return override;
}

/// A process that dies while it compiles with `override`.
void die(const std::string &folder, const model::Override &override) {
  pid_t child = ::fork();
  if (child == 0) {
    OverrideTrials trials(folder);
    std::vector<model::Override> all{override};
    std::map<std::string, model::Diagnostic> leftOut;
    auto trial = trials.begin("file:///a", all, leftOut);
    ::_exit(0); // no destructor runs
  }
  ::waitpid(child, nullptr, 0);
}

} // namespace

TEST_CASE("what an engine died of is left out by the next until tried again") {
  Folder folder;
  die(folder.path, named("bad"));
  CHECK(folder.files() == 1);
  OverrideTrials trials(folder.path);
  std::map<std::string, model::Diagnostic> leftOut;
  std::vector<model::Override> all{named("bad"), named("good")};
  {
    auto trial = trials.begin("file:///a", all, leftOut);
    REQUIRE(all.size() == 1);
    CHECK(all[0].name == "good");
    REQUIRE(leftOut.contains("bad"));
    CHECK(leftOut["bad"].code == "TW0248");
    CHECK(leftOut["bad"].message.find("(bad)") != std::string::npos);
    CHECK(folder.files() == 2);
  }
  CHECK(folder.files() == 1); // that of the bad one stays
  // The same text of another source is another matter.
  all = {named("bad")};
  leftOut.clear();
  {
    auto trial = trials.begin("file:///b", all, leftOut);
  }
  CHECK(all.size() == 1);
  // Edited, it is tried; and as it was when a person says so.
  model::Override edited = named("bad");
  edited.text = "better";
  all = {edited};
  {
    auto trial = trials.begin("file:///a", all, leftOut);
  }
  CHECK(all.size() == 1);
  trials.forget("file:///a", named("bad"));
  all = {named("bad")};
  {
    auto trial = trials.begin("file:///a", all, leftOut);
  }
  CHECK(all.size() == 1);
  CHECK(leftOut.empty());
  CHECK(folder.files() == 0);
}

TEST_CASE("what another engine is trying is no fault of it") {
  Folder folder;
  OverrideTrials one(folder.path), other(folder.path);
  std::map<std::string, model::Diagnostic> leftOut;
  std::vector<model::Override> all{named("slow")}, again = all;
  auto trial = one.begin("file:///a", all, leftOut);
  auto second = other.begin("file:///a", again, leftOut);
  CHECK(again.size() == 1);
  CHECK(leftOut.empty());
}
