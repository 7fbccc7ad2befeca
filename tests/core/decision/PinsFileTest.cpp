//===- PinsFileTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/PinsFile.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::decision;

static PinsFile parsed(std::string_view text) {
  model::Diagnostic problem;
  std::optional<PinsFile> file = PinsFile::parse(text, problem);
  INFO(problem.message);
  REQUIRE(file);
  return *file;
}

static const char *sample = R"({
  "version": 1, "schema": "tilewright/pins", "made by": "hand",
  "pins": [
    {"kind": "tile", "key": "f/b", "value": {"L0": {"m": 64}}, "colour": "red"},
    {"kind": "tile", "key": "f/a", "target": "ascend-a3", "value": {"L0": {"m": 32}}, "note": "n"}
  ]})";

TEST_CASE("pins are sorted and unknown fields kept") {
  std::string text = parsed(sample).str();
  CHECK(text.find("f/a") < text.find("f/b"));
  CHECK(text.find("\"colour\": \"red\"") != std::string::npos);
  CHECK(text.find("\"made by\": \"hand\"") != std::string::npos);
  CHECK(text.back() == '\n');
  // The same pins are the same bytes.
  CHECK(parsed(text).str() == text);
}

TEST_CASE(
    "setting a pin replaces that of the same subject and keeps its extras") {
  PinsFile file = parsed(sample);
  file.set({"f/b", "*", "tile", {{"L0", {{"m", 128}}}}, "", {}});
  CHECK(file.pins.size() == 2);
  const model::Pin *pin = file.find("f/b", "cpu", "tile");
  REQUIRE(pin);
  CHECK(pin->value["L0"]["m"] == 128);
  CHECK(pin->extra["colour"] == "red");
  CHECK(file.remove("f/b", "*", "tile"));
  CHECK_FALSE(file.remove("f/b", "*", "tile"));
  CHECK(file.pins.size() == 1);
}

TEST_CASE("the most specific pin wins") {
  PinsFile file;
  file.set({"*", "*", "tile", 1, "", {}});
  file.set({"layer*/qk", "*", "tile", 2, "", {}});
  file.set({"layer3/qk", "*", "tile", 3, "", {}});
  file.set({"layer3/qk", "cpu", "tile", 4, "", {}});
  auto value = [&](const char *key, const char *target) {
    const model::Pin *pin = file.find(key, target, "tile");
    return pin ? pin->value.get<int>() : 0;
  };
  CHECK(value("layer3/qk", "cpu") == 4);
  CHECK(value("layer3/qk", "ascend-a3") == 3);
  CHECK(value("layer12/qk", "cpu") == 2);
  CHECK(value("other", "cpu") == 1);
  CHECK_FALSE(file.find("other", "cpu", "scope"));
}

TEST_CASE("globs") {
  CHECK(matchesGlob("layer*/qk", "layer10/qk"));
  CHECK(matchesGlob("*", "a/b"));
  CHECK(matchesGlob("a?c", "abc"));
  CHECK_FALSE(matchesGlob("a?c", "ac"));
  CHECK_FALSE(matchesGlob("layer*/qk", "layer10/qkv"));
  CHECK(matchesGlob("*a*b", "xxaxxbxxab"));
  CHECK_FALSE(matchesGlob("", "a"));
  // Many stars on a long text that does not match must not take for ever.
  CHECK_FALSE(matchesGlob("*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST_CASE("what is no pins file is refused with the place") {
  for (const char *text : {"", "{", "[]", "{\"schema\": \"other\"}",
                           "{\"schema\": \"tilewright/pins\", \"pins\": {}}"}) {
    model::Diagnostic problem;
    CHECK_FALSE(PinsFile::parse(text, problem));
    CHECK(problem.code == "TW0210");
    CHECK_FALSE(problem.message.empty());
  }
}
