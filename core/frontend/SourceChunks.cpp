//===- SourceChunks.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/SourceChunks.h"
#include "core/frontend/Splitter.h"
#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

namespace tilewright::frontend {

using model::Diagnostic;
using model::TextRange;

/// More of them help nobody.
static constexpr size_t maxDiagnostics = 100;
static constexpr int maxModuleNesting = 16;

void Splitter::report(const char *code, TextRange range, std::string message,
                      std::string hint) {
  if (layout.diagnostics.size() >= maxDiagnostics)
    return;
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.range = range;
  layout.diagnostics.push_back(std::move(diagnostic));
}

uint32_t Splitter::columnOf(const Token &token) {
  return token.begin - lineStart;
}

/// Lines too long once their strings are taken out (tensor data in hexadecimal
/// may be long).
void Splitter::findLongLines() {
  size_t begin = 0;
  while (begin < text.size()) {
    const void *found =
        std::memchr(text.data() + begin, '\n', text.size() - begin);
    size_t lineEnd =
        found ? size_t(static_cast<const char *>(found) - text.data())
              : text.size();
    if (int64_t(lineEnd - begin) > limits.lineBytes) {
      SourceLexer line(text.substr(begin, lineEnd - begin));
      int64_t strings = 0;
      for (Token t = line.next(); t.kind != TokenKind::End; t = line.next())
        if (t.kind == TokenKind::String || t.kind == TokenKind::OpenString)
          strings += t.end - t.begin;
      int64_t bytes = int64_t(lineEnd - begin) - strings;
      if (bytes > limits.lineBytes)
        report("TW0009",
               {int64_t(begin), int64_t(std::min(begin + 80, lineEnd))},
               "line too long: " + std::to_string(bytes) + " bytes of " +
                   std::to_string(limits.lineBytes) + " allowed",
               "break the line; string literals do not count");
    }
    begin = lineEnd + 1;
  }
}

bool Splitter::startsOperation(const Token &token) const {
  std::string_view word = lexer.textOf(token);
  switch (token.kind) {
  case TokenKind::Identifier:
    return word == "module" || word.find('.') != std::string_view::npos;
  case TokenKind::String:
  case TokenKind::Value:
    return token.startsLine;
  default:
    return false;
  }
}

bool Splitter::startsAlias(const Token &token) {
  if (token.kind != TokenKind::Attribute && token.kind != TokenKind::Type)
    return false;
  SourceLexer ahead = lexer;
  return ahead.next().is('=');
}

void Splitter::begin(Entity kind, const Token &token) {
  entity = kind;
  first = token;
  firstText = lexer.textOf(token);
  column = columnOf(token);
  end = token.end;
  tokens = 0;
  blocked = unbalanced = tooDeep = tooLong = false;
  aliasUses.clear();
}

void Splitter::finish() {
  TextRange range{first.begin, end};
  switch (entity) {
  case Entity::Chunk: {
    ChunkSpan chunk;
    chunk.range = range;
    chunk.module = openModules.empty() ? -1 : openModules.back();
    chunk.tokens = tokens;
    chunk.blocked = blocked;
    chunk.unbalanced = unbalanced;
    layout.chunks.push_back(std::move(chunk));
    chunkUseNames.push_back(std::move(aliasUses));
    break;
  }
  case Entity::Alias: {
    AliasSpan alias;
    alias.name = std::string(firstText);
    alias.range = range;
    alias.nameRange = {first.begin, first.end};
    alias.tokens = tokens;
    alias.blocked = blocked || unbalanced;
    layout.aliases.push_back(std::move(alias));
    aliasUseNames.push_back(std::move(aliasUses));
    break;
  }
  case Entity::Metadata:
    if (!blocked && !unbalanced)
      layout.metadata = range;
    break;
  case Entity::Trailer:
  case Entity::None:
    break;
  }
  aliasUses = {};
  entity = Entity::None;
}

/// Enters `module @name attributes {…} {`, so that the functions inside become
/// chunks of their own.
bool Splitter::tryModule(const Token &token) {
  std::string_view word = lexer.textOf(token);
  if (token.kind != TokenKind::Identifier ||
      (word != "module" && word != "builtin.module") ||
      openModules.size() >= maxModuleNesting)
    return false;
  SourceLexer ahead = lexer;
  ModuleSpan module;
  std::unordered_map<std::string_view, int64_t> uses;
  Token next = ahead.next();
  if (next.kind == TokenKind::Symbol) {
    module.name = symbolName(ahead.textOf(next));
    module.nameRange = {next.begin, next.end};
    next = ahead.next();
  }
  if (next.kind == TokenKind::Identifier &&
      ahead.textOf(next) == "attributes") {
    next = ahead.next();
    if (!next.is('{'))
      return false;
    int depth = 1;
    while (depth > 0) {
      next = ahead.next();
      if (next.kind == TokenKind::End || depth > 64)
        return false;
      // A function inside means that the dictionary was never closed.
      if (next.startsLine && next.kind == TokenKind::Identifier &&
          ahead.textOf(next) == "func.func")
        return false;
      if (next.is('{') || next.is('[') || next.is('('))
        ++depth;
      else if (next.is('}') || next.is(']') || next.is(')'))
        --depth;
      else if (next.kind == TokenKind::Attribute ||
               next.kind == TokenKind::Type)
        ++uses[ahead.textOf(next)];
    }
    next = ahead.next();
  }
  if (!next.is('{'))
    return false;
  module.header = {token.begin, next.end};
  module.parent = openModules.empty() ? -1 : openModules.back();
  module.end = int64_t(text.size());
  openModules.push_back(int(layout.modules.size()));
  for (auto &[name, count] : uses)
    module.aliasUses.emplace_back(name, count);
  layout.modules.push_back(std::move(module));
  lexer = ahead;
  previous = next;
  return true;
}

void Splitter::noteAliasUse(std::string_view name) {
  if (name.size() < 2 || (name[1] >= '0' && name[1] <= '9') ||
      name.find('.') != std::string_view::npos)
    return;
  ++aliasUses[name];
}

void Splitter::openBracket(const Token &token) {
  stack.push_back({token.sign, token.begin});
  if (token.sign == '{')
    ++braces;
  if (tooDeep)
    return;
  if (braces > limits.regionDepth) {
    tooDeep = true;
    block();
    report("TW0007", {token.begin, token.end},
           "nested too deep: more than " + std::to_string(limits.regionDepth) +
               " '{' inside each other",
           "move the inner part into a function of its own");
  } else if (stack.size() > size_t(limits.bracketDepth)) {
    tooDeep = true;
    block();
    report("TW0008", {token.begin, token.end},
           "nested too deep: more than " + std::to_string(limits.bracketDepth) +
               " brackets inside each other",
           "flatten this literal or type");
  }
}

void Splitter::closeBracket(const Token &token) {
  char want = token.sign == '}' ? '{' : token.sign == ')' ? '(' : '[';
  // `<` is not always a bracket and is closed by whatever encloses it.
  auto dropAngles = [&] {
    while (!stack.empty() && stack.back().sign == '<')
      stack.pop_back();
  };
  dropAngles();
  if (!stack.empty() && stack.back().sign == want) {
    stack.pop_back();
    if (want == '{')
      --braces;
    return;
  }
  // A `}` also ends what was left open inside it; anything else is one too
  // many.
  bool outer = want == '{' && braces > 0;
  if (outer) {
    while (stack.back().sign != '{') {
      if (stack.back().sign != '<') {
        unbalanced = true;
        report("TW0006", {stack.back().at, stack.back().at + 1},
               std::string("'") + stack.back().sign + "' is never closed");
      }
      stack.pop_back();
    }
    stack.pop_back();
    --braces;
    return;
  }
  unbalanced = true;
  report("TW0006", {token.begin, token.end},
         std::string("'") + token.sign + "' closes nothing");
}

void Splitter::reportUnclosed() {
  for (const OpenBracket &open : stack)
    if (open.sign != '<') {
      unbalanced = true;
      report("TW0006", {open.at, open.at + 1},
             std::string("'") + open.sign + "' is never closed");
      break;
    }
  stack.clear();
  braces = 0;
}

void Splitter::take(const Token &token) {
  std::string_view word = lexer.textOf(token);
  if (token.startsLine) {
    lineStart = token.begin;
    while (lineStart > 0 && text[lineStart - 1] != '\n')
      --lineStart;
  }
  // A function that starts a line no deeper than the one being read: that one
  // was never closed. Nor was an alias in which a function or alias begins.
  if (!stack.empty() && token.startsLine) {
    bool function = token.kind == TokenKind::Identifier && word == "func.func";
    if (entity == Entity::Chunk
            ? function && firstText == "func.func" && columnOf(token) <= column
            : entity == Entity::Alias && (function || startsAlias(token))) {
      reportUnclosed();
      finish();
    }
  }
  if (stack.empty()) {
    if (entity == Entity::None && token.is('}') && !openModules.empty()) {
      if (old && endsPart(token, /*chunkBegins=*/false))
        return;
      layout.modules[openModules.back()].closed = true;
      layout.modules[openModules.back()].end = token.end;
      openModules.pop_back();
      afterModule = true;
      previous = token;
      return;
    }
    bool starts = entity == Entity::None;
    if (!starts) {
      if (startsAlias(token))
        starts = token.startsLine || entity != Entity::Alias;
      else if (startsOperation(token))
        starts = previous.is('}') || entity != Entity::Chunk ||
                 (token.startsLine && columnOf(token) <= column);
      else if (token.is('{') && text.substr(token.begin, 3) == "{-#")
        starts = true;
      else if (token.is('}') && !openModules.empty()) {
        finish();
        take(token);
        return;
      }
      if (starts)
        finish();
    }
    if (starts) {
      if (old &&
          endsPart(token, !startsAlias(token) && word != "module" &&
                              word != "builtin.module" && word != "loc" &&
                              text.substr(token.begin, 3) != "{-#"))
        return;
      if (tryModule(token)) {
        afterModule = false;
        return;
      }
      Entity kind = startsAlias(token)                     ? Entity::Alias
                    : text.substr(token.begin, 3) == "{-#" ? Entity::Metadata
                    : afterModule && word == "loc"         ? Entity::Trailer
                                                           : Entity::Chunk;
      begin(kind, token);
      afterModule = false;
    }
  }

  ++tokens;
  switch (token.kind) {
  case TokenKind::Sign:
    switch (token.sign) {
    case '{':
    case '(':
    case '[':
      openBracket(token);
      break;
    case '<':
      if (token.end >= text.size() || text[token.end] != '=')
        openBracket(token);
      break;
    case '>':
      if (!stack.empty() && stack.back().sign == '<')
        stack.pop_back();
      break;
    case '}':
    case ')':
    case ']':
      closeBracket(token);
      break;
    case ',':
      if (!stack.empty())
        stack.back().operators = 0;
      break;
    case '+':
    case '-':
    case '*':
      if (!stack.empty() && stack.back().sign != '{')
        ++stack.back().operators;
      break;
    default:
      break;
    }
    break;
  case TokenKind::Identifier:
    if (!stack.empty() && stack.back().sign != '{' &&
        (word == "mod" || word == "floordiv" || word == "ceildiv"))
      ++stack.back().operators;
    break;
  case TokenKind::Attribute:
  case TokenKind::Type:
    noteAliasUse(word);
    break;
  case TokenKind::OpenString:
    report("TW0005", {token.begin, token.end},
           "string is not closed before the end of its line");
    break;
  case TokenKind::Nul:
    report("TW0003", {token.begin, token.end}, "zero byte in the text",
           "save the file as plain UTF-8 text");
    break;
  case TokenKind::Bytes:
    if (isUtf8(word))
      report("TW0004", {token.begin, token.end},
             "letters outside ASCII stand only in strings and comments",
             "use a to z, digits, '_', '.', '$' and '-' in names");
    else
      report("TW0004", {token.begin, token.end},
             "bytes that are not UTF-8 outside a string",
             "save the file as plain UTF-8 text");
    break;
  default:
    break;
  }
  if (!tooLong && !stack.empty() &&
      stack.back().operators > limits.expressionOperators) {
    tooLong = true;
    block();
    report("TW0010", {token.begin, token.end},
           "expression too long: more than " +
               std::to_string(limits.expressionOperators) + " operators");
  }
  end = token.end;
  previous = token;
  // What is left when the brackets close is of no further use.
  if (entity == Entity::Metadata && stack.empty() && token.is('}'))
    finish();
  if (entity == Entity::Trailer && stack.empty() && token.is(')'))
    finish();
}

using AliasesByName = std::unordered_map<std::string_view, size_t>;

/// The aliases among `names`, in their order.
static std::vector<size_t>
resolve(const std::unordered_map<std::string_view, int64_t> &names,
        const AliasesByName &byName) {
  std::vector<size_t> uses;
  if (byName.empty())
    return uses;
  for (auto &[name, count] : names) {
    auto it = byName.find(name);
    if (it != byName.end())
      uses.push_back(it->second);
  }
  std::sort(uses.begin(), uses.end());
  return uses;
}

/// Which aliases chunk `index` of `layout` needs, and whether it is too long
/// with them.
void Splitter::resolveChunk(size_t index, const AliasesByName &byName) {
  // Those of a part are in the layout before.
  const SourceLayout &all = old ? *old : layout;
  ChunkSpan &chunk = layout.chunks[index];
  auto &names = chunkUseNames[index];
  for (int m = chunk.module; m >= 0; m = all.modules[m].parent)
    for (auto &[name, times] : all.modules[m].aliasUses)
      names[name] += times;
  chunk.aliases = resolve(names, byName);
  int64_t expanded = chunk.tokens;
  for (size_t used : chunk.aliases)
    expanded = std::min<int64_t>(expanded + all.aliases[used].writtenOut *
                                                names[all.aliases[used].name],
                                 int64_t(1) << 40);
  for (size_t used : aliasClosure(all, chunk.aliases))
    chunk.blocked |= all.aliases[used].blocked;
  if (!chunk.blocked && expanded > limits.expandedTokens) {
    chunk.blocked = true;
    report("TW0012", {chunk.range.begin, chunk.range.begin + 1},
           "too long when its aliases are written out: " +
               std::to_string(expanded) + " tokens of " +
               std::to_string(limits.expandedTokens) + " allowed");
  }
}

void Splitter::resolveAliases() {
  AliasesByName byName;
  for (size_t i = 0; i < layout.aliases.size(); ++i) {
    auto [it, isNew] = byName.try_emplace(layout.aliases[i].name, i);
    if (isNew)
      continue;
    layout.aliases[i].blocked = true;
    report("TW0019", layout.aliases[i].nameRange,
           "alias '" + layout.aliases[i].name.substr(0, 200) +
               "' is defined twice");
  }
  const size_t count = layout.aliases.size();
  for (size_t i = 0; i < count; ++i) {
    // Its own name stands in its own text.
    auto own = aliasUseNames[i].find(layout.aliases[i].name);
    if (own != aliasUseNames[i].end() && --own->second == 0)
      aliasUseNames[i].erase(own);
    layout.aliases[i].uses = resolve(aliasUseNames[i], byName);
  }

  // Depth and written-out size of each, depth first without recursion.
  std::vector<int> state(count, 0), depth(count, 1);
  std::vector<int64_t> size(count, 0);
  for (size_t root = 0; root < count; ++root) {
    if (state[root])
      continue;
    std::vector<std::pair<size_t, size_t>> path{{root, 0}};
    state[root] = 1;
    while (!path.empty()) {
      auto &[index, next] = path.back();
      AliasSpan &alias = layout.aliases[index];
      if (next < alias.uses.size()) {
        size_t used = alias.uses[next++];
        if (state[used] == 1) {
          if (!alias.blocked)
            report("TW0011", alias.nameRange,
                   "alias '" + alias.name.substr(0, 200) +
                       "' refers to itself");
          alias.blocked = true;
        } else if (state[used] == 0) {
          state[used] = 1;
          path.push_back({used, 0});
        }
        continue;
      }
      state[index] = 2;
      size[index] = alias.tokens;
      for (size_t used : alias.uses) {
        depth[index] = std::max(depth[index], depth[used] + 1);
        int64_t times = aliasUseNames[index][layout.aliases[used].name];
        size[index] = std::min<int64_t>(
            size[index] +
                std::min<int64_t>(size[used], int64_t(1) << 30) * times,
            int64_t(1) << 40);
        if (layout.aliases[used].blocked)
          alias.blocked = true;
      }
      if (!alias.blocked && depth[index] > limits.aliasDepth) {
        alias.blocked = true;
        report("TW0011", alias.nameRange,
               "alias chain too deep: '" + alias.name.substr(0, 200) +
                   "' stands on " + std::to_string(depth[index] - 1) +
                   " others of " + std::to_string(limits.aliasDepth - 1) +
                   " allowed");
      } else if (!alias.blocked && size[index] > limits.aliasTokens) {
        alias.blocked = true;
        report("TW0012", alias.nameRange,
               "alias '" + alias.name.substr(0, 200) + "' is " +
                   (size[index] >= int64_t(1) << 30
                        ? std::string("more than a thousand million")
                        : std::to_string(size[index])) +
                   " tokens long when written out; " +
                   std::to_string(limits.aliasTokens) + " are allowed");
      }
      path.pop_back();
    }
  }

  for (size_t i = 0; i < count; ++i)
    layout.aliases[i].writtenOut = size[i];
  for (size_t i = 0; i < layout.chunks.size(); ++i)
    resolveChunk(i, byName);
}

SourceLayout Splitter::run() {
  if (int64_t(text.size()) > limits.textBytes) {
    layout.tooLarge = true;
    report("TW0002", {0, 1},
           "text too large: " + std::to_string(text.size()) + " bytes of " +
               std::to_string(limits.textBytes) + " allowed");
    return std::move(layout);
  }
  findLongLines();
  std::vector<TextRange> longLines;
  for (const Diagnostic &diagnostic : layout.diagnostics)
    longLines.push_back(diagnostic.range);

  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next())
    take(token);
  if (entity != Entity::None) {
    reportUnclosed();
    finish();
  }
  for (int open : openModules)
    report(
        "TW0006",
        {layout.modules[open].header.end - 1, layout.modules[open].header.end},
        "'{' is never closed");
  if (lexer.sawHiddenNul())
    report("TW0003",
           {int64_t(lexer.hiddenNulAt()), int64_t(lexer.hiddenNulAt()) + 1},
           "zero byte in a string or a comment",
           "save the file as plain UTF-8 text");

  resolveAliases();
  for (const TextRange &line : longLines) {
    for (ChunkSpan &chunk : layout.chunks)
      if (chunk.range.begin < line.end && line.begin < chunk.range.end)
        chunk.blocked = true;
    // The range shown is the line's head; a chunk may begin behind it.
    const void *found = std::memchr(text.data() + line.begin, '\n',
                                    text.size() - size_t(line.begin));
    int64_t lineEnd = found ? static_cast<const char *>(found) - text.data()
                            : int64_t(text.size());
    for (ChunkSpan &chunk : layout.chunks)
      if (chunk.range.begin < lineEnd && line.begin < chunk.range.end)
        chunk.blocked = true;
    for (AliasSpan &alias : layout.aliases)
      if (alias.range.begin < lineEnd && line.begin < alias.range.end)
        alias.blocked = true;
  }
  if (!longLines.empty())
    for (ChunkSpan &chunk : layout.chunks)
      for (size_t used : aliasClosure(layout, chunk.aliases))
        chunk.blocked |= layout.aliases[used].blocked;
  return std::move(layout);
}

SourceLayout splitSource(std::string_view text, const SourceLimits &limits) {
  return Splitter(text, limits).run();
}

std::vector<size_t> aliasClosure(const SourceLayout &layout,
                                 const std::vector<size_t> &direct) {
  std::vector<size_t> order;
  std::unordered_set<size_t> seen;
  for (size_t root : direct) {
    if (!seen.insert(root).second)
      continue;
    std::vector<std::pair<size_t, size_t>> path{{root, 0}};
    while (!path.empty()) {
      auto &[index, next] = path.back();
      if (next < layout.aliases[index].uses.size()) {
        size_t used = layout.aliases[index].uses[next++];
        if (seen.insert(used).second)
          path.push_back({used, 0});
        continue;
      }
      order.push_back(index);
      path.pop_back();
    }
  }
  return order;
}

} // namespace tilewright::frontend
