//===- AttributeChecks.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/AttributeChecks.h"
#include "core/frontend/SourceLexer.h"
#include <string>

namespace tilewright::frontend {

bool AttributeChecks::concerns(std::string_view operation) {
  return operation == "vector.contract" || operation == "linalg.generic";
}

AttributeChecks::Place AttributeChecks::follow(Place place) {
  // An alias of itself is an error that is told elsewhere.
  for (int step = 0; step < 64; ++step) {
    SourceLexer lexer(place.text, place.at);
    Token token = lexer.next();
    if (token.kind != TokenKind::Attribute)
      break;
    if (!known) {
      known = true;
      SourceLexer all(aliases);
      Token name;
      for (Token each = all.next(); each.kind != TokenKind::End;
           each = all.next()) {
        if (name.kind == TokenKind::Attribute && each.is('='))
          definitions.try_emplace(all.textOf(name), each.end);
        name = each;
      }
    }
    auto definition = definitions.find(lexer.textOf(token));
    if (definition == definitions.end())
      break;
    place = {aliases, definition->second};
  }
  return place;
}

bool AttributeChecks::isListOfStrings(Place place) {
  place = follow(place);
  SourceLexer lexer(place.text, place.at);
  if (!lexer.next().is('['))
    return false;
  for (Token token = lexer.next(); !token.is(']'); token = lexer.next()) {
    if (token.is(','))
      continue;
    Place element = follow({place.text, token.begin});
    if (SourceLexer(element.text, element.at).next().kind != TokenKind::String)
      return false;
  }
  return true;
}

std::optional<model::Diagnostic>
AttributeChecks::check(std::string_view operation, uint32_t end) {
  const bool contract = operation == "vector.contract";
  Place written{text, end};
  Place place = follow(written);
  // The attributes themselves, or the alias that stands for them.
  const Token first = SourceLexer(text, end).next();
  SourceLexer lexer(place.text, place.at);
  Token token = lexer.next();
  if (!token.is('{'))
    return std::nullopt;
  const bool inText = place.text.data() == text.data();
  auto fault = [&](const Token &at, std::string message, std::string hint) {
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0023";
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    const Token &shown = inText ? at : first;
    diagnostic.range = {shown.begin, shown.end};
    return diagnostic;
  };
  std::string open;
  bool listed = false;
  Token before;
  for (; token.kind != TokenKind::End; token = lexer.next()) {
    bool begins = open == "{" && (before.is('{') || before.is(','));
    std::string_view word = lexer.textOf(token);
    if (token.kind == TokenKind::String && word.size() >= 2)
      word = word.substr(1, word.size() - 2);
    if (begins && (word == "iterator_types" || word == "kind")) {
      SourceLexer ahead = lexer;
      const bool hasValue = ahead.next().is('=');
      const Place value{place.text, ahead.next().begin};
      if (word == "iterator_types") {
        listed = true;
        if (!hasValue || !isListOfStrings(value))
          return fault(token, "'iterator_types' must list strings",
                       "write `iterator_types = [\"parallel\", …]`");
      } else if (contract) {
        Place kind = follow(value);
        SourceLexer at(kind.text, kind.at);
        if (!hasValue || at.textOf(at.next()) != "#vector.kind")
          return fault(token, "'kind' must be a kind of combination",
                       "write `kind = #vector.kind<add>`");
      }
    }
    if (token.is('{') || token.is('(') || token.is('[') || token.is('<'))
      open += token.sign;
    else if (token.is('>') && open.back() == '<')
      open.pop_back();
    else if (token.is('}') || token.is(')') || token.is(']'))
      open.pop_back();
    if (open.empty())
      break;
    before = token;
  }
  if (!contract || listed || !open.empty())
    return std::nullopt;
  return fault(first, "'vector.contract' without 'iterator_types'",
               "write `iterator_types = [\"parallel\", …]`");
}

} // namespace tilewright::frontend
