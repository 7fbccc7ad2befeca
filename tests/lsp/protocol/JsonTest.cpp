//===- JsonTest.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Json.h"
#include "lsp/protocol/Utf8.h"
#include <catch2/catch.hpp>

using namespace tilewright::lsp;

TEST_CASE("bad JSON is an error, never an exception") {
  std::string error;
  for (std::string text :
       {std::string(), std::string("{"), std::string("{\"a\":1,}"),
        std::string("\"\xff\""), std::string(200000, '['),
        std::string("[1] [2]"), std::string("\0\0", 2)}) {
    error.clear();
    CHECK_FALSE(parseJson(text, error));
    CHECK_FALSE(error.empty());
    CHECK_FALSE(findInvalidUtf8(error));
  }
  CHECK(parseJson(
      std::string(maxJsonDepth, '[') + std::string(maxJsonDepth, ']'), error));
  // Brackets within strings do not nest.
  CHECK(parseJson("\"" + std::string(1000, '[') + "\\\"[\"", error));
}

TEST_CASE("half a surrogate pair becomes U+FFFD, a whole one its character") {
  std::string error;
  auto parsed = [&](const std::string &text) {
    std::optional<Json> json = parseJson(text, error);
    INFO(text << ": " << error);
    REQUIRE(json);
    return *json;
  };
  const std::string unknown = "\xEF\xBF\xBD";
  CHECK(parsed(R"(["\ud800", 1])") == Json::array({unknown, 1}));
  CHECK(parsed(R"("a\udc00b")") == "a" + unknown + "b");
  CHECK(parsed(R"("\uD83D\uD83D\uDE00\uDE00")") ==
        unknown + "\xF0\x9F\x98\x80" + unknown);
  CHECK(parsed(R"("\ud83d\n")") == unknown + "\n");
  // An escaped backslash before what only looks like an escape.
  CHECK(parsed(R"({"\ud800": "\\ud800"})") == Json{{unknown, "\\ud800"}});
  CHECK_FALSE(parseJson(R"("\ud800" x)", error));
}

TEST_CASE("writing repairs bytes that are not UTF-8") {
  std::string error;
  auto json = parseJson(writeJson({{"a", "x\xff\xfey"}}), error);
  REQUIRE(json);
  CHECK((*json)["a"] == "x\xEF\xBF\xBD\xEF\xBF\xBDy");
}

TEST_CASE("invalid UTF-8 is found at its byte") {
  CHECK_FALSE(findInvalidUtf8("gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 12345678"));
  CHECK(findInvalidUtf8("12345678901\xC3") == 11);
  CHECK(findInvalidUtf8("a\xC0\x80") == 1);        // overlong
  CHECK(findInvalidUtf8("\xED\xA0\x80") == 0);     // surrogate
  CHECK(findInvalidUtf8("\xF4\x90\x80\x80") == 0); // beyond U+10FFFF
  CHECK(replaceInvalidUtf8("a\xff"
                           "b") == "a\xEF\xBF\xBD"
                                   "b");
}

TEST_CASE("a large text is read as a small one is") {
  const std::string values =
      R"({"a":[0,-1,18446744073709551615,-9223372036854775808,1.5,-0.0,1e300],)"
      R"("b":"\u00e9 \ud83d\ude00 \" \\ \/ \b\f\n\r\t é","c":{"d":null,"e":true,)"
      R"("f":false},"g":[],"h":{},"twice":1,"twice":2})";
  std::string error;
  auto small = parseJson(values, error);
  REQUIRE(small);
  const std::string padding = "[\"" + std::string(20000, 'x') + "\",";
  auto large = parseJson(padding + values + "]", error);
  REQUIRE(large);
  CHECK((*large)[1] == *small);
  CHECK(writeJson((*large)[1]) == writeJson(*small));
  for (const char *path : {"/a/0", "/a/1", "/a/2", "/a/3", "/a/4"}) {
    Json::json_pointer at(path);
    CHECK((*large)[1][at].type() == (*small)[at].type());
  }
  // And what is wrong with it is told as well.
  CHECK_FALSE(parseJson(padding + values, error));
  CHECK(error.find("byte") != std::string::npos);
  CHECK_FALSE(parseJson(padding + "\"\xff\"]", error));
  CHECK(error == "byte 20005 is not UTF-8");
  CHECK_FALSE(parseJson(padding + std::string(300, '['), error));
  CHECK((*parseJson(padding + R"("\ud800"])", error))[1] == "\xEF\xBF\xBD");
  CHECK_FALSE(parseJson(padding + "1e999]", error));
}

TEST_CASE("JSON is written as the library writes it") {
  Json json = {{"a", {0, -1, 18446744073709551615u, 1.5, 1e300, -0.0, true}},
               {"empty", Json::array()},
               {"none", nullptr},
               {"object", Json::object()},
               {"k\"\n\x01", "v"}};
  std::string all;
  for (int c = 0; c < 128; ++c)
    all += char(c);
  json["all"] = all + "\xC3\xA9\xF0\x9F\x98\x80";
  json["broken"] = "\xFF"
                   "a\xC3"
                   "\"";
  CHECK(writeJson(json) ==
        json.dump(-1, ' ', false, Json::error_handler_t::replace));
  std::string error;
  json.erase("broken");
  CHECK(parseJson(writeJson(json), error) == json);
}

TEST_CASE("what is escaped is so wherever in eight bytes it lies") {
  for (int c = 0; c < 256; ++c)
    for (size_t before = 0; before < 10; ++before)
      for (size_t after = 0; after < 10; ++after) {
        std::string text =
            std::string(before, 'x') + char(c) + std::string(after, '\x7f');
        Json json(text);
        REQUIRE(writeJson(json) ==
                json.dump(-1, ' ', false, Json::error_handler_t::replace));
      }
}

TEST_CASE("a text is read where it lies, with or without room behind it") {
  for (size_t size : {size_t(10), size_t(20000), size_t(1000000)}) {
    Json json = {std::string(size, 'x'), {{"a", 1}}};
    std::string error, tight = writeJson(json);
    tight.shrink_to_fit();
    CHECK(parseJsonInPlace(tight, error) == json);
    std::string roomy = writeJson(json);
    roomy.reserve(roomy.size() + jsonPadding);
    CHECK(parseJsonInPlace(roomy, error) == json);
    std::string wrong = roomy.substr(0, roomy.size() - 1);
    CHECK_FALSE(parseJsonInPlace(wrong, error));
    CHECK(error == "bad JSON at byte " + std::to_string(wrong.size()));
  }
}
