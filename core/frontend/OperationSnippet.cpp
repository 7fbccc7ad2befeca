//===- OperationSnippet.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/OperationSnippet.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/frontend/OperationDocs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <algorithm>

namespace tilewright::frontend {

namespace {

/// `$`, `}` and `\` mean something in snippets.
std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '$' || c == '}' || c == '\\')
      result += '\\';
    result += c;
  }
  return result;
}

bool names(const std::vector<OperationPart> &parts, std::string_view name) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const OperationPart &p) { return p.name == name; });
}

/// Behind the `)` of what is open at `at`.
size_t behindBrackets(std::string_view text, size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '`') { // literal brackets do not count
      at = std::min(text.find('`', at + 1), text.size() - 1);
      continue;
    }
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0)
      return at + 1;
  }
  return at;
}

size_t wordEnd(std::string_view text, size_t at) {
  while (at < text.size() &&
         (isalnum(uint8_t(text[at])) || text[at] == '_' || text[at] == '-'))
    ++at;
  return at;
}

template <typename Symbolize, typename Stringify>
std::vector<std::string> wordsUpTo(uint64_t last, Symbolize symbolize,
                                   Stringify stringify) {
  std::vector<std::string> words;
  for (uint64_t i = 0; i <= last; ++i)
    if (auto value = symbolize(i))
      words.push_back(stringify(*value).str());
  return words;
}

/// Those of sets of flags, behind `words` for none and for all of them.
template <typename Symbolize>
std::vector<std::string> flagWords(std::vector<std::string> words,
                                   Symbolize symbolize) {
  for (uint32_t bit = 1; bit < (1u << 16); bit <<= 1)
    if (auto flag = symbolize(bit))
      words.push_back(stringifyEnum(*flag));
  return words;
}

} // namespace

std::string operationSnippet(std::string_view name, bool result) {
  const OperationShape *shape = operationShape(name);
  if (!shape || shape->syntax.empty())
    return {};
  std::string_view syntax = shape->syntax;
  std::string snippet;
  int last = 0;
  auto place = [&](std::string_view text) {
    snippet += "${" + std::to_string(++last) + ":" + escaped(text) + "}";
  };
  auto space = [&] {
    if (!snippet.empty() &&
        std::string_view(" ([<").find(snippet.back()) == std::string_view::npos)
      snippet += ' ';
  };
  if (result && !shape->results.empty()) {
    snippet += '%';
    place("name");
    snippet += " = ";
  }
  snippet += name;
  for (size_t i = 0; i < syntax.size();) {
    char c = syntax[i];
    if (c == '`') {
      size_t end = std::min(syntax.find('`', i + 1), syntax.size());
      std::string_view literal = syntax.substr(i + 1, end - i - 1);
      if (!literal.empty()) {
        if (std::string_view(",)]>").find(literal[0]) == std::string_view::npos)
          space();
        snippet += escaped(literal);
      }
      i = end + 1;
    } else if (c == '(') {
      // An optional group, or one that may be there any number of times.
      i = behindBrackets(syntax, i);
      while (i < syntax.size() && (syntax[i] == '?' || syntax[i] == '*'))
        ++i;
      // The second half of an alternative.
      while (i < syntax.size() && syntax[i] == ':')
        i = behindBrackets(syntax, i + 1) + 1;
    } else if (c == '$') {
      size_t end = wordEnd(syntax, i + 1);
      std::string_view part = syntax.substr(i + 1, end - i - 1);
      space();
      place((names(shape->operands, part) ? "%" : "") + std::string(part));
      i = end;
    } else if (isalpha(uint8_t(c))) {
      size_t end = wordEnd(syntax, i);
      std::string_view word = syntax.substr(i, end - i);
      std::string_view inside;
      if (end < syntax.size() && syntax[end] == '<')
        end = std::min(syntax.find('>', end), syntax.size() - 1) + 1;
      if (end < syntax.size() && syntax[end] == '(') {
        size_t stop = behindBrackets(syntax, end);
        inside = syntax.substr(end + 1, stop - end - 2);
        end = stop;
      }
      i = end;
      if (word == "attr-dict" || word == "attr-dict-with-keyword")
        continue;
      if (inside == "attr-dict") {
        // Those without which it is wrong are asked for.
        std::string needed;
        for (const OperationPart &attribute : shape->attributes)
          if (std::vector<std::string> words = attributeWords(attribute.type);
              !words.empty()) {
            std::string choice;
            for (const std::string &each : words)
              choice += (choice.empty() ? "" : ",") + each;
            needed += (needed.empty() ? "" : ", ") + attribute.name + " = ${" +
                      std::to_string(++last) + "|" + choice + "|}";
          }
        if (!needed.empty())
          snippet += " {" + needed + "}";
        continue;
      }
      space();
      if (word == "functional-type") {
        snippet += '(';
        place("types");
        snippet += ") -> ";
        place("type");
      } else if (word == "type") {
        place("type");
      } else {
        return {}; // of its own form
      }
    } else {
      ++i;
    }
  }
  return snippet + "$0";
}

std::vector<std::string> attributeWords(std::string_view type) {
#define ENUMERATION(NAMESPACE, NAME)                                           \
  if (type.ends_with(#NAMESPACE "::" #NAME "Attr"))                            \
    return wordsUpTo(                                                          \
        NAMESPACE::getMaxEnumValFor##NAME(),                                   \
        [](uint64_t i) { return NAMESPACE::symbolize##NAME(i); },              \
        [](auto value) { return NAMESPACE::stringify##NAME(value); });
  ENUMERATION(tw, ReduceKind)
  ENUMERATION(tw, ComparePredicate)
  ENUMERATION(tile, LayoutKind)
  ENUMERATION(block, AccessMode)
  ENUMERATION(block, UnaryKind)
  ENUMERATION(block, BinaryKind)
  ENUMERATION(block, ReduceKind)
  ENUMERATION(block, ComparePredicate)
  using namespace mlir;
  ENUMERATION(arith, CmpIPredicate)
  ENUMERATION(arith, CmpFPredicate)
  ENUMERATION(arith, AtomicRMWKind)
#undef ENUMERATION
  if (type.ends_with("arith::FastMathFlagsAttr"))
    return flagWords({"none", "fast"}, [](uint32_t bit) {
      return arith::symbolizeFastMathFlags(bit);
    });
  if (type.ends_with("arith::IntegerOverflowFlagsAttr"))
    return flagWords({"none"}, [](uint32_t bit) {
      return arith::symbolizeIntegerOverflowFlags(bit);
    });
  return {};
}

} // namespace tilewright::frontend
