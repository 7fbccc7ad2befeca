//===- SourceChecks.cpp - what must not reach the parser ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/AttributeChecks.h"
#include "core/frontend/ChunkParser.h"
#include "core/frontend/SourceLexer.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include <unordered_map>

namespace tilewright::frontend {

using model::Diagnostic;

/// Ends a block, but not the body of scf.forall.
static bool isOtherTerminator(std::string_view word) {
  if (word.size() > 2 && word.front() == '"' && word.back() == '"')
    word = word.substr(1, word.size() - 2);
  return word == "return" || word.ends_with(".return") ||
         word.ends_with(".yield") || word.ends_with(".br") ||
         word.ends_with(".cond_br") || word.ends_with(".switch") ||
         word.ends_with(".condition") || word.ends_with(".reduce.return") ||
         word.ends_with(".unreachable") || word == "scf.reduce";
}

// A value that initialises a loop must not be defined only in the loop's body:
// the parser hands the loop a placeholder and frees it when it meets the
// definition. Conservative: only names with no earlier mention, used behind
// `=`, `to` or `step`, and defined later in a region that does not enclose the
// use.

/// True if `token` initialises something: behind `=`, `to` or `step`.
static bool initialises(const SourceLexer &lexer, const Token &before) {
  if (before.is('='))
    return true;
  std::string_view word = lexer.textOf(before);
  return before.kind == TokenKind::Identifier &&
         (word == "to" || word == "step");
}

std::vector<Diagnostic> checkBeforeParsing(std::string_view text,
                                           std::string_view aliases,
                                           std::vector<ParsedSymbol> *symbols) {
  struct FirstUse {
    Token token;
    std::vector<uint32_t> regions; ///< offsets of the enclosing `{`
  };
  std::vector<Diagnostic> diagnostics;
  llvm::DenseSet<llvm::StringRef> mentioned;
  std::unordered_map<std::string_view, FirstUse> open;
  std::vector<uint32_t> regions;
  SourceLexer lexer(text);
  Token beforeThat, before, token = lexer.next();
  bool inLabel = false; ///< in the parentheses of `^bb0(…)` at a line's start
  bool moduleString = false;
  int brackets = 0;        ///< open `(` and `[`
  int forallBrackets = -1; ///< of them at a `scf.forall` whose body is to come
  std::vector<uint32_t> forallBodies;
  AttributeChecks attributes(text, aliases);
  bool inBits = false; ///< in the elements of `array<i1: …>`
  while (token.kind != TokenKind::End) {
    Token after = lexer.next();
    std::string_view word = lexer.textOf(token);
    // The parser takes whatever ends the body of scf.forall for its own kind of
    // end.
    if (!forallBodies.empty() && !regions.empty() &&
        forallBodies.back() == regions.back() && isOtherTerminator(word)) {
      Diagnostic diagnostic;
      diagnostic.code = "TW0022";
      diagnostic.message =
          "the body of 'scf.forall' cannot end in '" + std::string(word) + "'";
      diagnostic.hint = "end it in `scf.forall.in_parallel { … }`";
      diagnostic.range = {token.begin, token.end};
      diagnostics.push_back(std::move(diagnostic));
    }
    switch (token.kind) {
    case TokenKind::Value: {
      bool defines =
          after.is('=') || after.is(',') || (inLabel && after.is(':'));
      if (initialises(lexer, before) && mentioned.insert(word).second) {
        open.emplace(word, FirstUse{token, regions});
        break;
      }
      mentioned.insert(word);
      if (open.empty())
        break;
      auto use = open.find(word);
      // `after ','` alone is no proof of a definition.
      if (use == open.end() || !(after.is('=') || (inLabel && defines)))
        break;
      bool encloses = true;
      for (size_t i = 0; i < regions.size() && encloses; ++i)
        encloses = i < use->second.regions.size() &&
                   use->second.regions[i] == regions[i];
      if (!encloses) {
        Diagnostic diagnostic;
        diagnostic.code = "TW0013";
        diagnostic.message =
            "'" + std::string(word) +
            "' is used before it is defined, and its definition lies in "
            "another region";
        diagnostic.hint = "define it before this operation";
        diagnostic.range = {use->second.token.begin, use->second.token.end};
        diagnostics.push_back(std::move(diagnostic));
      }
      open.erase(use);
      break;
    }
    case TokenKind::Symbol:
      if (symbols)
        symbols->push_back({{token.begin, token.end}, symbolName(word)});
      break;
    case TokenKind::BlockLabel:
      inLabel = token.startsLine && after.is('(');
      break;
    case TokenKind::String:
      moduleString = word.ends_with(".module\"");
      break;
    case TokenKind::Number:
      if (inBits) {
        Diagnostic diagnostic;
        diagnostic.code = "TW0023";
        diagnostic.message = "an array of i1 holds `true` and `false`";
        diagnostic.range = {token.begin, token.end};
        diagnostics.push_back(std::move(diagnostic));
        inBits = false;
      }
      break;
    case TokenKind::Sign:
      if (token.sign == '>')
        inBits = false;
      if (token.sign == '(' || token.sign == '[')
        ++brackets;
      else if (token.sign == ')' || token.sign == ']')
        --brackets;
      if (token.sign == '{') {
        regions.push_back(token.begin);
        if (brackets == forallBrackets) {
          forallBodies.push_back(token.begin);
          forallBrackets = -1;
        }
      } else if (token.sign == '}' && !regions.empty()) {
        if (!forallBodies.empty() && forallBodies.back() == regions.back())
          forallBodies.pop_back();
        regions.pop_back();
        if (moduleString && before.is('{') &&
            (beforeThat.is('(') || beforeThat.is(','))) {
          Diagnostic diagnostic;
          diagnostic.code = "TW0016";
          diagnostic.message = "a module needs a body";
          diagnostic.hint = "write `module { … }`";
          diagnostic.range = {before.begin, token.end};
          diagnostics.push_back(std::move(diagnostic));
          moduleString = false;
        }
      } else if (token.sign == ')') {
        inLabel = false;
      }
      break;
    case TokenKind::Identifier:
      if (word == "scf.forall")
        forallBrackets = brackets;
      // The parser makes an array without data of numbers; printing it reads
      // beyond its end.
      if (word == "i1" && before.is('<') && after.is(':') &&
          lexer.textOf(beforeThat) == "array")
        inBits = true;
      if (AttributeChecks::concerns(word))
        if (auto wrong = attributes.check(word, token.end))
          diagnostics.push_back(std::move(*wrong));
      if (token.startsLine)
        moduleString = false;
      break;
    default:
      break;
    }
    beforeThat = before;
    before = token;
    token = after;
  }
  return diagnostics;
}

} // namespace tilewright::frontend
