// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/frontend/SourceLexer.h"
#include <catch2/catch.hpp>
#include <vector>

using namespace tilewright::frontend;

static std::vector<std::string> words(std::string_view text) {
  SourceLexer lexer(text);
  std::vector<std::string> result;
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next())
    result.push_back(std::string(lexer.textOf(token)));
  return result;
}

TEST_CASE("tokens of ordinary lines") {
  using Words = std::vector<std::string>;
  CHECK(words("%0:2, %a-b = tw.matmul %x#1 // c %d\n") ==
        Words{"%0", ":", "2", ",", "%a-b", "=", "tw.matmul", "%x", "#1"});
  CHECK(words("tensor<4x?xf32>") ==
        Words{"tensor", "<", "4", "x", "?", "xf32", ">"});
  CHECK(words("() -> (i32) -1.5e-3") ==
        Words{"(", ")", "->", "(", "i32", ")", "-", "1.5e-3"});
  CHECK(words("@\"a b\"::@c ^bb0 !t #m") ==
        Words{"@\"a b\"", ":", ":", "@c", "^bb0", "!t", "#m"});
  CHECK(words("\"a\\\"{\" {") == Words{"\"a\\\"{\"", "{"});
}

TEST_CASE("strange bytes are tokens of their own") {
  SourceLexer nul(std::string_view("a\0\0b", 4));
  CHECK(nul.next().kind == TokenKind::Identifier);
  Token zero = nul.next();
  CHECK(zero.kind == TokenKind::Nul);
  CHECK(zero.end - zero.begin == 2);
  CHECK(nul.next().kind == TokenKind::Identifier);

  SourceLexer accent("%\xC3\xA9 = x");
  CHECK(accent.next().kind == TokenKind::Value);
  CHECK(accent.next().kind == TokenKind::Bytes);

  SourceLexer open("\"abc\nfunc");
  CHECK(open.next().kind == TokenKind::OpenString);
  Token next = open.next();
  CHECK(next.kind == TokenKind::Identifier);
  CHECK(next.startsLine);

  std::string comment("// a\0b\nx", 8);
  SourceLexer hidden(comment);
  CHECK(hidden.next().kind == TokenKind::Identifier);
  CHECK(hidden.sawHiddenNul());
  CHECK(hidden.hiddenNulAt() == 4);
}

TEST_CASE("a byte order mark is skipped but counted") {
  SourceLexer lexer("\xEF\xBB\xBF"
                    "func");
  Token token = lexer.next();
  CHECK(token.begin == 3);
  CHECK(token.startsLine);
  CHECK(lexer.textOf(token) == "func");
}

TEST_CASE("one line, without comments") {
  CHECK(onOneLine("#a = affine_map<(d0) // x\n -> (d0)>") ==
        "#a = affine_map<(d0) -> (d0)>");
  CHECK(onOneLine("\"// no comment\" x") == "\"// no comment\" x");
}

TEST_CASE("names of symbols") {
  CHECK(symbolName("@f") == "f");
  CHECK(symbolName("@\"a b\"") == "a b");
  CHECK(symbolName("@\"a\\22\\\\\"") == "a\"\\");
}

TEST_CASE("UTF-8 is judged to the byte") {
  CHECK(isUtf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
  CHECK_FALSE(isUtf8("\xC3"));
  CHECK_FALSE(isUtf8("\xED\xA0\x80")); // a surrogate
  CHECK_FALSE(isUtf8("\xC0\xAF"));     // longer than need be
  CHECK_FALSE(isUtf8("\xF4\x90\x80\x80"));
}
