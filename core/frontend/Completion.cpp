//===- Completion.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's own hook gives nothing behind an error and none of a half-typed name,
// so the place is told from the text of its statement alone.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Completion.h"
#include "core/frontend/Dialects.h"
#include "core/frontend/OperationDocs.h"
#include "core/frontend/SourceDocument.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include <algorithm>
#include <set>
#include <string_view>

namespace tilewright::frontend {

namespace {

/// A statement of more bytes is looked at from so far back only.
constexpr size_t longestStatement = 16384;

bool isWordChar(char c) {
  return isalnum(uint8_t(c)) || c == '_' || c == '.' || c == '$' || c == '-';
}

struct KnownOperation {
  std::string name;
  std::vector<std::string> attributes;
};

/// All that can be read, by name.
const std::vector<KnownOperation> &knownOperations() {
  static const std::vector<KnownOperation> all = [] {
    std::vector<KnownOperation> result;
    std::shared_ptr<mlir::MLIRContext> context = makeContext();
    for (mlir::RegisteredOperationName name :
         context->getRegisteredOperations()) {
      KnownOperation &operation =
          result.emplace_back(name.getStringRef().str());
      for (mlir::StringAttr attribute : name.getAttributeNames())
        operation.attributes.push_back(attribute.str());
    }
    std::sort(result.begin(), result.end(),
              [](const KnownOperation &a, const KnownOperation &b) {
                return a.name < b.name;
              });
    return result;
  }();
  return all;
}

/// What the text of a statement up to the word begun says of that word.
struct Place {
  bool silent = false;         ///< in a comment or a string
  bool beginsStatement = true; ///< only results and `=` stand before it
  bool afterColon = false;     ///< in the part that names types
  char bracket = 0;            ///< innermost open one
  std::string_view operation;  ///< that the statement is
  char before = 0;             ///< last character that is no blank
};

/// Where the statement around `offset` begins: at a line that begins with a
/// result or a word with a dot, or behind a brace.
size_t statementBegin(std::string_view text, size_t offset) {
  size_t least = offset > longestStatement ? offset - longestStatement : 0;
  size_t line = offset;
  // On a line of its own it is new, unless the one before asks for more.
  size_t last = text.substr(0, offset).find_last_not_of(" \t\r\n");
  bool ownLine =
      last == std::string_view::npos ||
      text.substr(last + 1, offset - last - 1).find('\n') != std::string::npos;
  if (ownLine &&
      (last == std::string_view::npos ||
       (std::string_view(",(=:<[").find(text[last]) == std::string_view::npos &&
        (last == 0 || text.substr(last - 1, 2) != "->"))))
    return offset;
  while (true) {
    while (line > least && text[line - 1] != '\n')
      --line;
    size_t at = line;
    while (at < offset && (text[at] == ' ' || text[at] == '\t'))
      ++at;
    if (at < offset) {
      // Arguments and results have lines of their own in long heads; only
      // results are followed by `=`.
      if (text[at] == '%') {
        std::string_view rest = text.substr(at, text.find('\n', at) - at);
        size_t equals = rest.find('='), colon = rest.find(':');
        if (equals != std::string_view::npos &&
            (colon == std::string_view::npos || equals < colon))
          return line;
      } else if (isalpha(uint8_t(text[at])) || text[at] == '"' ||
                 text[at] == '}' || text[at] == '^')
        return line;
    }
    if (line <= least)
      return line;
    --line;
  }
}

Place placeOf(std::string_view statement) {
  Place place;
  std::string brackets;
  for (size_t i = 0; i < statement.size();) {
    char c = statement[i];
    if (c == '/' && statement.substr(i, 2) == "//") {
      size_t end = statement.find('\n', i);
      if (end == std::string_view::npos) {
        place.silent = true;
        return place;
      }
      i = end;
      continue;
    }
    if (c == '"') {
      size_t end = i + 1;
      while (end < statement.size() && statement[end] != '"' &&
             statement[end] != '\n')
        end += statement[end] == '\\' ? 2 : 1;
      if (end >= statement.size()) {
        place.silent = true;
        return place;
      }
      place.beginsStatement = false;
      i = end + 1;
      place.before = c;
      continue;
    }
    if (isspace(uint8_t(c))) {
      ++i;
      continue;
    }
    if (c == '%' || isWordChar(c)) {
      size_t begin = i++;
      while (i < statement.size() && isWordChar(statement[i]) &&
             statement.substr(i, 2) != "->")
        ++i;
      std::string_view word = statement.substr(begin, i - begin);
      if (word.front() != '%' && isalpha(uint8_t(word.front())) &&
          place.beginsStatement) {
        place.operation = word;
        place.beginsStatement = false;
      }
      place.before = word.back();
      continue;
    }
    if (statement.substr(i, 2) == "->") {
      place.afterColon = true;
      place.beginsStatement = false;
      place.before = '>';
      i += 2;
      continue;
    }
    switch (c) {
    case '(':
    case '[':
    case '<':
      brackets.push_back(c);
      break;
    case '{':
      // A region's body begins anew; what has attributes names no results.
      if (place.afterColon || place.before == ')') {
        place = Place();
        brackets.clear();
        place.before = c;
        ++i;
        continue;
      }
      brackets.push_back(c);
      break;
    case ')':
    case ']':
    case '>':
    case '}':
      if (!brackets.empty())
        brackets.pop_back();
      else if (c == '}')
        place = Place();
      break;
    case ':':
      place.afterColon = true;
      break;
    case ',':
      // The next argument of a head has a name of its own.
      if (brackets == "(" && place.operation == "func.func")
        place.afterColon = false;
      break;
    default:
      break;
    }
    if (c != '=' && c != ',' && c != '#' && c != ':' && c != '}')
      place.beginsStatement = false;
    place.before = c;
    ++i;
  }
  place.bracket = brackets.empty() ? 0 : brackets.back();
  return place;
}

bool contains(const model::TextRange &range, int64_t offset) {
  return range.begin <= offset && offset <= range.end;
}

/// The braces that are opened and closed again in `text`, outermost ones only,
/// in order.
std::vector<model::TextRange> closedBraces(std::string_view text) {
  std::vector<model::TextRange> closed;
  std::vector<int64_t> open;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/' && text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
    } else if (text[i] == '{') {
      open.push_back(int64_t(i));
    } else if (text[i] == '}' && !open.empty()) {
      while (!closed.empty() && closed.back().begin > open.back())
        closed.pop_back();
      closed.push_back({open.back(), int64_t(i)});
      open.pop_back();
    }
  }
  return closed;
}

/// Those that may be used at `offset`: above it in the same function, and in no
/// region that is closed there.
void addValues(const SourceSnapshot &source, int64_t offset,
               std::string_view word, std::vector<CompletionItem> &items) {
  for (const SourceSymbol &function : source.symbols()) {
    if (!contains(function.range, offset))
      continue;
    std::vector<model::TextRange> closed =
        closedBraces(std::string_view(source.text)
                         .substr(size_t(function.range.begin),
                                 size_t(offset - function.range.begin)));
    auto isHidden = [&](int64_t at) {
      at -= function.range.begin;
      auto after =
          std::upper_bound(closed.begin(), closed.end(), at,
                           [](int64_t place, const model::TextRange &braces) {
                             return place < braces.begin;
                           });
      return after != closed.begin() && std::prev(after)->end > at;
    };
    std::set<std::string> seen;
    std::vector<const SourceSymbol *> left;
    for (auto it = function.children.rbegin(); it != function.children.rend();
         ++it)
      left.push_back(&*it);
    while (!left.empty()) {
      const SourceSymbol &symbol = *left.back();
      left.pop_back();
      for (auto it = symbol.children.rbegin(); it != symbol.children.rend();
           ++it)
        left.push_back(&*it);
      if (symbol.selectionRange.end > offset ||
          isHidden(symbol.selectionRange.begin))
        continue;
      std::string name =
          symbol.name.starts_with('%') ? symbol.name : "%" + symbol.name;
      if (name.starts_with(word) && seen.insert(name).second)
        items.push_back({name, "value", symbol.detail, "", ""});
    }
  }
}

void addAliases(std::string_view text, std::string_view word,
                std::vector<CompletionItem> &items) {
  for (size_t line = 0; line < text.size();) {
    size_t end = std::min(text.find('\n', line), text.size());
    if (text[line] == word.front()) {
      size_t stop = line + 1;
      while (stop < end && isWordChar(text[stop]))
        ++stop;
      size_t equals = text.find_first_not_of(' ', stop);
      std::string_view name = text.substr(line, stop - line);
      if (equals < end && text[equals] == '=' && name.starts_with(word))
        items.push_back(
            {std::string(name), "alias",
             std::string(text.substr(equals + 1,
                                     std::min<size_t>(200, end - equals - 1))),
             "", ""});
    }
    line = end + 1;
  }
}

void addTypes(std::string_view word, std::vector<CompletionItem> &items) {
  for (const char *name :
       {"f32", "f16", "bf16", "i1", "i8", "i32", "i64", "index"})
    if (std::string_view(name).starts_with(word))
      items.push_back({name, "type", "", "", ""});
  if (std::string_view("tensor").starts_with(word))
    items.push_back({"tensor", "type", "tensor<SIZESxTYPE>", "",
                     "tensor<${1:128x256}x${2:f32}>"});
}

} // namespace

Completion completeAt(const SourceSnapshot &source, int64_t given) {
  Completion result;
  std::string_view text = source.text;
  size_t offset = size_t(std::clamp<int64_t>(given, 0, int64_t(text.size())));
  size_t begin = offset;
  while (begin > 0 && isWordChar(text[begin - 1]))
    --begin;
  if (begin > 0 &&
      std::string_view("%@#!^").find(text[begin - 1]) != std::string_view::npos)
    --begin;
  std::string_view word = text.substr(begin, offset - begin);
  size_t from = statementBegin(text, begin);
  Place place = placeOf(text.substr(from, begin - from));
  if (place.silent)
    return result;
  // Of `512x1024xf3` the type alone is being written.
  if (place.bracket == '<') {
    size_t last = word.rfind('x');
    if (last != std::string_view::npos &&
        word.substr(0, last).find_first_not_of("0123456789x?") ==
            std::string_view::npos) {
      begin += last + 1;
      word.remove_prefix(last + 1);
    }
  }
  result.range = {int64_t(begin), int64_t(offset)};
  char sign = word.empty() ? 0 : word.front();
  if (sign == '%') {
    addValues(source, int64_t(begin), word, result.items);
  } else if (sign == '@') {
    for (const SourceSymbol &symbol : source.symbols()) {
      std::string name =
          symbol.name.starts_with('@') ? symbol.name : "@" + symbol.name;
      if (symbol.kind == "function" && name.starts_with(word))
        result.items.push_back({name, "function", symbol.detail, "", ""});
    }
  } else if (sign == '#' || sign == '!') {
    addAliases(text, word, result.items);
  } else if (sign == '^') {
    // Blocks have no names worth proposing.
  } else if (place.bracket == '{' && !place.operation.empty()) {
    if (place.before != '{' && place.before != ',')
      return result;
    const auto &all = knownOperations();
    auto found = std::lower_bound(
        all.begin(), all.end(), place.operation,
        [](const KnownOperation &known, std::string_view name) {
          return known.name < name;
        });
    if (found != all.end() && found->name == place.operation)
      for (const std::string &name : found->attributes)
        if (name.starts_with(word))
          result.items.push_back(
              {name, "attribute", found->name, "", name + " = $0"});
  } else if (place.afterColon) {
    addTypes(word, result.items);
  } else if (place.beginsStatement) {
    for (const KnownOperation &known : knownOperations())
      if (known.name.starts_with(word))
        result.items.push_back({known.name, "operation", "",
                                std::string(operationDocs(known.name)), ""});
    // The short form stands for func.return.
    if (std::string_view("return").starts_with(word))
      result.items.push_back({"return", "operation", "func.return",
                              std::string(operationDocs("func.return")), ""});
  }
  return result;
}

} // namespace tilewright::frontend
