//===- TestSchemas.cpp - what we write is what the schemas say ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ModelExamples.h"
#include "SchemaChecker.h"
#include "core/model/Json.h"
#include <catch2/catch.hpp>

using namespace tilewright::model;
using tilewright::testing::SchemaChecker;

static const SchemaChecker &checker() {
  static const SchemaChecker checker(TILEWRIGHT_SOURCE_DIR
                                     "/resources/schemas");
  return checker;
}

/// Every field written is described; readers that allow more are not disturbed.
static void checkDocument(const std::string &schema,
                          const nlohmann::json &json) {
  INFO(schema);
  CHECK(checker().check(json, schema) == std::vector<std::string>{});
  nlohmann::json broken = json;
  broken["surprise"] = 1;
  CHECK(checker().check(broken, schema) ==
        std::vector<std::string>{"/surprise: is not described"});
  CHECK(checker().check(broken, schema, /*strict=*/false).empty());
}

TEST_CASE("every document satisfies its schema") {
  checkDocument("graph", examples::graph());
  checkDocument("stages", examples::stageTable());
  checkDocument("ir", examples::printedStage());
  checkDocument("diff", examples::diff());
  checkDocument("memoryMap", examples::memoryMap());
  checkDocument("experiments", examples::experimentList());
  checkDocument("compare", examples::experimentComparison());
  checkDocument("run", examples::runResult());
  checkDocument("verify", examples::verifyResult());
  checkDocument("trace", examples::trace());
  checkDocument("diagnostics", examples::diagnosticList());
  // A person's own fields stay in a pins file, so it is checked without them.
  PinsFile pins = examples::pinsFile();
  pins.pins[0].extra = nlohmann::json::object();
  checkDocument("pins", pins);
  checkDocument("decisions", examples::decisionList());
  checkDocument("override", examples::overrideFile());
  checkDocument("overrideStates", examples::overrideStates());
}

TEST_CASE("schemas refer only to what exists, in words the checker knows") {
  // An empty object visits the top of each; those with content are above.
  for (const std::string &name : checker().names()) {
    INFO(name);
    for (const std::string &problem :
         checker().check(nlohmann::json::object(), name))
      CHECK(problem.find("lacks") != std::string::npos);
  }
  nlohmann::json place = {{"schema", "tilewright/keyAt"},
                          {"version", 1},
                          {"keys", {"ffn/act"}},
                          {"range", {{"begin", 1}, {"end", 2}}},
                          {"source", nullptr}};
  CHECK(checker().check(place, "keyAt").empty());
  place["source"] = 3;
  CHECK(checker().check(place, "keyAt").size() == 1);
}

TEST_CASE("the checker finds what is wrong") {
  nlohmann::json json = examples::graph();
  auto problems = [&] { return checker().check(json, "graph"); };
  auto only = [](std::string problem) {
    return std::vector<std::string>{std::move(problem)};
  };
  SECTION("a missing field") {
    json["nodes"][0].erase("id");
    CHECK(problems() == only("/nodes/0: lacks \"id\""));
  }
  SECTION("a wrong type behind a reference") {
    json["nodes"][1]["metrics"][0]["value"] = "12";
    CHECK(problems() ==
          only("/nodes/1/metrics/0/value: is string, not \"number\""));
  }
  SECTION("a value out of its set") {
    json["edges"][0]["kind"] = "wire";
    CHECK(problems().size() == 1);
  }
  SECTION("another schema") {
    json["schema"] = "tilewright/trace";
    CHECK(problems().size() == 1);
  }
  SECTION("a code that is none") {
    json = examples::diagnosticList();
    json["diagnostics"][0]["code"] = "E12";
    CHECK(checker().check(json, "diagnostics").size() == 1);
  }
  SECTION("too few items, below the minimum") {
    json["nodes"][1]["attributes"][0].erase(1);
    json["nodes"][1]["range"]["begin"] = -1;
    CHECK(problems().size() == 2);
  }
}
