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
#include "core/frontend/DialectNames.h"
#include "core/frontend/Dialects.h"
#include "core/frontend/OperationDocs.h"
#include "core/frontend/OperationSnippet.h"
#include "core/frontend/SourcePlace.h"
#include "core/frontend/Statement.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include <algorithm>
#include <set>
#include <string_view>

namespace tilewright::frontend {

namespace {

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
  std::string_view attribute;  ///< whose value is being written in braces
  std::string_view angle;      ///< what stands before the innermost `<`
  std::vector<std::string_view> attributes; ///< named in braces before
  std::vector<std::string_view> values;     ///< `%name`s before the colon
  std::string_view operation;               ///< that the statement is
  char before = 0;                          ///< last character that is no blank
};

Place placeOf(std::string_view statement) {
  Place place;
  std::string brackets;
  std::string_view lastWord;
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
      if (word.front() == '%' && !place.operation.empty() && !place.afterColon)
        place.values.push_back(word);
      if (!brackets.empty() && brackets.back() == '{' &&
          (place.before == '{' || place.before == ','))
        place.attributes.push_back(word);
      lastWord = word;
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
    case '<':
      place.angle = lastWord;
      [[fallthrough]];
    case '(':
    case '[':
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
    case '=':
      if (!brackets.empty() && brackets.back() == '{')
        place.attribute = lastWord;
      break;
    case ',':
      if (!brackets.empty() && brackets.back() == '{')
        place.attribute = {};
      // The next argument of a head has a name of its own.
      if (brackets == "(" && place.operation == "func.func")
        place.afterColon = false;
      break;
    default:
      break;
    }
    if (place.attribute.size() && (brackets.empty() || c == '}'))
      place.attribute = {};
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

/// Types of elements; unless they stand behind sizes, those made of such as
/// well.
void addTypes(std::string_view word, bool elementsOnly,
              std::vector<CompletionItem> &items) {
  for (const char *name : {"f32", "f16", "bf16", "i1", "i8", "i32", "i64",
                           "index", "f64", "i16", "f8E4M3FN", "f8E5M2"})
    if (std::string_view(name).starts_with(word))
      items.push_back({name, "type", "", "", ""});
  struct Made {
    const char *name, *form, *insert;
  };
  static constexpr Made made[] = {
      {"tensor", "tensor<SIZESxTYPE>", "tensor<${1:128x256}x${2:f32}>"},
      {"memref", "memref<SIZESxTYPE>", "memref<${1:128x256}x${2:f32}>"},
      {"vector", "vector<SIZESxTYPE>", "vector<${1:8}x${2:f32}>"},
      {"complex", "complex<TYPE>", "complex<${1:f32}>"},
      {"tuple", "tuple<TYPES>", "tuple<$1>"},
      {"none", "", ""}};
  for (const Made &each : made)
    if (!elementsOnly && std::string_view(each.name).starts_with(word))
      items.push_back({each.name, "type", each.form, "", each.insert});
}

/// Those that begin with `word`, in which the sign and the dialect count.
void addDialectNames(std::string_view word,
                     std::vector<CompletionItem> &items) {
  bool type = word.front() == '!';
  for (const std::string &name : type ? dialectTypes() : dialectAttributes())
    if (name.starts_with(word))
      items.push_back({name, type ? "type" : "attribute", "", "", ""});
}

/// The words that the value of an enumerated attribute may be; with no
/// `attribute` those of any the operation has.
void addWords(std::string_view operation, std::string_view attribute,
              std::string_view word, std::vector<CompletionItem> &items) {
  const OperationShape *shape = operationShape(operation);
  if (!shape)
    return;
  for (const OperationPart &part : shape->attributes) {
    if (!attribute.empty() && part.name != attribute)
      continue;
    for (std::string &each : attributeWords(part.type))
      if (each.starts_with(word))
        items.push_back(
            {std::move(each), "attribute", part.description, "", ""});
    bool yesOrNo = !attribute.empty() && part.type.ends_with("BoolAttr");
    for (const char *each : {"true", "false"})
      if (yesOrNo && std::string_view(each).starts_with(word))
        items.push_back({each, "attribute", part.description, "", ""});
  }
}

/// Those in the angle brackets behind a keyword, as `fastmath<nnan>` and
/// `overflow<nsw>`: of the attribute that is named so, or begins so.
void addFlags(const Place &place, std::string_view word,
              std::vector<CompletionItem> &items) {
  if (const OperationShape *shape = operationShape(place.operation))
    for (const OperationPart &part : shape->attributes)
      if (!place.angle.empty() && part.name.starts_with(place.angle))
        addWords(place.operation, part.name, word, items);
}

CompletionItem attributeItem(const std::string &operation,
                             const std::string &name) {
  CompletionItem item{name, "attribute", operation, "", name + " = $0"};
  if (const OperationShape *shape = operationShape(operation))
    for (const OperationPart &part : shape->attributes) {
      if (part.name != name)
        continue;
      item.documentation = part.description;
      if (part.type.ends_with("::UnitAttr"))
        item.insert = name; // there or not
      else if (std::vector<std::string> words = attributeWords(part.type);
               !words.empty()) {
        item.insert = name + " = ${1|";
        for (size_t i = 0; i < words.size(); ++i)
          item.insert += (i ? "," : "") + words[i];
        item.insert += "|}";
      }
    }
  return item;
}

/// Behind the colon of a `tw` operation: the types of the operands written.
void addTypesWritten(const SourceSnapshot &source, const Place &place,
                     std::vector<CompletionItem> &items) {
  std::string types;
  for (std::string_view name : place.values) {
    int64_t at = name.data() - source.text.data();
    auto where = placeAt(source, at + 1);
    auto value = where ? valueAt(*where) : std::nullopt;
    if (!value)
      return;
    const ParsedChunk &chunk = *where->chunk;
    types += (types.empty() ? "" : ", ") +
             chunk.typeOf(chunk.values[value->value], 0);
  }
  const OperationShape *shape = operationShape(place.operation);
  if (types.empty() || !shape ||
      shape->syntax.find("functional-type(") == std::string::npos)
    return;
  items.push_back({"(" + types + ") -> ", "type", "types of the operands", "",
                   "(" + types + ") -> $0"});
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
  bool element = false;
  if (place.bracket == '<') {
    size_t last = word.rfind('x');
    if (last != std::string_view::npos &&
        word.substr(0, last).find_first_not_of("0123456789x?") ==
            std::string_view::npos) {
      element = true;
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
    addDialectNames(word, result.items);
  } else if (sign == '^') {
    // Blocks have no names worth proposing.
  } else if (place.bracket == '{' && !place.operation.empty() &&
             place.before == '=') {
    addWords(place.operation, place.attribute, word, result.items);
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
        if (name.starts_with(word) &&
            std::find(place.attributes.begin(), place.attributes.end(), name) ==
                place.attributes.end())
          result.items.push_back(attributeItem(found->name, name));
  } else if (place.afterColon) {
    if (word.empty() && place.before == ':')
      addTypesWritten(source, place, result.items);
    addTypes(word, element, result.items);
    if (word.empty() && !element)
      addAliases(text, "!", result.items);
  } else if (place.bracket == '<') {
    addFlags(place, word, result.items);
  } else if (place.beginsStatement) {
    for (const KnownOperation &known : knownOperations())
      if (known.name.starts_with(word))
        result.items.push_back(
            {known.name, "operation", "",
             std::string(operationDocs(known.name)),
             operationSnippet(known.name, place.before != '=')});
    // The short form stands for func.return.
    if (std::string_view("return").starts_with(word))
      result.items.push_back({"return", "operation", "func.return",
                              std::string(operationDocs("func.return")), ""});
  } else if (place.values.empty() && place.bracket == 0) {
    // What stands before the operands, as the predicate of arith.cmpi.
    addWords(place.operation, "", word, result.items);
  }
  return result;
}

} // namespace tilewright::frontend
