//===- PinChecksTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/PinChecks.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::decision;

static std::vector<model::Diagnostic> checked(const std::string &text,
                                              PinsFile &file) {
  model::Diagnostic problem;
  std::optional<PinsFile> parsed = PinsFile::parse(text, problem);
  REQUIRE(parsed);
  file = *parsed;
  return checkPins(text, file, {"cpu", "cpu-generic", "ascend-a3"});
}

TEST_CASE("an entry that is no pin is named with its line; the others act") {
  PinsFile file;
  auto said = checked(R"({"schema": "tilewright/pins", "version": 1, "pins": [
  {"key": "", "kind": "tile", "value": {}},
  {"key": "f/a", "kind": "tile", "target": 5, "value": {}},
  {"key": "f/b", "kind": "merge", "value": 2},
  {"key": "f/c", "kind": "tile", "note": 5, "value": {}},
  {"kind": "bufers"},
  7
]})",
                      file);
  REQUIRE(file.pins.size() == 1);
  CHECK(file.pins[0].key == "f/b");
  REQUIRE(said.size() == 5);
  const char *begins[] = {
      "pin 1 in line 2 says \"key\": \"\", which must not be empty",
      "pin 2 in line 3 says \"target\": 5, which must be a string",
      "pin 4 in line 5 says \"note\": 5, which must be a string",
      "pin 5 in line 6 has no \"key\"", "pin 6 in line 7 is no object but 7"};
  for (size_t i = 0; i < said.size(); ++i) {
    CHECK(said[i].code == "TW0210");
    CHECK(said[i].message.rfind(begins[i], 0) == 0);
  }
  // Nothing is lost when it is written again.
  model::Diagnostic problem;
  auto again = PinsFile::parse(file.str(), problem);
  REQUIRE(again);
  CHECK(again->unread.size() == 5);
}

TEST_CASE("pins that cannot act as meant are warned of") {
  PinsFile file;
  auto said = checked(R"({"schema": "tilewright/pins", "version": 99, "pins": [
  {"key": "f/a", "kind": "tile", "value": {"l1": {"m": 4}}},
  {"key": "f/a", "kind": "tile", "target": "cpu", "value": {"l1": {"m": 4}}},
  {"key": "f/a", "kind": "tile", "value": {"l1": {"m": 8}}},
  {"key": "f/b", "kind": "tile", "target": "ascend-3", "value": {}},
  {"key": "f/c", "kind": "tile", "target": "asc*", "value": {}}
]})",
                      file);
  CHECK(file.pins.size() == 5);
  REQUIRE(said.size() == 3);
  for (const model::Diagnostic &each : said)
    CHECK(each.severity == model::Severity::Warning);
  CHECK(said[0].code == "TW0216");
  CHECK(said[0].message.find("\"version\": 99 in line 1") != std::string::npos);
  CHECK(said[1].code == "TW0208");
  CHECK(said[1].message.find("of f/a in line 2 does not act: the one in line "
                             "4") != std::string::npos);
  CHECK(said[2].code == "TW0209");
  CHECK(said[2].message.find("in line 5") != std::string::npos);
  CHECK(said[2].hint == "did you mean ascend-a3?");
}

TEST_CASE("a pins file as it should be gives no message") {
  PinsFile file;
  CHECK(checked(R"({"schema": "tilewright/pins", "version": 1, "pins": [
  {"key": "f/*", "kind": "tile", "value": {"l1": {"m": 4}}},
  {"key": "f/a", "kind": "tile", "target": "cpu*", "value": {"l1": {"m": 4}}}
]})",
                file)
            .empty());
}
