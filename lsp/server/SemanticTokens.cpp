//===- SemanticTokens.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/SemanticTokens.h"
#include "lsp/server/Parameters.h"
#include <algorithm>
#include <set>

namespace tilewright::lsp {

namespace {

enum Type : uint32_t {
  Comment,
  String,
  Number,
  Keyword,
  Function,
  Method, // an operation
  Variable,
  Parameter,
  TypeName,
  Property, // name of an attribute
  Macro     // an alias
};
constexpr uint32_t declaration = 1;

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$';
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameChar(char c) {
  return isLetter(c) || isDigit(c) || c == '.' || c == '-';
}

bool isKeyword(std::string_view word) {
  static const std::set<std::string_view> words = {
      "attributes", "private", "public", "nested", "return",    "module",
      "to",         "step",    "ins",    "outs",   "iter_args", "shared_outs",
      "in",         "into",    "true",   "false",  "unit",      "loc"};
  return words.count(word) != 0;
}

/// i32, si8, f16, bf16, f8E4M3FN, index, tensor …
bool isTypeName(std::string_view word) {
  static const std::set<std::string_view> words = {
      "tensor", "memref", "vector", "tuple", "complex",
      "index",  "none",   "bf16",   "tf32"};
  if (words.count(word))
    return true;
  size_t letters = word.starts_with("si") || word.starts_with("ui") ? 2 : 1;
  if (word.size() <= letters || (word[letters - 1] != 'i' && word[0] != 'f'))
    return false;
  if (word[0] == 'f')
    return word.size() <= 12 && isDigit(word[1]);
  return std::all_of(word.begin() + letters, word.end(), isDigit);
}

class Tokenizer {
public:
  Tokenizer(std::string_view text, PositionEncoding encoding)
      : text(text), encoding(encoding) {}

  std::vector<uint32_t> run() {
    while (at < text.size())
      next();
    return std::move(tokens);
  }

private:
  std::string_view text;
  PositionEncoding encoding;
  size_t at = 0;
  std::vector<uint32_t> tokens;
  /// Of where counting has come to.
  size_t counted = 0;
  uint32_t line = 0, unit = 0;
  uint32_t lastLine = 0, lastUnit = 0;
  /// Of the function: its arguments, and whether its head is being read.
  std::set<std::string_view> arguments;
  bool inHead = false;
  /// Inside `<…>` of a shaped type.
  int angle = 0;

  uint32_t unitsOf(char c) const {
    uint8_t byte = uint8_t(c);
    bool follows = (byte & 0xc0) == 0x80;
    switch (encoding) {
    case PositionEncoding::Utf8:
      return 1;
    case PositionEncoding::Utf16:
      return follows ? 0 : byte >= 0xf0 ? 2 : 1;
    case PositionEncoding::Utf32:
      return follows ? 0 : 1;
    }
    return 1;
  }

  void countTo(size_t end) {
    for (; counted < end; ++counted) {
      char c = text[counted];
      // A lone carriage return ends a line, too.
      if (c == '\n' || (c == '\r' && (counted + 1 == text.size() ||
                                      text[counted + 1] != '\n'))) {
        ++line;
        unit = 0;
      } else {
        unit += unitsOf(c);
      }
    }
  }

  void add(size_t begin, size_t end, Type type, uint32_t modifiers = 0) {
    countTo(begin);
    uint32_t length = 0;
    for (size_t i = begin; i < end; ++i)
      length += unitsOf(text[i]);
    if (length == 0)
      return;
    uint32_t lines = line - lastLine;
    tokens.insert(tokens.end(), {lines, lines ? unit : unit - lastUnit, length,
                                 uint32_t(type), modifiers});
    lastLine = line;
    lastUnit = unit;
  }

  size_t nameEnd(size_t from) const {
    while (from < text.size() && isNameChar(text[from]) &&
           text.substr(from, 2) != "->")
      ++from;
    return from;
  }

  char after(size_t from) const {
    while (from < text.size() && (text[from] == ' ' || text[from] == '\t'))
      ++from;
    return from < text.size() ? text[from] : '\0';
  }

  void next() {
    char c = text[at];
    if (c == '/' && text.substr(at, 2) == "//") {
      size_t end = std::min(text.find_first_of("\r\n", at), text.size());
      add(at, end, Comment);
      at = end;
    } else if (c == '"') {
      size_t end = at + 1;
      while (end < text.size() && text[end] != '"' && text[end] != '\n' &&
             text[end] != '\r')
        end += text[end] == '\\' && end + 1 < text.size() &&
                       text[end + 1] != '\n' && text[end + 1] != '\r'
                   ? 2
                   : 1;
      end = std::min(end + (end < text.size() && text[end] == '"' ? 1 : 0),
                     text.size());
      add(at, end, String);
      at = end;
    } else if (c == '%') {
      value();
    } else if (c == '@') {
      size_t end = nameEnd(at + 1);
      add(at, end, Function, inHead && arguments.empty() ? declaration : 0);
      at = std::max(end, at + 1);
    } else if ((c == '#' || c == '!') && at + 1 < text.size() &&
               isNameChar(text[at + 1])) {
      size_t end = nameEnd(at + 1);
      add(at, end, Macro, after(end) == '=' ? declaration : 0);
      at = end;
    } else if (isDigit(c) || (c == '?' && angle)) {
      number();
    } else if (isLetter(c)) {
      word();
    } else {
      if (c == '<')
        ++angle;
      else if (c == '>' && (at == 0 || text[at - 1] != '-'))
        angle = std::max(0, angle - 1);
      else if (c == '{')
        inHead = false;
      ++at;
    }
  }

  void value() {
    size_t end = nameEnd(at + 1);
    std::string_view name = text.substr(at, end - at);
    bool isArgument = inHead && after(end) == ':';
    if (isArgument)
      arguments.insert(name);
    // `%a, %b = …`: names up to the equals sign are results.
    size_t rest = end;
    while (rest < text.size() && std::string_view(" \t,%:").find(text[rest]) !=
                                     std::string_view::npos)
      rest =
          text[rest] == '%' || text[rest] == ':' ? nameEnd(rest + 1) : rest + 1;
    bool isResult = !inHead && rest < text.size() && text[rest] == '=' &&
                    text.substr(rest, 2) != "==";
    add(at, end, arguments.count(name) ? Parameter : Variable,
        isArgument || isResult ? declaration : 0);
    at = std::max(end, at + 1);
  }

  /// `128x256xf32` in angle brackets: sizes, and then a type.
  void number() {
    size_t end = at + 1;
    if (angle) {
      while (end < text.size() && isDigit(text[end]))
        ++end;
      add(at, end, Number);
      at = end + (end < text.size() && text[end] == 'x' ? 1 : 0);
      return;
    }
    while (end < text.size() &&
           (isLetter(text[end]) || isDigit(text[end]) || text[end] == '.' ||
            ((text[end] == '+' || text[end] == '-') &&
             (text[end - 1] == 'e' || text[end - 1] == 'E'))))
      ++end;
    add(at, end, Number);
    at = end;
  }

  void word() {
    size_t end = nameEnd(at);
    std::string_view name = text.substr(at, end - at);
    if (name.find('.') != std::string_view::npos) {
      if (name.ends_with(".func") || name == "block.kernel" ||
          name == "block.program") {
        inHead = true;
        arguments.clear();
      }
      add(at, end, Method);
    } else if (isTypeName(name)) {
      add(at, end, TypeName);
    } else if (after(end) == '=' && !inHead) {
      add(at, end, Property);
    } else if (isKeyword(name)) {
      add(at, end, Keyword);
    }
    at = end;
  }
};

} // namespace

std::vector<uint32_t> semanticTokens(std::string_view text,
                                     PositionEncoding encoding) {
  return Tokenizer(text, encoding).run();
}

Json semanticTokensLegend() {
  return {{"tokenTypes",
           {"comment", "string", "number", "keyword", "function", "method",
            "variable", "parameter", "type", "property", "macro"}},
          {"tokenModifiers", Json::array({"declaration"})}};
}

Json semanticTokensEdits(const std::vector<uint32_t> &before,
                         const std::vector<uint32_t> &after) {
  size_t most = std::min(before.size(), after.size());
  size_t head = 0;
  while (head < most && before[head] == after[head])
    ++head;
  size_t tail = 0;
  while (tail < most - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  if (head == before.size() && head == after.size())
    return Json::array();
  return Json::array(
      {{{"start", head},
        {"deleteCount", before.size() - head - tail},
        {"data", std::vector<uint32_t>(after.begin() + int64_t(head),
                                       after.end() - int64_t(tail))}}});
}

std::string SemanticTokens::keep(const std::string &uri,
                                 std::vector<uint32_t> tokens) {
  std::lock_guard lock(mutex);
  // Those of documents that are closed are of no use.
  std::erase_if(given, [&](const auto &entry) {
    return entry.first != uri && !session.documents.find(entry.first);
  });
  std::string id = std::to_string(++lastId);
  given[uri] = {id, std::move(tokens)};
  return id;
}

Json SemanticTokens::full(const Json &, TextSnapshot text) {
  std::vector<uint32_t> tokens = semanticTokens(text->text(), session.encoding);
  Json data = tokens;
  return {{"resultId", keep(text->uri(), std::move(tokens))},
          {"data", std::move(data)}};
}

Json SemanticTokens::delta(const Json &params, TextSnapshot text) {
  std::string previous = stringField(params, "previousResultId");
  std::vector<uint32_t> tokens = semanticTokens(text->text(), session.encoding);
  std::vector<uint32_t> before;
  {
    std::lock_guard lock(mutex);
    auto it = given.find(text->uri());
    if (it != given.end() && it->second.id == previous) {
      before = std::move(it->second.tokens);
      given.erase(it);
    } else {
      previous.clear();
    }
  }
  Json result;
  // What the client has is not known any more: all of them.
  if (previous.empty())
    result["data"] = tokens;
  else
    result["edits"] = semanticTokensEdits(before, tokens);
  result["resultId"] = keep(text->uri(), std::move(tokens));
  return result;
}

Json SemanticTokens::range(const Json &params, TextSnapshot text) {
  requireForm(params, {{"range",
                        {{"start", {{"line", 0}, {"character", 0}}},
                         {"end", {{"line", 0}, {"character", 0}}}}}});
  int64_t first = params["range"]["start"]["line"],
          last = params["range"]["end"]["line"];
  std::vector<uint32_t> all = semanticTokens(text->text(), session.encoding);
  // Whole lines: what a word is depends on the head of its function.
  std::vector<uint32_t> tokens;
  int64_t line = 0, before = 0;
  for (size_t i = 0; i + 4 < all.size(); i += 5) {
    line += all[i];
    if (line < first)
      continue;
    if (line > last)
      break;
    tokens.insert(tokens.end(), all.begin() + int64_t(i),
                  all.begin() + int64_t(i) + 5);
    tokens[tokens.size() - 5] = uint32_t(line - before);
    before = line;
  }
  return {{"data", tokens}};
}

void SemanticTokens::registerAt(Connection &connection) {
  auto on = [&](const char *name,
                Json (SemanticTokens::*handler)(const Json &, TextSnapshot)) {
    connection.onAsyncRequest(name, [this, handler](Request request) {
      texts.with(request, uriOf(request->params()),
                 [this, handler, request](TextSnapshot text) {
                   request->reply((this->*handler)(request->params(), text));
                 });
    });
  };
  on("textDocument/semanticTokens/full", &SemanticTokens::full);
  on("textDocument/semanticTokens/full/delta", &SemanticTokens::delta);
  on("textDocument/semanticTokens/range", &SemanticTokens::range);
}

} // namespace tilewright::lsp
