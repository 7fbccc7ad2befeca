//===- Signature.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Signature.h"
#include "core/frontend/OperationDocs.h"
#include "core/frontend/SourcePlace.h"
#include "core/frontend/Statement.h"
#include <set>

namespace tilewright::frontend {

using model::TextRange;

namespace {

/// What has been written of an operation.
struct Begun {
  std::string_view operation;
  std::vector<int64_t> values; ///< offsets of its `%name`s before the colon
  std::vector<std::string_view> words;
  int commas = 0;
  int depth = 0;       ///< of brackets
  bool typed = false;  ///< the colon has been written
  int64_t callee = -1; ///< offset of the `@name` whose brackets are open
  int calleeDepth = 0;
  int calleeCommas = 0;
};

/// Whether the end of a text is in a comment or a string.
bool isSilent(std::string_view text) {
  SourceLexer lexer(text);
  Token last;
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next())
    last = token;
  if (last.kind == TokenKind::OpenString)
    return true;
  std::string_view rest = text.substr(last.end);
  size_t line = rest.rfind('\n');
  return rest.find("//", line == std::string_view::npos ? 0 : line) !=
         std::string_view::npos;
}

/// The innermost operation that is begun in a text, by its tokens.
Begun readBegun(std::string_view text, int64_t base) {
  std::vector<Begun> open(1);
  SourceLexer lexer(text);
  Token previous;
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    Begun &now = open.back();
    std::string_view word = lexer.textOf(token);
    if (token.is('{')) {
      open.emplace_back();
    } else if (token.is('}')) {
      if (open.size() > 1)
        open.pop_back();
      else
        now = Begun();
    } else if (token.is('(') || token.is('[') || token.is('<')) {
      ++now.depth;
      if (token.is('(') && previous.kind == TokenKind::Symbol &&
          now.callee < 0) {
        now.callee = base + previous.begin;
        now.calleeDepth = now.depth;
        now.calleeCommas = 0;
      }
    } else if (token.is(')') || token.is(']') || token.is('>')) {
      if (now.callee >= 0 && now.depth == now.calleeDepth)
        now.callee = -1;
      now.depth = std::max(0, now.depth - 1);
    } else if (token.is(',')) {
      now.commas += now.depth == 0;
      now.calleeCommas += now.depth == now.calleeDepth;
    } else if (token.is(':') && now.depth == 0 && !now.operation.empty()) {
      now.typed = true;
    } else if (token.is('=') && now.operation.empty()) {
      now = Begun(); // only results so far
    } else if (token.kind == TokenKind::Value) {
      if (!now.typed && !now.operation.empty())
        now.values.push_back(base + token.begin);
    } else if (token.kind == TokenKind::Identifier) {
      if (now.operation.empty())
        now.operation = word;
      else if (!now.typed)
        now.words.push_back(word);
    } else if (token.kind == TokenKind::String && now.operation.empty() &&
               word.size() > 2) {
      now.operation = word.substr(1, word.size() - 2);
    }
    previous = token;
  }
  // In the braces of attributes it is still the operation around them.
  while (open.size() > 1 &&
         (open.back().operation.empty() ||
          open.back().operation.find('.') == std::string_view::npos))
    open.pop_back();
  return open.back();
}

/// The words of an assembly format for a person: `$x` is an operand, what
/// stands in backticks is written so, `( … )?` may be left out.
void writeSyntax(std::string_view syntax, Signature &signature,
                 std::set<std::string, std::less<>> &literals,
                 std::vector<std::string> &names) {
  std::string &label = signature.label;
  auto space = [&] {
    if (!label.empty() && label.back() != ' ' && label.back() != '[' &&
        label.back() != '(')
      label += ' ';
  };
  for (size_t i = 0; i < syntax.size();) {
    char c = syntax[i];
    if (c == '`') {
      size_t end = std::min(syntax.find('`', i + 1), syntax.size());
      std::string_view literal = syntax.substr(i + 1, end - i - 1);
      i = end + 1;
      if (literal.empty())
        continue;
      if (literal != "," && literal != ")" && literal != "]" && literal != ">")
        space();
      label += literal;
      if (isalpha(uint8_t(literal[0])))
        literals.insert(std::string(literal));
    } else if (c == '$') {
      size_t end = i + 1;
      while (end < syntax.size() &&
             (isalnum(uint8_t(syntax[end])) || syntax[end] == '_'))
        ++end;
      space();
      std::string_view name = syntax.substr(i + 1, end - i - 1);
      signature.parameters.push_back(
          {int64_t(label.size()), int64_t(label.size() + name.size()), ""});
      names.emplace_back(name);
      label += name;
      i = end;
    } else if (c == '(') {
      space();
      label += '[';
      ++i;
    } else if (c == ')') {
      label += ']';
      i += syntax.substr(i, 2) == ")?" || syntax.substr(i, 2) == ")*" ? 2 : 1;
    } else if (isalpha(uint8_t(c))) {
      size_t end = i;
      while (end < syntax.size() && (isalnum(uint8_t(syntax[end])) ||
                                     syntax[end] == '-' || syntax[end] == '_'))
        ++end;
      std::string_view word = syntax.substr(i, end - i);
      // What is in its brackets says what of, which the words tell.
      std::string inside;
      if (end < syntax.size() && syntax[end] == '<')
        end = std::min(syntax.find('>', end) + 1, syntax.size());
      if (end < syntax.size() && syntax[end] == '(') {
        int depth = 0;
        size_t begin = end + 1;
        do {
          depth += syntax[end] == '(' ? 1 : syntax[end] == ')' ? -1 : 0;
          ++end;
        } while (end < syntax.size() && depth > 0);
        inside = std::string(syntax.substr(begin, end - begin - 1));
      }
      space();
      if (word == "functional-type")
        label += "(types) -> types";
      else if (word == "type" || word == "ref" || word == "qualified")
        label += "type";
      else if (word == "attr-dict" || inside == "attr-dict")
        label += "{attributes}";
      else if (word == "attr-dict-with-keyword")
        label += "[attributes {attributes}]";
      else if (word == "operands")
        label += "operands";
      else
        label += "…";
      i = end;
    } else {
      ++i; // blanks, and marks of optional groups
    }
  }
}

std::string typesOf(const SourceSnapshot &source, const Begun &begun) {
  std::string names, types;
  bool all = !begun.values.empty();
  for (int64_t at : begun.values) {
    std::optional<SourcePlace> place = placeAt(source, at + 1);
    std::optional<ValueAt> value = place ? valueAt(*place) : std::nullopt;
    std::string type = "?";
    if (value) {
      const ParsedChunk &chunk = *place->chunk;
      type = chunk.typeOf(chunk.values[value->value], 0);
    } else {
      all = false;
    }
    types += (types.empty() ? "" : ", ") + type;
    TextRange name = nameIn(source.text, {at, at});
    names +=
        source.text.substr(size_t(name.begin), size_t(name.end - name.begin)) +
        ": " + type + "\n";
  }
  if (names.empty())
    return names;
  return "```mlir\n" + names + (all ? "// (" + types + ") -> …\n" : "") +
         "```\n";
}

std::optional<Signature> ofOperation(const SourceSnapshot &source,
                                     const Begun &begun) {
  std::string name(begun.operation);
  // The short forms of func.
  if (name == "return" || name == "call")
    name = "func." + name;
  const OperationShape *shape = operationShape(name);
  if (!shape)
    return std::nullopt;
  Signature signature;
  signature.label = begun.operation;
  std::set<std::string, std::less<>> literals;
  std::vector<std::string> names;
  if (!shape->syntax.empty()) {
    writeSyntax(shape->syntax, signature, literals, names);
  } else {
    for (const OperationPart &operand : shape->operands) {
      signature.label += names.empty() ? " " : ", ";
      signature.parameters.push_back(
          {int64_t(signature.label.size()),
           int64_t(signature.label.size() + operand.name.size()), ""});
      signature.label += operand.name;
      names.push_back(operand.name);
    }
  }
  for (size_t i = 0; i < names.size(); ++i)
    for (const auto *parts : {&shape->operands, &shape->attributes})
      for (const OperationPart &part : *parts)
        if (part.name == names[i])
          signature.parameters[i].documentation = part.description;
  if (!begun.typed && !signature.parameters.empty()) {
    int active = begun.commas;
    for (std::string_view word : begun.words)
      active += literals.count(word) != 0;
    // The last may stand for any number.
    signature.active = std::min(active, int(signature.parameters.size()) - 1);
  }
  std::string_view docs = operationDocs(name);
  signature.documentation =
      typesOf(source, begun) + std::string(docs.substr(0, docs.find("\n\n")));
  return signature;
}

/// Of the function's head as it is written.
std::optional<Signature> ofCall(const SourceSnapshot &source,
                                const Begun &begun) {
  std::optional<SourcePlace> place = placeAt(source, begun.callee + 1);
  const ParsedSymbol *symbol = place ? symbolAt(*place) : nullptr;
  if (!symbol)
    return std::nullopt;
  auto definition = definitionOf(source, place->index, symbol->name);
  if (!definition)
    return std::nullopt;
  const ParsedChunk &chunk = *source.chunks[definition->chunk];
  int64_t base = source.layout.chunks[definition->chunk].range.begin;
  Signature signature;
  SourceLexer lexer(chunk.text, uint32_t(definition->range.begin - base));
  int depth = 0;
  int64_t element = -1;
  auto endElement = [&] {
    if (element >= 0 && int64_t(signature.label.size()) > element)
      signature.parameters.push_back(
          {element, int64_t(signature.label.size()), ""});
    element = -1;
  };
  Token previous;
  bool done = false; // with the arguments
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    bool close =
        token.is(')') || token.is(']') || token.is('>') || token.is('}');
    if (depth == 0 &&
        (token.is('{') || (token.kind == TokenKind::Identifier && done &&
                           lexer.textOf(token) == "attributes")))
      break;
    if (close && --depth == 0 && !done) {
      endElement();
      done = true;
    }
    if (token.is(',') && depth == 1 && !done)
      endElement();
    if (!signature.label.empty() && token.begin > previous.end)
      signature.label += ' ';
    if (depth == 1 && !done && element < 0 && !token.is(','))
      element = int64_t(signature.label.size());
    signature.label += lexer.textOf(token);
    depth += token.is('(') || token.is('[') || token.is('<') || token.is('{');
    if (signature.label.size() > 4000)
      break;
    previous = token;
  }
  if (begun.calleeCommas < int(signature.parameters.size()))
    signature.active = begun.calleeCommas;
  return signature;
}

} // namespace

std::optional<Signature> signatureAt(const SourceSnapshot &source,
                                     int64_t given) {
  std::string_view text = source.text;
  size_t offset = size_t(std::clamp<int64_t>(given, 0, int64_t(text.size())));
  size_t from = statementBegin(text, offset);
  if (isSilent(text.substr(from, offset - from)))
    return std::nullopt;
  // A head's lines of arguments are no call.
  Begun begun = readBegun(text.substr(from, offset - from), int64_t(from));
  if (begun.callee >= 0 && begun.operation.find("func.func") != 0)
    return ofCall(source, begun);
  if (begun.operation.empty())
    return std::nullopt;
  return ofOperation(source, begun);
}

} // namespace tilewright::frontend
