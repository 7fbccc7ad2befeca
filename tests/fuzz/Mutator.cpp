//===- Mutator.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/fuzz/Mutator.h"
#include "core/frontend/SourceLexer.h"
#include <set>

namespace tilewright::fuzz {

using frontend::SourceLexer;
using frontend::Token;
using frontend::TokenKind;

/// Tokens with the blanks before each; joined they give the text.
static std::vector<std::string> tokensOf(const std::string &text) {
  std::vector<std::string> tokens;
  SourceLexer lexer(text);
  size_t from = 0;
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    tokens.push_back(text.substr(from, token.end - from));
    from = token.end;
  }
  tokens.push_back(text.substr(from));
  return tokens;
}

Mutator::Mutator(std::vector<std::string> texts, uint64_t seed)
    : seeds(std::move(texts)), random(seed) {
  std::set<std::string> words{"{",
                              "}",
                              "(",
                              ")",
                              "[",
                              "]",
                              "<",
                              ">",
                              ",",
                              ":",
                              "=",
                              "->",
                              "%x",
                              "%0",
                              "%0#1",
                              "@f",
                              "#map",
                              "!t",
                              "-1",
                              "0",
                              "1.0",
                              "\"",
                              "i32",
                              "f32",
                              "index",
                              "tensor<?x4xf32>",
                              "^bb0",
                              "^bb1(%a: f32):",
                              "9223372036854775807",
                              "18446744073709551616",
                              "dense<[1, 2]>",
                              "affine_map<(d0) -> (d0)>",
                              "loc(unknown)",
                              "true",
                              "memref<4xf32>",
                              "{a = 1 : i32}",
                              "attributes",
                              "// ",
                              "\n"};
  for (const std::string &text : seeds) {
    tokenized.push_back(tokensOf(text));
    for (const std::string &token : tokenized.back())
      words.insert(token);
  }
  dictionary.assign(words.begin(), words.end());
}

std::string Mutator::pick(const std::vector<std::string> &from) {
  return from.empty() ? std::string() : from[random() % from.size()];
}

void Mutator::mutate(std::vector<std::string> &tokens) {
  if (tokens.empty()) {
    tokens.push_back(pick(dictionary));
    return;
  }
  size_t at = random() % tokens.size();
  size_t length = std::min<size_t>(1 + random() % (random() % 4 ? 3 : 40),
                                   tokens.size() - at);
  auto begin = tokens.begin() + long(at);
  switch (random() % 9) {
  case 0: // deleted
    tokens.erase(begin, begin + long(length));
    break;
  case 1: // pasted twice
  {
    std::vector<std::string> copy(begin, begin + long(length));
    tokens.insert(tokens.begin() + long(random() % tokens.size()), copy.begin(),
                  copy.end());
    break;
  }
  case 2:
    tokens[at] = " " + pick(dictionary);
    break;
  case 3:
    tokens.insert(begin, " " + pick(dictionary));
    break;
  case 4: // swapped
    std::swap(tokens[at], tokens[random() % tokens.size()]);
    break;
  case 5: // cut off
    tokens.resize(at);
    break;
  case 6: // from another text
  {
    const std::vector<std::string> &other =
        tokenized[random() % tokenized.size()];
    size_t from = random() % other.size();
    size_t count = std::min<size_t>(1 + random() % 30, other.size() - from);
    tokens.insert(begin, other.begin() + long(from),
                  other.begin() + long(from + count));
    break;
  }
  case 7: // a byte
    if (!tokens[at].empty())
      tokens[at][random() % tokens[at].size()] = char(random());
    break;
  case 8: // one name for another
    for (std::string &token : tokens)
      if (token.find('%') != std::string::npos && random() % 8 == 0) {
        std::string other = pick(dictionary);
        if (other.find('%') != std::string::npos)
          token = other;
      }
    break;
  }
}

std::string Mutator::next() {
  std::vector<std::string> tokens = tokenized[random() % tokenized.size()];
  int changes = 1 + int(random() % 4);
  for (int i = 0; i < changes; ++i)
    mutate(tokens);
  std::string text;
  for (const std::string &token : tokens)
    text += token;
  return text;
}

} // namespace tilewright::fuzz
