// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/frontend/FunctionPart.h"
#include "tests/core/frontend/ReadText.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::frontend;

// Lines end both ways, and a function stands before, between and behind.
static const std::string text =
    "#one = 1 : i32\n"
    "#two = [#one]\n"
    "#idle = 3 : i32\n"
    "func.func @first() { bogus }\r\n"
    "func.func private @used() -> i32\n"
    "func.func @other() { return }\n"
    "func.func @main() -> i32 {\n"
    "  %x = func.call @used() {a = #two} : () -> i32\n"
    "  return %x : i32\n}\n"
    "func.func @last( { }\n";

TEST_CASE("a function stands alone with what it uses, in its place") {
  auto source = readText(text);
  REQUIRE(source->hasErrors());
  auto part = textOfFunction(*source, "main");
  REQUIRE(part);
  REQUIRE(part->size() == text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if ((*part)[i] == text[i])
      continue;
    CHECK((*part)[i] == ' ');
    CHECK(text[i] != '\n');
    CHECK(text[i] != '\r');
  }
  for (const char *word : {"#one", "#two", "@used", "@main"})
    CHECK(part->find(word) == text.find(word));
  for (const char *word : {"#idle", "@first", "bogus", "@other", "@last"})
    CHECK(part->find(word) == std::string::npos);

  auto alone = readText(*part, source.get());
  INFO(codesOf(*alone));
  CHECK(alone->diagnostics.empty());
  CHECK(alone->rangeOf("main/x") == source->rangeOf("main/x"));
  CHECK(buildModule(*alone, testContext(), nullptr).module);
}

TEST_CASE("a function that is itself wrong is found by its name") {
  auto source = readText(text);
  auto part = textOfFunction(*source, "first");
  REQUIRE(part);
  CHECK(part->find("bogus") != std::string::npos);
  CHECK_FALSE(textOfFunction(*source, "nobody"));
  CHECK_FALSE(textOfFunction(*readText(""), "main"));
}
