//===- SourceLexer.h - MLIR text as tokens ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lexer of our own, because half-typed text must be cut into functions,
// measured and searched before upstream's parser may see it. Accepts any bytes;
// never fails, never looks back, linear time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::frontend {

enum class TokenKind : uint8_t {
  End,
  Identifier, ///< func.func, tensor, x3xf32
  Value,      ///< %name
  Symbol,     ///< @name, @"any text"
  Attribute,  ///< #name, also the #1 of %0#1
  Type,       ///< !name
  BlockLabel, ///< ^bb0
  String,     ///< "…" with both quotes
  OpenString, ///< a string that the line's end cut off
  Number,
  Arrow, ///< ->
  Sign,  ///< one byte: brackets, comma, operators
  Nul,   ///< a run of zero bytes outside strings and comments
  Bytes  ///< a run of bytes above 127 outside strings and comments
};

struct Token {
  TokenKind kind = TokenKind::End;
  bool startsLine = false; ///< nothing but space before it on its line
  char sign = 0;           ///< the byte, for Kind::Sign
  uint32_t begin = 0;
  uint32_t end = 0;

  bool is(char c) const { return kind == TokenKind::Sign && sign == c; }
};

/// Reads tokens one by one. A byte order mark at the start is skipped; offsets
/// count it, so that they are offsets into the text as it was given.
class SourceLexer {
public:
  explicit SourceLexer(std::string_view text, uint32_t from = 0);

  Token next();
  std::string_view textOf(const Token &token) const {
    return text.substr(token.begin, token.end - token.begin);
  }
  /// Set once a zero byte stood in a string or a comment.
  bool sawHiddenNul() const { return hiddenNul; }
  uint32_t hiddenNulAt() const { return hiddenNulOffset; }

private:
  void skipBlanks();

  std::string_view text;
  uint32_t at = 0;
  bool atLineStart = true;
  bool hiddenNul = false;
  uint32_t hiddenNulOffset = 0;
};

/// True if `text` is UTF-8 from first to last byte.
bool isUtf8(std::string_view text);

/// `text` on one line: comments dropped, line ends turned into spaces. Strings
/// stay as they are.
std::string onOneLine(std::string_view text);

/// What a symbol token names: `@f` and `@"f"` both give `f`.
std::string symbolName(std::string_view token);

} // namespace tilewright::frontend
