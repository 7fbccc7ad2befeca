//===- MlirTokenizer.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/MlirTokenizer.h"

#include <algorithm>
#include <array>

namespace tilewright::gui {

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isAlpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool isWord(char c) { return isAlpha(c) || isDigit(c) || c == '$'; }
static bool isSuffix(char c) { return isWord(c) || c == '.' || c == '-'; }

static bool isKeyword(std::string_view word) {
  static constexpr std::array<std::string_view, 34> words = {
      "affine_map",     "affine_set",   "array",   "attributes", "dense",
      "dense_resource", "distribution", "do",      "else",       "false",
      "floordiv",       "ceildiv",      "in",      "init",       "ins",
      "into",           "iter_args",    "loc",     "mapping",    "mod",
      "outs",           "permutation",  "private", "public",     "shared_outs",
      "sparse",         "step",         "strided", "to",         "true",
      "unit",           "unknown",      "module",  "nested"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// f32, bf16, i1, si8, tf32, f8E4M3FN …
static bool isScalarType(std::string_view word) {
  if (word == "index" || word == "none" || word == "token")
    return true;
  size_t at = 0;
  if (word.starts_with("bf") || word.starts_with("tf") ||
      word.starts_with("si") || word.starts_with("ui"))
    at = 2;
  else if (word.starts_with("f") || word.starts_with("i"))
    at = 1;
  return at && at < word.size() && isDigit(word[at]) && word.size() < 12;
}

static bool isShapedType(std::string_view word) {
  return word == "tensor" || word == "memref" || word == "vector" ||
         word == "tuple" || word == "complex";
}

void tokenizeLine(std::string_view line, std::span<uint8_t> styles) {
  size_t n = std::min(line.size(), styles.size()), i = 0;
  auto paint = [&](size_t from, size_t to, Token token) {
    std::fill(styles.begin() + from, styles.begin() + to, uint8_t(token));
  };
  auto skip = [&](size_t from, auto predicate) {
    while (from < n && predicate(line[from]))
      ++from;
    return from;
  };
  while (i < n) {
    char c = line[i];
    size_t end = i + 1;
    Token token = Token::Default;
    if (c == '/' && i + 1 < n && line[i + 1] == '/') {
      end = n;
      token = Token::Comment;
    } else if (c == '"') {
      while (end < n && line[end] != '"')
        end += line[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, n);
      // A quoted name before '(' is an operation in generic form.
      token = end < n && line[end] == '(' ? Token::Operation : Token::String;
    } else if (c == '%' || c == '^' || c == '#' || c == '!') {
      end = skip(end, isSuffix);
      if (c == '%' && end < n && (line[end] == ':' || line[end] == '#') &&
          end + 1 < n && isDigit(line[end + 1]))
        end = skip(end + 1, isDigit);
      token = c == '%'   ? Token::Value
              : c == '^' ? Token::Block
              : c == '#' ? Token::Attribute
                         : Token::Type;
    } else if (c == '@') {
      if (end < n && line[end] == '"') {
        ++end;
        while (end < n && line[end] != '"')
          ++end;
        end = std::min(end + 1, n);
      } else {
        end = skip(end, isSuffix);
      }
      token = Token::Symbol;
    } else if (c == '?' && end < n && line[end] == 'x') {
      ++end;
      token = Token::Type;
    } else if (isDigit(c)) {
      end = skip(i, isDigit);
      if (end < n && line[end] == 'x') {
        bool hex = end == i + 1 && c == '0' && end + 1 < n &&
                   (isDigit(line[end + 1]) ||
                    (line[end + 1] >= 'A' && line[end + 1] <= 'F'));
        token = hex ? Token::Number : Token::Type;
        end = hex ? skip(end + 1, isWord) : end + 1;
      } else {
        if (end + 1 < n && line[end] == '.' && isDigit(line[end + 1]))
          end = skip(end + 1, isDigit);
        else if (end < n && line[end] == '.')
          ++end;
        if (end < n && (line[end] == 'e' || line[end] == 'E')) {
          size_t exponent = end + 1;
          if (exponent < n && (line[exponent] == '+' || line[exponent] == '-'))
            ++exponent;
          if (exponent < n && isDigit(line[exponent]))
            end = skip(exponent, isDigit);
        }
        token = Token::Number;
      }
    } else if (isAlpha(c)) {
      end = skip(i, [](char ch) { return isWord(ch) || ch == '.'; });
      while (end > i + 1 && line[end - 1] == '.')
        --end;
      std::string_view word = line.substr(i, end - i);
      size_t next = skip(end, [](char ch) { return ch == ' '; });
      if (isScalarType(word) ||
          (isShapedType(word) && end < n && line[end] == '<'))
        token = Token::Type;
      else if (word.find('.') != std::string_view::npos || word == "return" ||
               word == "yield")
        token = Token::Operation;
      else if (isKeyword(word))
        token = Token::Keyword;
      else if (next < n && line[next] == '=' &&
               !(next + 1 < n && line[next + 1] == '='))
        token = Token::Attribute;
    } else if (c == '-' && end < n && line[end] == '>') {
      ++end;
      token = Token::Punctuation;
    } else if (c == '-' && end < n && isDigit(line[end])) {
      token = Token::Number;
    } else if (std::string_view("(){}[]<>,:=+-*").find(c) !=
               std::string_view::npos) {
      token = Token::Punctuation;
    }
    paint(i, end, token);
    i = end;
  }
}

} // namespace tilewright::gui
