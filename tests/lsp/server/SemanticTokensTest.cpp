//===- SemanticTokensTest.cpp ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/SemanticTokens.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::lsp;

namespace {

/// One line a token: "line:unit+length type", with ! for a declaration.
std::string listOf(const std::vector<uint32_t> &tokens) {
  Json names = semanticTokensLegend()["tokenTypes"];
  std::string list;
  uint32_t line = 0, unit = 0;
  for (size_t i = 0; i < tokens.size(); i += 5) {
    line += tokens[i];
    unit = tokens[i] ? tokens[i + 1] : unit + tokens[i + 1];
    list += std::to_string(line) + ":" + std::to_string(unit) + "+" +
            std::to_string(tokens[i + 2]) + " " +
            names[tokens[i + 3]].get<std::string>() +
            (tokens[i + 4] ? "!" : "") + "\n";
  }
  return list;
}

std::string listOf(const std::string &text,
                   PositionEncoding encoding = PositionEncoding::Utf8) {
  return listOf(semanticTokens(text, encoding));
}

} // namespace

TEST_CASE("words of a function are told apart") {
  CHECK(listOf("func.func @f(%x: tensor<4x?xf32>) -> i1 { // so\n"
               "  %y = tw.sum %x {axis = -1, name = \"a\"}\n"
               "  return %y, %x\n}\n") == "0:0+9 method\n"
                                          "0:10+2 function!\n"
                                          "0:13+2 parameter!\n"
                                          "0:17+6 type\n"
                                          "0:24+1 number\n"
                                          "0:26+1 number\n"
                                          "0:28+3 type\n"
                                          "0:37+2 type\n"
                                          "0:42+5 comment\n"
                                          "1:2+2 variable!\n"
                                          "1:7+6 method\n"
                                          "1:14+2 parameter\n"
                                          "1:18+4 property\n"
                                          "1:26+1 number\n"
                                          "1:29+4 property\n"
                                          "1:36+3 string\n"
                                          "2:2+6 keyword\n"
                                          "2:9+2 variable\n"
                                          "2:13+2 parameter\n");
}

TEST_CASE("results are declared, aliases too") {
  CHECK(listOf("%a, %b:2 = x.y %c\n!t = i32\n") == "0:0+2 variable!\n"
                                                   "0:4+2 variable!\n"
                                                   "0:7+1 number\n"
                                                   "0:11+3 method\n"
                                                   "0:15+2 variable\n"
                                                   "1:0+2 macro!\n"
                                                   "1:5+3 type\n");
}

TEST_CASE("places are in the client's units, lines end as LSP says") {
  const std::string text =
      "// \xC3\xB6\xF0\x9F\x98\x80\r\n\"\xF0\x9F\x98\x80\" "
      "%a\r%b";
  CHECK(listOf(text, PositionEncoding::Utf8) ==
        "0:0+9 comment\n1:0+6 string\n1:7+2 variable\n2:0+2 variable\n");
  CHECK(listOf(text, PositionEncoding::Utf16) ==
        "0:0+6 comment\n1:0+4 string\n1:5+2 variable\n2:0+2 variable\n");
  CHECK(listOf(text, PositionEncoding::Utf32) ==
        "0:0+5 comment\n1:0+3 string\n1:4+2 variable\n2:0+2 variable\n");
}

TEST_CASE("a string that is not closed ends with its line") {
  CHECK(listOf("\"ab\n%x") == "0:0+3 string\n1:0+2 variable\n");
  CHECK(listOf("\"ab\\") == "0:0+4 string\n");
  CHECK(listOf("\"a\\\n%x") == "0:0+3 string\n1:0+2 variable\n");
}

TEST_CASE("tokens of any bytes lie within the text and in order") {
  std::mt19937 random(7);
  const std::string signs = "%@#!^\"\\/{}<>=:,.-x0f i\n\r\t\xC3\xF0?(";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (size_t n = random() % 60; n > 0; --n)
      text += signs[random() % signs.size()];
    std::vector<uint32_t> tokens = semanticTokens(text, PositionEncoding::Utf8);
    INFO(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
    REQUIRE(tokens.size() % 5 == 0);
    uint32_t free = 0;
    for (size_t i = 0; i < tokens.size(); i += 5) {
      if (tokens[i])
        free = 0;
      else if (i > 0)
        REQUIRE(tokens[i + 1] >= free);
      REQUIRE(tokens[i + 2] > 0);
      free = tokens[i + 2];
    }
  }
}

TEST_CASE("edits turn the old tokens into the new ones") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    auto list = [&] {
      std::vector<uint32_t> numbers;
      for (size_t n = random() % 9; n > 0; --n)
        numbers.push_back(random() % 3);
      return numbers;
    };
    std::vector<uint32_t> before = list(), after = list();
    Json edits = semanticTokensEdits(before, after);
    REQUIRE(edits.size() <= 1);
    REQUIRE(edits.empty() == (before == after));
    for (const Json &edit : edits) {
      auto data = edit["data"].get<std::vector<uint32_t>>();
      auto at = before.begin() + edit["start"].get<int64_t>();
      at = before.erase(at, at + edit["deleteCount"].get<int64_t>());
      before.insert(at, data.begin(), data.end());
    }
    REQUIRE(before == after);
  }
}
