// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/server/MovedDiagnostics.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;
using namespace tilewright::lsp;

static model::Diagnostic at(int64_t begin, int64_t end,
                            const std::string &uri = "file:///t.mlir") {
  model::Diagnostic diagnostic;
  diagnostic.code = "TW0303";
  diagnostic.message = "m";
  diagnostic.uri = uri;
  diagnostic.range = {begin, end};
  return diagnostic;
}

/// Where [10, 20) is after the edit; "gone" if it is not.
static std::string after(ByteEdit edit) {
  std::vector<model::Diagnostic> found = {at(10, 20)};
  moveDiagnostics(found, "file:///t.mlir", edit);
  return found.empty() ? "gone"
                       : std::to_string(found[0].range.begin) + " " +
                             std::to_string(found[0].range.end);
}

TEST_CASE("findings move with the text and go with what they are about") {
  CHECK(after({0, 0, "abc"}) == "13 23");
  CHECK(after({2, 5, ""}) == "7 17");
  CHECK(after({0, 10, "x"}) == "1 11");
  CHECK(after({10, 10, "xy"}) == "12 22"); // typed in front of it
  CHECK(after({20, 20, "xy"}) == "10 20"); // and behind it
  CHECK(after({20, 25, ""}) == "10 20");
  CHECK(after({30, 31, "long text"}) == "10 20");
  CHECK(after({15, 15, "x"}) == "gone");
  CHECK(after({9, 11, ""}) == "gone");
  CHECK(after({19, 21, ""}) == "gone");
  CHECK(after({10, 20, "same length"}) == "gone");
  CHECK(after({0, 1000, "all new"}) == "gone");
}

TEST_CASE("what is about another file, or about the whole, stays") {
  std::vector<model::Diagnostic> found = {
      at(10, 20, "file:///t.mlir.pins.json"), at(0, 0)};
  moveDiagnostics(found, "file:///t.mlir", {0, 100, "new"});
  REQUIRE(found.size() == 2);
  CHECK(found[0].range.begin == 10);
}

TEST_CASE("related places move or go alone") {
  std::vector<model::Diagnostic> found = {at(10, 20)};
  found[0].related = {{"file:///t.mlir", {2, 4}, "near"},
                      {"file:///t.mlir", {30, 31}, "behind"},
                      {"file:///other.mlir", {2, 4}, "elsewhere"}};
  moveDiagnostics(found, "file:///t.mlir", {3, 3, "x"});
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].related.size() == 2);
  CHECK(found[0].related[0].range.begin == 31);
  CHECK(found[0].related[1].range.begin == 2);
}

TEST_CASE("a place that was not touched still holds the same words") {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::vector<model::Diagnostic> found = {at(12, 17)};
    for (int step = 0; step < 4; ++step) {
      ByteEdit edit;
      edit.begin = int64_t(random() % (text.size() + 1));
      edit.end = edit.begin + int64_t(random() % 4);
      edit.end = std::min(edit.end, int64_t(text.size()));
      edit.text = std::string(random() % 4, '-');
      text.replace(size_t(edit.begin), size_t(edit.end - edit.begin),
                   edit.text);
      moveDiagnostics(found, "file:///t.mlir", edit);
    }
    if (!found.empty())
      CHECK(text.substr(size_t(found[0].range.begin),
                        size_t(found[0].range.end - found[0].range.begin)) ==
            "mnopq");
  }
}

TEST_CASE("what others have found, too, is left out") {
  std::vector<model::Diagnostic> rest =
      withoutThose({at(1, 2), at(3, 4)}, {at(3, 4), at(5, 6)});
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].range.begin == 1);
  CHECK(withoutThose({at(1, 2)}, {}).size() == 1);
}
