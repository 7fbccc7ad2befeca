//===- TestModelJson.cpp - the model's JSON round-trips and refuses -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ModelExamples.h"
#include "core/model/Json.h"
#include <catch2/catch.hpp>

using namespace tilewright::model;

/// Written, read and written again: the same, and through text too.
template <typename T> static void checkRoundTrip(const T &value) {
  nlohmann::json first = value;
  Diagnostic error;
  std::optional<T> read = readJson<T>(writeJson(first), error);
  INFO(error.message);
  REQUIRE(read);
  CHECK(nlohmann::json(*read) == first);
}

TEST_CASE("everything round-trips") {
  checkRoundTrip(examples::graph());
  checkRoundTrip(examples::stageTable());
  checkRoundTrip(examples::printedStage());
  checkRoundTrip(examples::diff());
  checkRoundTrip(examples::runResult());
  checkRoundTrip(examples::verifyResult());
  checkRoundTrip(examples::experimentList());
  checkRoundTrip(examples::experimentComparison());
  checkRoundTrip(examples::memoryMap());
  checkRoundTrip(examples::trace());
  checkRoundTrip(examples::diagnosticList());
  checkRoundTrip(examples::pinsFile());
  checkRoundTrip(examples::overrideFile());
  checkRoundTrip(examples::overrideStates());
  checkRoundTrip(examples::decision());
  checkRoundTrip(examples::decisionList());
  checkRoundTrip(Graph());
  checkRoundTrip(Trace());
}

TEST_CASE("missing and unknown fields do no harm") {
  Diagnostic error;
  std::optional<Graph> graph = readJson<Graph>(
      R"({"nodes":[{"id":"a","colour":"red"},{"id":"b","kind":"kernel"}],
          "edges":[{"from":"a","to":"b"}],"future":[1,2]})",
      error);
  REQUIRE(graph);
  REQUIRE(graph->nodes.size() == 2);
  CHECK(graph->nodes[1].kind == NodeKind::Kernel);
  CHECK(graph->indexById().at("b") == 1);
  CHECK(graph->edges[0].kind == EdgeKind::Data);
  CHECK(readJson<Trace>("{}", error));
  CHECK(readJson<StageTable>(R"({"uri":null})", error));
}

TEST_CASE("pins keep fields they do not know") {
  Diagnostic error;
  std::string text =
      R"({"schema":"tilewright/pins","version":1,"by":"me","pins":[)"
      R"({"key":"b","kind":"tile","value":{"L1":{"m":128}},"since":2024},)"
      R"({"key":"a","kind":"tile","value":1,"target":"cpu"}]})";
  std::optional<PinsFile> file = readJson<PinsFile>(text, error);
  REQUIRE(file);
  CHECK(file->pins[0].target == "*");
  nlohmann::json written = *file;
  CHECK(written["by"] == "me");
  CHECK(written["pins"][0]["key"] == "a"); // sorted
  CHECK(written["pins"][1]["since"] == 2024);
  CHECK(written["pins"][1]["value"]["L1"]["m"] == 128);
}

TEST_CASE("errors name the place") {
  Diagnostic error;
  auto failure = [&](auto type, const std::string &text) {
    CHECK_FALSE(readJson<decltype(type)>(text, error));
    return error.code + " " + error.message;
  };
  CHECK(failure(Graph(), "[]") ==
        "TW0061 tilewright/graph: must be an object, but is array");
  CHECK(failure(Graph(), R"({"schema":"tilewright/trace"})") ==
        "TW0061 schema: must be \"tilewright/graph\", but is "
        "\"tilewright/trace\"");
  CHECK(failure(Graph(), R"({"version":7})") ==
        "TW0061 version: tilewright/graph version 7 was written by a newer "
        "Tilewright; this one reads up to version 1");
  CHECK(failure(Graph(), R"({"nodes":[{"id":"a"},{"id":3}]})") ==
        "TW0061 nodes[1]: type must be string, but is number");
  CHECK(failure(Graph(), R"({"nodes":[{"grid":["x +"]}]})")
            .find("TW0061 nodes[0]: expression \"x +\": expression ends") == 0);
  CHECK(failure(Trace(), R"({"events":{}})") ==
        "TW0061 events: must be an array, but is object");
  CHECK(failure(PinsFile(), R"({"pins":[{"kind":"tile"}]})") ==
        "TW0061 pins[0]: key: a pin must name an operation");
  CHECK(failure(RunResult(), R"({"threads":"two"})") ==
        "TW0061 threads: type must be number, but is string");
}

TEST_CASE("text that is not JSON is refused with its offset") {
  Diagnostic error;
  CHECK_FALSE(parseJson("", error));
  CHECK(error.code == "TW0060");
  CHECK_FALSE(parseJson("{\"a\": 1,}", error));
  CHECK(error.range.begin == 8);
  CHECK_FALSE(parseJson(R"({"nodes":[{"id":"a)", error)); // cut off
  CHECK_FALSE(parseJson(std::string("{\"a\":\"\xff\"}"), error));
  CHECK_FALSE(parseJson(std::string(1, '\0'), error));
  CHECK_FALSE(parseJson(std::string(100000, '['), error));
  CHECK(error.message.find("nested deeper") != std::string::npos);
  CHECK(error.range.begin == maxJsonDepth);
  CHECK_FALSE(parseJson("1e999999", error));
  // Brackets inside strings are no nesting.
  CHECK(parseJson("\"" + std::string(100000, '[') + "\\\"[\"", error));
}

TEST_CASE("every document cut anywhere is refused or read, never fatal") {
  std::string text = writeJson(examples::graph());
  Diagnostic error;
  for (size_t length = 0; length < text.size(); ++length)
    REQUIRE_FALSE(readJson<Graph>(text.substr(0, length), error));
}

TEST_CASE("bytes that are not UTF-8 can be written") {
  Graph graph;
  graph.stage = "a\xff";
  Diagnostic error;
  CHECK(readJson<Graph>(writeJson(graph), error));
}

TEST_CASE("figures that are not finite survive as such") {
  RunResult run;
  run.checks.resize(1);
  run.checks[0].error = std::numeric_limits<double>::quiet_NaN();
  run.metrics = {{"ratio", std::numeric_limits<double>::infinity(), ""}};
  Diagnostic error;
  std::optional<RunResult> read = readJson<RunResult>(writeJson(run), error);
  REQUIRE(read);
  CHECK(std::isnan(read->checks[0].error));
  CHECK(std::isnan(read->metrics[0].value));
}
