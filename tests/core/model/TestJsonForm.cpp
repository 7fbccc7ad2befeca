//===- TestJsonForm.cpp - faults of documents, with their places ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/JsonForm.h"
#include <catch2/catch.hpp>

using namespace tilewright::model;
using Json = nlohmann::json;

static const Json form = Json::parse(R"({
  "type": "object",
  "properties": {
    "name": {"type": "string"},
    "kind": {"enum": ["memory", "cache"]},
    "capacity": {"$ref": "#/$defs/figure", "description": "bytes"},
    "sizes": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2, "maxItems": 3},
    "texts": {"type": "object", "additionalProperties": {"type": "string"}}
  },
  "required": ["name", "capacity"],
  "$defs": {"figure": {
    "title": "a figure", "type": "object",
    "properties": {"value": {"type": "number"}, "source": {"type": "string"}},
    "required": ["value", "source"]}}
})");

static std::string faults(const char *text) {
  std::string all;
  for (const FormProblem &problem : checkForm(Json::parse(text), form))
    all += (problem.severity == Severity::Error ? "" : "? ") + problem.pointer +
           " " + problem.message +
           (problem.hint.empty() ? "" : " | " + problem.hint) + "\n";
  return all;
}

TEST_CASE("a document of the right form has no faults") {
  CHECK(faults(R"({"name": "a", "capacity": {"value": 1, "source": "s"},
                   "kind": "cache", "sizes": [1, 2], "texts": {"x": "y"}})") ==
        "");
}

TEST_CASE("each fault names its field, what is there and what should be") {
  CHECK(faults("[]") == " is [], where an object is expected\n");
  CHECK(faults(R"({"name": 3, "capacity": 7})") ==
        "/capacity is 7, where a figure (bytes) is expected\n"
        "/name is 3, where a text is expected\n");
  CHECK(faults(R"({"name": "a"})") ==
        "/capacity is missing: a figure (bytes) is expected\n");
  CHECK(faults(R"({"name": "a", "capacity": {"value": "1", "source": "s"},
                   "kind": "cahce", "sizes": [1, 0], "texts": {"x": 1}})") ==
        "/capacity/value is \"1\", where a number is expected\n"
        "/kind is \"cahce\", where one of \"memory\", \"cache\" is expected | "
        "did you mean \"cache\"?\n"
        "/sizes/1 is 0, below the least of 1\n"
        "/texts/x is 1, where a text is expected\n");
  CHECK(faults(R"({"name": "a", "capacity": {"value": 1, "source": "s"},
                   "sizes": [1]})") ==
        "/sizes has 1 entries, where at least 2 are expected\n");
}

TEST_CASE("a misspelt field is an error, a foreign one is not") {
  CHECK(faults(R"({"name": "a", "capcity": {"value": 1, "source": "s"}})") ==
        "/capcity is no field that there is | did you mean \"capacity\"?\n");
  CHECK(faults(R"({"name": "a", "capacity": {"value": 1, "source": "s"},
                   "remarks/of me": 1})") ==
        "? /remarks~1of me is a field nothing reads | take it away\n");
}

TEST_CASE("values are found in the text by their pointers") {
  std::string text = "{ \"a\\u0062/c\" : [10, {\"x\": \"}\\\"\"}, [] ],\n"
                     "  \"n\": -1.5e3}";
  auto places = placesOf(text);
  auto at = [&](const char *pointer) {
    TextRange range = placeOf(places, pointer);
    return text.substr(size_t(range.begin), size_t(range.end - range.begin));
  };
  CHECK(at("") == text);
  CHECK(at("/ab~1c/0") == "10");
  CHECK(at("/ab~1c/1/x") == "\"}\\\"\"");
  CHECK(at("/ab~1c/2") == "[]");
  CHECK(at("/n") == "-1.5e3");
  // What is not there: where it would be.
  CHECK(at("/ab~1c/1/y/z") == "{\"x\": \"}\\\"\"}");
}
