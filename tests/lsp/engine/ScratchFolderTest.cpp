//===- ScratchFolderTest.cpp ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/ScratchFolder.h"
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace tilewright;
namespace fs = std::filesystem;

TEST_CASE("only what a dead engine left behind is removed") {
  std::string base =
      (fs::temp_directory_path() / "scratch-test-XXXXXX").string();
  REQUIRE(mkdtemp(base.data()));
  const char *before = std::getenv("TMPDIR");
  std::string saved = before ? before : "";
  REQUIRE(setenv("TMPDIR", base.c_str(), 1) == 0);
  std::string own = std::to_string(::getpid());
  // No process has so large a number.
  std::string orphan = "tilewright-scratch-999999999-abcdef";
  std::vector<std::string> others = {
      "tilewright-999999999",
      "tilewright-9Qx3ab",
      "tilewright-999999999-results",
      "tilewright-scratch-999999999",
      "tilewright-scratch-999999999-results-of-mine",
      "tilewright-scratch-9x-abcdef",
      "tilewright-scratch-" + own + "-abcdef"};
  fs::create_directory(fs::path(base) / orphan);
  for (const std::string &name : others)
    fs::create_directory(fs::path(base) / name);
  {
    model::Diagnostic error;
    auto folder = engine::ScratchFolder::make(error);
    REQUIRE(folder);
  }
  CHECK_FALSE(fs::exists(fs::path(base) / orphan));
  for (const std::string &name : others)
    CHECK(fs::exists(fs::path(base) / name));
  if (before)
    setenv("TMPDIR", saved.c_str(), 1);
  else
    unsetenv("TMPDIR");
  fs::remove_all(base);
}
