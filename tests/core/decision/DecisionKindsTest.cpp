//===- DecisionKindsTest.cpp ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/DecisionKinds.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

using namespace tilewright;
using namespace tilewright::decision;

TEST_CASE("the kinds are those of the schema") {
  std::ifstream file(TILEWRIGHT_SOURCE_DIR
                     "/resources/schemas/pins.schema.json");
  nlohmann::json schema = nlohmann::json::parse(file);
  std::vector<std::string> listed =
      schema["properties"]["pins"]["items"]["properties"]["kind"]["enum"];
  std::sort(listed.begin(), listed.end());
  std::vector<std::string> known;
  for (const DecisionKind &kind : decisionKinds())
    known.emplace_back(kind.name);
  CHECK(known == listed);
  CHECK(std::is_sorted(known.begin(), known.end()));
  CHECK(decisionKind("tile")->obeyedBy == "tile/choose-tiles");
  CHECK_FALSE(decisionKind("tiles"));
}

TEST_CASE("an unknown kind is an error at its place in the pins file") {
  std::string text = R"({"schema": "tilewright/pins", "version": 1,
  "made by": {"kind": "hand"},
  "pins": [
    {"key": "f/a", "kind": "tile", "value": {"kind": "none"}},
    {"kind": "bufers", "key": "f/b", "value": 2},
    {"key": "f/c", "kind": "order", "value": "z", "more": {"kind": "x"}},
    {"key": "f/d", "kind": "Tile", "value": {}}
  ]})";
  std::vector<model::Diagnostic> problems = unknownKinds(text);
  REQUIRE(problems.size() == 2);
  for (const model::Diagnostic &problem : problems) {
    CHECK(problem.code == "TW0211");
    CHECK(problem.severity == model::Severity::Error);
    CHECK(problem.hint.find("buffers, core, merge") != std::string::npos);
  }
  CHECK(problems[0].message.rfind("pin of f/b in line 5 is of kind "
                                  "\"bufers\"",
                                  0) == 0);
  CHECK(problems[1].message.rfind("pin of f/d in line 7 ", 0) == 0);
  auto textOf = [&](const model::TextRange &range) {
    return text.substr(size_t(range.begin), size_t(range.end - range.begin));
  };
  CHECK(textOf(problems[0].range) == "\"bufers\"");
  CHECK(textOf(problems[1].range) == "\"Tile\"");
  // What is no JSON has been refused before.
  CHECK(unknownKinds("{\"pins\": [{").empty());
  CHECK(unknownKinds("").empty());
}

TEST_CASE("a pin that no pass obeys is reported once, on its target only") {
  auto idle = [](std::string_view name) {
    return decisionKind(name)->obeyedBy.empty();
  };
  PinsFile file;
  size_t expected = 0;
  for (const DecisionKind &kind : decisionKinds()) {
    file.set({"f/*", "*", std::string(kind.name), 1, "", {}});
    file.set({"f/a", "other", std::string(kind.name), 1, "", {}});
    expected += idle(kind.name);
  }
  auto exists = [](std::string_view) { return std::optional("f/a"); };
  std::vector<model::Diagnostic> reports = idlePins(file, "cpu", exists);
  CHECK(reports.size() == expected);
  for (const model::Diagnostic &report : reports) {
    CHECK(report.code == "TW0207");
    CHECK(report.severity == model::Severity::Warning);
    CHECK(report.key == "f/a");
    CHECK(report.message.find("pin of f/* is not applicable") !=
          std::string::npos);
  }
  CHECK(idlePins(file, "other", exists).size() == 2 * expected);
  auto gone = [](std::string_view) { return std::optional<std::string>(); };
  for (const model::Diagnostic &report : idlePins(file, "cpu", gone))
    CHECK(report.code == "TW0206");
}
