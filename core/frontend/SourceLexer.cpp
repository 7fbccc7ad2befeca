//===- SourceLexer.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/SourceLexer.h"
#include <array>
#include <cctype>

namespace tilewright::frontend {

namespace {

enum CharClass : uint8_t { Letter = 1, Digit = 2, Hex = 4, IdSign = 8 };

/// `-` is a sign only of prefixed names (%a-b), not of bare ones.
constexpr std::array<uint8_t, 256> makeClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c)
    classes[c] = Letter;
  for (int c = 'A'; c <= 'Z'; ++c)
    classes[c] = Letter;
  for (int c = '0'; c <= '9'; ++c)
    classes[c] = Digit | Hex;
  for (int c = 'a'; c <= 'f'; ++c)
    classes[c] |= Hex;
  for (int c = 'A'; c <= 'F'; ++c)
    classes[c] |= Hex;
  classes[int('$')] = classes[int('.')] = classes[int('_')] =
      classes[int('-')] = IdSign;
  return classes;
}
constexpr std::array<uint8_t, 256> classes = makeClasses();
bool is(char c, int mask) { return classes[uint8_t(c)] & mask; }

bool isBareChar(char c) { return is(c, Letter | Digit | IdSign) && c != '-'; }

} // namespace

SourceLexer::SourceLexer(std::string_view text, uint32_t from)
    : text(text), at(from) {
  if (from == 0 && text.substr(0, 3) == "\xEF\xBB\xBF")
    at = 3;
}

void SourceLexer::skipBlanks() {
  while (at < text.size()) {
    char c = text[at];
    if (c == '\n') {
      atLineStart = true;
      ++at;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (c == '/' && at + 1 < text.size() && text[at + 1] == '/') {
      // MLIR ends a comment at either line end byte.
      while (at < text.size() && text[at] != '\n' && text[at] != '\r') {
        if (text[at] == 0 && !hiddenNul) {
          hiddenNul = true;
          hiddenNulOffset = at;
        }
        ++at;
      }
    } else {
      return;
    }
  }
}

Token SourceLexer::next() {
  skipBlanks();
  Token token;
  token.begin = at;
  token.startsLine = atLineStart;
  atLineStart = false;
  const uint32_t size = uint32_t(text.size());
  auto peek = [&](uint32_t ahead) {
    return at + ahead < size ? text[at + ahead] : '\0';
  };
  auto finish = [&](TokenKind kind) {
    token.kind = kind;
    token.end = at;
    return token;
  };
  auto skipString = [&] {
    ++at;
    while (at < size && text[at] != '"') {
      if (text[at] == '\n')
        return false;
      if (text[at] == 0 && !hiddenNul) {
        hiddenNul = true;
        hiddenNulOffset = at;
      }
      at += text[at] == '\\' && at + 1 < size && text[at + 1] != '\n' ? 2 : 1;
    }
    if (at >= size) {
      at = size;
      return false;
    }
    ++at;
    return true;
  };
  auto skipSuffix = [&] {
    if (is(peek(0), Digit)) {
      while (is(peek(0), Digit))
        ++at;
    } else {
      while (is(peek(0), Letter | Digit | IdSign))
        ++at;
    }
  };

  if (at >= size)
    return finish(TokenKind::End);
  char c = text[at];
  if (is(c, Letter) || c == '_') {
    while (at < size && isBareChar(text[at]))
      ++at;
    return finish(TokenKind::Identifier);
  }
  if (is(c, Digit)) {
    if (c == '0' && peek(1) == 'x' && is(peek(2), Hex)) {
      at += 2;
      while (is(peek(0), Hex))
        ++at;
      return finish(TokenKind::Number);
    }
    while (is(peek(0), Digit))
      ++at;
    if (peek(0) == '.') {
      ++at;
      while (is(peek(0), Digit))
        ++at;
      if (peek(0) == 'e' || peek(0) == 'E') {
        uint32_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
        if (is(peek(1 + sign), Digit)) {
          at += 1 + sign;
          while (is(peek(0), Digit))
            ++at;
        }
      }
    }
    return finish(TokenKind::Number);
  }
  switch (c) {
  case '"':
    return finish(skipString() ? TokenKind::String : TokenKind::OpenString);
  case '%':
    ++at;
    skipSuffix();
    return finish(TokenKind::Value);
  case '#':
    ++at;
    skipSuffix();
    return finish(TokenKind::Attribute);
  case '!':
    ++at;
    skipSuffix();
    return finish(TokenKind::Type);
  case '^':
    ++at;
    skipSuffix();
    return finish(TokenKind::BlockLabel);
  case '@':
    ++at;
    if (peek(0) == '"')
      return finish(skipString() ? TokenKind::Symbol : TokenKind::OpenString);
    while (at < size && isBareChar(text[at]))
      ++at;
    return finish(TokenKind::Symbol);
  case '-':
    if (peek(1) == '>') {
      at += 2;
      return finish(TokenKind::Arrow);
    }
    break;
  case '\0':
    while (at < size && text[at] == '\0')
      ++at;
    return finish(TokenKind::Nul);
  default:
    break;
  }
  if (uint8_t(c) >= 128) {
    while (at < size && uint8_t(text[at]) >= 128)
      ++at;
    return finish(TokenKind::Bytes);
  }
  ++at;
  token.sign = c;
  return finish(TokenKind::Sign);
}

bool isUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    uint8_t c = uint8_t(text[i]);
    if (c < 0x80) {
      ++i;
      continue;
    }
    int more;
    uint32_t code;
    if (c >= 0xC2 && c <= 0xDF) {
      more = 1;
      code = c & 0x1F;
    } else if (c >= 0xE0 && c <= 0xEF) {
      more = 2;
      code = c & 0x0F;
    } else if (c >= 0xF0 && c <= 0xF4) {
      more = 3;
      code = c & 0x07;
    } else {
      return false;
    }
    for (int k = 1; k <= more; ++k) {
      if (i + k >= text.size() || (uint8_t(text[i + k]) & 0xC0) != 0x80)
        return false;
      code = code << 6 | (uint8_t(text[i + k]) & 0x3F);
    }
    if ((more == 2 && (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF))) ||
        (more == 3 && (code < 0x10000 || code > 0x10FFFF)))
      return false;
    i += 1 + more;
  }
  return true;
}

std::string onOneLine(std::string_view text) {
  std::string result;
  SourceLexer lexer(text);
  uint32_t previous = 0;
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    if (!result.empty() && token.begin > previous)
      result += ' ';
    result += lexer.textOf(token);
    previous = token.end;
  }
  return result;
}

std::string symbolName(std::string_view token) {
  if (!token.empty() && token.front() == '@')
    token.remove_prefix(1);
  if (token.size() < 2 || token.front() != '"' || token.back() != '"')
    return std::string(token);
  token = token.substr(1, token.size() - 2);
  std::string name;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '\\' || i + 1 >= token.size()) {
      name += token[i];
      continue;
    }
    char c = token[++i];
    auto hex = [](char d) {
      return d >= 'a' ? d - 'a' + 10 : d >= 'A' ? d - 'A' + 10 : d - '0';
    };
    if (c == 'n')
      name += '\n';
    else if (c == 't')
      name += '\t';
    else if (std::isxdigit(uint8_t(c)) && i + 1 < token.size() &&
             std::isxdigit(uint8_t(token[i + 1])))
      name += char(hex(c) * 16 + hex(token[++i]));
    else
      name += c;
  }
  return name;
}

} // namespace tilewright::frontend
