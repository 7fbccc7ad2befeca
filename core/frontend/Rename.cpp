//===- Rename.cpp - a value or function gets another name -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Rename.h"
#include "core/frontend/SourceLexer.h"
#include <algorithm>

namespace tilewright::frontend {

namespace {

std::string_view slice(const std::string &text, model::TextRange range) {
  return std::string_view(text).substr(size_t(range.begin),
                                       size_t(range.end - range.begin));
}

/// The sign and name at the beginning of what stands in a range: `%x` of
/// `%x:2` and of `%x#1`.
model::TextRange nameIn(const std::string &text, model::TextRange range) {
  SourceLexer lexer(text, uint32_t(range.begin));
  Token token = lexer.next();
  return {token.begin, token.end};
}

model::Diagnostic fault(const SourceSnapshot &source, const char *code,
                        std::string message, std::string hint,
                        model::TextRange range) {
  model::Diagnostic problem;
  problem.code = code;
  problem.message = std::move(message);
  problem.hint = std::move(hint);
  problem.uri = source.uri;
  problem.range = range;
  return problem;
}

/// Whether MLIR's lexer takes it for a name behind its sign.
bool isName(const std::string &name, bool function) {
  auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (name.empty() || name.size() > 1000)
    return false;
  // A value may also begin with these.
  bool begins =
      letter(name[0]) ||
      (!function && (name[0] == '$' || name[0] == '.' || name[0] == '-'));
  return begins && std::all_of(name.begin(), name.end(), [&](char c) {
           return letter(c) || digit(c) || c == '$' || c == '.' ||
                  (!function && c == '-');
         });
}

bool isNumber(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Every operation and value of a text in its order, with its key.
std::vector<std::string> keysInOrder(const SourceSnapshot &source) {
  std::vector<std::string> keys;
  for (const auto &chunk : source.chunks) {
    if (!chunk)
      continue;
    for (const ParsedOperation &op : chunk->operations)
      keys.push_back(op.key);
    for (const ParsedValue &value : chunk->values)
      keys.push_back(value.key);
  }
  return keys;
}

/// What every name in the text refers to.
std::vector<std::vector<uint32_t>> meanings(const SourceSnapshot &source) {
  std::vector<std::vector<uint32_t>> all;
  for (const auto &chunk : source.chunks) {
    std::vector<uint32_t> &values = all.emplace_back();
    if (chunk)
      for (const ParsedReference &reference : chunk->references)
        values.push_back(reference.value);
  }
  return all;
}

} // namespace

std::optional<NamedThing> namedAt(const SourceSnapshot &source, int64_t offset,
                                  model::Diagnostic &problem) {
  NamedThing thing;
  for (model::TextRange range : source.references(offset)) {
    model::TextRange name = nameIn(source.text, range);
    thing.places.push_back(name);
    if (offset >= name.begin && offset <= name.end)
      thing.range = name;
  }
  std::sort(thing.places.begin(), thing.places.end(),
            [](const auto &a, const auto &b) { return a.begin < b.begin; });
  thing.places.erase(std::unique(thing.places.begin(), thing.places.end()),
                     thing.places.end());
  std::string_view word = thing.range.end > thing.range.begin
                              ? slice(source.text, thing.range)
                              : "";
  bool named = word.size() > 1 && (word[0] == '%' || word[0] == '@');
  if (!named) {
    problem = fault(source, "TW0615", "nothing with a name stands here",
                    "put the cursor on a value (%name) or a function (@name)",
                    {offset, offset});
    return std::nullopt;
  }
  thing.isFunction = word[0] == '@';
  thing.name =
      thing.isFunction ? symbolName(word) : std::string(word.substr(1));
  return thing;
}

std::optional<Renaming> rename(mlir::MLIRContext &context,
                               const SourceSnapshot &source, int64_t offset,
                               std::string newName,
                               const std::atomic<bool> *cancel,
                               model::Diagnostic &problem) {
  std::optional<NamedThing> thing = namedAt(source, offset, problem);
  if (!thing)
    return std::nullopt;
  const char sign = thing->isFunction ? '@' : '%';
  if (!newName.empty() && newName[0] == sign)
    newName.erase(0, 1);
  if (!isName(newName, thing->isFunction)) {
    problem = fault(
        source, "TW0616",
        "'" + newName.substr(0, 100) + "' is no name of a " +
            (thing->isFunction ? "function" : "value") +
            (isNumber(newName) ? ": numbers only count, so that its pins would "
                                 "not find it again"
                               : ""),
        thing->isFunction
            ? "begin with a letter or _, and go on with these, digits, $ and ."
            : "begin with a letter, _, $, . or -, and go on with these and "
              "digits",
        thing->range);
    return std::nullopt;
  }
  Renaming renaming;
  if (newName == thing->name)
    return renaming;
  for (size_t i = 0; i < source.layout.chunks.size(); ++i) {
    model::TextRange range = source.layout.chunks[i].range;
    bool here = offset >= range.begin && offset <= range.end;
    if (here && (!source.chunks[i] || !source.chunks[i]->complete)) {
      problem = fault(source, "TW0617",
                      "the function has errors, so that not every use of " +
                          thing->name + " is known",
                      "mend them first", thing->range);
      return std::nullopt;
    }
  }
  std::string changed = source.text;
  for (auto it = thing->places.rbegin(); it != thing->places.rend(); ++it)
    changed.replace(size_t(it->begin), size_t(it->end - it->begin),
                    sign + newName);
  for (model::TextRange place : thing->places)
    renaming.edits.push_back({place.begin, place.end, sign + newName});

  // Read anew, it must mean the same.
  auto after =
      readSource(context, source.uri, source.version, changed, &source, cancel);
  auto errors = [](const SourceSnapshot &text) {
    return std::count_if(text.diagnostics.begin(), text.diagnostics.end(),
                         [](const model::Diagnostic &diagnostic) {
                           return diagnostic.severity == model::Severity::Error;
                         });
  };
  std::vector<std::string> before = keysInOrder(source),
                           now = keysInOrder(*after);
  if (after->cancelled || errors(*after) > errors(source) ||
      before.size() != now.size() || meanings(source) != meanings(*after)) {
    std::string why = "it is taken where it would stand";
    for (const model::Diagnostic &diagnostic : after->diagnostics)
      if (diagnostic.severity == model::Severity::Error &&
          errors(*after) > errors(source))
        why = diagnostic.message + " [" + diagnostic.code + "]";
    problem = fault(source, "TW0617",
                    std::string(1, sign) + thing->name + " cannot be called " +
                        sign + newName + ": " + why,
                    "choose a name that is not in use", thing->range);
    return std::nullopt;
  }
  for (size_t i = 0; i < before.size(); ++i)
    if (before[i] != now[i] && !before[i].empty())
      renaming.keys[before[i]] = now[i];
  return renaming;
}

std::string renamedKey(const std::map<std::string, std::string> &keys,
                       const std::string &key) {
  if (auto found = keys.find(key); found != keys.end())
    return found->second;
  // The part `k.row_max`, the operand `k#0`, the result `k:1`.
  for (size_t at = key.size(); at-- > 0;) {
    if (key[at] == '/')
      break;
    if (key[at] != '.' && key[at] != '#' && key[at] != ':')
      continue;
    if (auto found = keys.find(key.substr(0, at)); found != keys.end())
      return found->second + key.substr(at);
  }
  return key;
}

} // namespace tilewright::frontend
