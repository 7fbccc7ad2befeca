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
