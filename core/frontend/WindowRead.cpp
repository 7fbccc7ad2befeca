//===- WindowRead.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/WindowRead.h"
#include "core/frontend/KeyAssignment.h"
#include "core/frontend/MovedSnapshot.h"
#include "core/frontend/SourceLexer.h"
#include "core/frontend/SourcePlace.h"
#include "core/frontend/TextChange.h"
#include <algorithm>
#include <map>

namespace tilewright::frontend {

using model::TextRange;

namespace {

/// Operations in a window at most, those around the change included.
constexpr size_t mostOperations = 64;
/// Operations behind the change that are read with it: a statement that breaks
/// off is told where the next one begins, or the one after that.
constexpr size_t behind = 4;

/// Operations whose region is one block, and sees what is outside.
bool isPlain(std::string_view name) {
  return name == "func.func" || name == "scf.for" || name == "scf.if" ||
         name == "affine.for" || name == "affine.if";
}

class WindowReader {
public:
  WindowReader(mlir::MLIRContext &context, const std::string &bufferName,
               const SourceLimits &limits, const ChunkInput &input,
               const ParsedChunk &right)
      : context(context), bufferName(bufferName), limits(limits), input(input),
        right(right), change(changeBetween(right.text, input.text)),
        shift(int64_t(input.text.size()) - int64_t(right.text.size())) {}

  std::shared_ptr<ParsedChunk> run(const std::atomic<bool> *cancel);

private:
  std::string_view nameOf(const ParsedValue &value) const {
    return std::string_view(right.text)
        .substr(value.definition.begin,
                value.definition.end - value.definition.begin);
  }
  bool hasRegion(size_t op) const {
    return op + 1 < right.operations.size() &&
           right.operations[op + 1].range.begin <
               right.operations[op].range.end;
  }
  bool findWindow();
  bool findEnclosing();
  bool readTokens();
  bool findValuesOutside();
  bool isVisible(const ParsedValue &value) const;
  bool sameValues(const ParsedChunk &parsed, bool all) const;
  std::shared_ptr<ParsedChunk> joined(const ParsedChunk &parsed) const;

  mlir::MLIRContext &context;
  const std::string &bufferName;
  const SourceLimits &limits;
  const ChunkInput &input;
  const ParsedChunk &right;
  const TextChange change;
  const int64_t shift;

  // The window: whole lines with operations [first, last) of the right text.
  uint32_t begin = 0, end = 0; ///< in the right text
  size_t first = 0, last = 0;
  size_t changed = 0; ///< behind the last operation that the change touches
  std::string text;   ///< its text now
  std::vector<uint32_t> enclosing; ///< operations around it

  struct Name {
    ChunkRange range; ///< in the window
    bool defines = false;
    bool startsLine = false;
    std::string_view text;
  };
  std::vector<Name> names;
  std::map<std::string_view, uint32_t> outside; ///< values by name
  std::vector<uint32_t> own; ///< values of [first, last), by definition
  bool repeated = false;     ///< one of their names is defined elsewhere, too
};

/// Makes [from, to) whole lines.
void widen(std::string_view text, uint32_t &from, uint32_t &to) {
  size_t next = text.find('\n', to > from ? to - 1 : to);
  size_t line = from ? text.rfind('\n', from - 1) : std::string_view::npos;
  from = line == std::string_view::npos ? 0 : uint32_t(line + 1);
  to = uint32_t(next == std::string_view::npos ? text.size() : next + 1);
}

bool WindowReader::findWindow() {
  const auto &ops = right.operations;
  begin = uint32_t(change.begin);
  end = uint32_t(change.end);
  widen(right.text, begin, end);
  auto firstFrom = [&](uint32_t at) {
    return size_t(std::lower_bound(ops.begin(), ops.end(), at,
                                   [](const ParsedOperation &op, uint32_t at) {
                                     return op.range.begin < at;
                                   }) -
                  ops.begin());
  };
  // Statements of several lines make it longer.
  for (int round = 0;; ++round) {
    const uint32_t oldBegin = begin, oldEnd = end;
    first = firstFrom(begin);
    // The one before may reach into it.
    if (first > 0 && !hasRegion(first - 1) && ops[first - 1].range.end > begin)
      begin = ops[first - 1].range.begin;
    last = firstFrom(end);
    if (last > first)
      end = std::max(end, ops[last - 1].range.end);
    widen(right.text, begin, end);
    if (begin == oldBegin && end == oldEnd)
      break;
    if (round == 4)
      return false;
  }
  changed = last;
  // And what is behind it on the same level.
  while (last > first && last < ops.size() && last < changed + behind &&
         !hasRegion(last) && ops[last].range.begin >= end) {
    uint32_t from = ops[last].range.begin, to = ops[last].range.end;
    widen(right.text, from, to);
    // Between them nothing closes, and the next begins on a line of its own.
    if (from != end || right.text.find('\n', from) + 1 < ops[last].range.end ||
        (last + 1 < ops.size() && ops[last + 1].range.begin < to))
      break;
    // What has no name stays outside; so does what ends the block.
    if (right.text[ops[last].range.begin] != '%')
      break;
    end = to;
    ++last;
  }
  if (first == last || last - first > mostOperations)
    return false;
  for (size_t i = first; i < last; ++i)
    if (hasRegion(i) || ops[i].range.begin < begin || ops[i].range.end > end ||
        !ops[i].symbol.empty())
      return false;
  text = input.text.substr(begin, size_t(int64_t(end - begin) + shift));
  return true;
}

bool WindowReader::findEnclosing() {
  const auto &ops = right.operations;
  for (size_t i = first; i-- > 0;) {
    if (ops[i].range.end <= begin)
      continue;
    if (ops[i].range.end < end || !isPlain(right.names[ops[i].name]) ||
        headerEnd(right, int(i)) >= begin)
      return false;
    enclosing.push_back(uint32_t(i));
  }
  return !enclosing.empty() && right.definitions.size() == 1 &&
         enclosing.back() == right.definitions.front() &&
         right.names[ops[enclosing.back()].name] == "func.func";
}

/// Collects the names in both windows; false unless they define the same.
bool WindowReader::readTokens() {
  auto read = [](std::string_view text, std::vector<Name> &names,
                 std::vector<std::string_view> &defined) {
    SourceLexer lexer(text);
    std::string open;
    std::vector<size_t> pending; // at a line's begin, until `=`
    bool heads = false;
    for (Token token = lexer.next(); token.kind != TokenKind::End;
         token = lexer.next()) {
      if (token.startsLine)
        heads = open.empty();
      switch (token.kind) {
      case TokenKind::BlockLabel:
      case TokenKind::OpenString:
      case TokenKind::Nul:
      case TokenKind::Bytes:
        return false;
      case TokenKind::Value:
        if (heads)
          pending.push_back(names.size());
        names.push_back({{token.begin, token.end},
                         false,
                         token.startsLine,
                         lexer.textOf(token)});
        break;
      case TokenKind::Sign:
        if (token.sign == '(' || token.sign == '[' || token.sign == '{') {
          open += token.sign;
        } else if (token.sign == ')' || token.sign == ']' ||
                   token.sign == '}') {
          char opener = token.sign == ')' ? '(' : token.sign == ']' ? '[' : '{';
          if (open.empty() || open.back() != opener)
            return false;
          open.pop_back();
        }
        if (token.sign == '=' && heads) {
          for (size_t index : pending) {
            names[index].defines = true;
            defined.push_back(names[index].text);
          }
          pending.clear();
          heads = false;
          break;
        }
        if (heads && token.sign != ',' && token.sign != ':')
          heads = false;
        break;
      case TokenKind::Number:
        if (heads && !pending.empty())
          defined.push_back(lexer.textOf(token));
        break;
      case TokenKind::Attribute:
        // Of one of several results.
        if (token.begin > 0 && !names.empty() &&
            names.back().range.end == token.begin)
          return false;
        heads = false;
        break;
      default:
        heads = false;
        break;
      }
      if (!heads)
        pending.clear();
    }
    return open.empty() && !lexer.sawHiddenNul();
  };
  std::vector<Name> before;
  std::vector<std::string_view> definedBefore, definedNow;
  std::string_view old =
      std::string_view(right.text).substr(begin, end - begin);
  if (!read(old, before, definedBefore) || !read(text, names, definedNow) ||
      definedBefore != definedNow)
    return false;
  for (const Name &name : names)
    if (name.defines && isNumberedName(name.text.substr(1)))
      return false; // keys depend on what it is made of
  return true;
}

bool WindowReader::isVisible(const ParsedValue &value) const {
  const auto &ops = right.operations;
  // The operation in whose region it is defined.
  size_t inner;
  uint32_t from = value.definition.begin, to = value.definition.end;
  if (value.operation >= 0) {
    inner = size_t(value.operation);
    from = ops[inner].range.begin;
    to = ops[inner].range.end;
  } else {
    inner = size_t(std::upper_bound(ops.begin(), ops.end(), from,
                                    [](uint32_t at, const ParsedOperation &op) {
                                      return at < op.range.begin;
                                    }) -
                   ops.begin());
  }
  while (inner-- > 0)
    if (ops[inner].range.end >= to)
      return std::find(enclosing.begin(), enclosing.end(), inner) !=
             enclosing.end();
  return false;
}

/// The values from outside that the lines use. False if one is not there.
bool WindowReader::findValuesOutside() {
  std::map<std::string_view, int64_t> wanted; // value, or -1
  std::vector<std::string_view> defined, known, current;
  for (const Name &name : names)
    if (name.defines)
      defined.push_back(name.text);
  auto contains = [](const auto &list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const Name &name : names) {
    if (name.startsLine) {
      // A statement does not see what it defines.
      known.insert(known.end(), current.begin(), current.end());
      current.clear();
    }
    if (name.defines)
      current.push_back(name.text);
    else if (contains(known, name.text))
      continue;
    else if (contains(defined, name.text))
      return false; // used before it is defined
    else
      wanted[name.text] = -1;
  }
  for (size_t v = 0; v < right.values.size(); ++v) {
    const ParsedValue &value = right.values[v];
    if (value.operation >= int64_t(first) && value.operation < int64_t(last)) {
      own.push_back(uint32_t(v));
      continue;
    }
    const std::string_view name = nameOf(value);
    repeated |= contains(defined, name);
    if (wanted.empty() || value.definition.begin >= begin)
      continue;
    auto it = wanted.find(name);
    if (it == wanted.end() || !isVisible(value))
      continue;
    if (it->second >= 0 || value.count != 1)
      return false;
    it->second = int64_t(v);
  }
  for (auto [name, value] : wanted) {
    if (value < 0)
      return false;
    outside[name] = uint32_t(value);
  }
  std::sort(own.begin(), own.end(), [&](uint32_t a, uint32_t b) {
    return right.values[a].definition.begin < right.values[b].definition.begin;
  });
  return own.size() == defined.size();
}

/// Whether what was parsed has the types that the right text has, and in the
/// same places: all of it, or what there is.
bool WindowReader::sameValues(const ParsedChunk &parsed, bool all) const {
  if (all && (parsed.operations.size() != last - first ||
              parsed.values.size() != own.size()))
    return false;
  std::map<std::string_view, uint32_t> byName;
  for (uint32_t v : own)
    byName[nameOf(right.values[v])] = v;
  for (const ParsedValue &value : parsed.values) {
    auto it =
        byName.find(std::string_view(parsed.text)
                        .substr(value.definition.begin,
                                value.definition.end - value.definition.begin));
    if (it == byName.end())
      return false;
    const ParsedValue &before = right.values[it->second];
    if (before.count != value.count ||
        before.firstResult != value.firstResult ||
        (all && before.operation - int64_t(first) != value.operation))
      return false;
    for (uint32_t r = 0; r < value.count; ++r)
      if (right.typeOf(before, r) != parsed.typeOf(value, r))
        return false;
  }
  return true;
}

/// The tables of the right text with those of the lines in place of theirs.
std::shared_ptr<ParsedChunk>
WindowReader::joined(const ParsedChunk &parsed) const {
  auto result = std::make_shared<ParsedChunk>(right);
  ParsedChunk &chunk = *result;
  chunk.text = input.text;
  auto move = [&](ChunkRange &range) {
    if (range.begin >= end)
      range.begin = uint32_t(range.begin + shift);
    if (range.end >= end)
      range.end = uint32_t(range.end + shift);
  };
  auto placed = [&](ChunkRange range) {
    return ChunkRange{range.begin + begin, range.end + begin};
  };
  for (size_t i = 0; i < chunk.operations.size(); ++i) {
    ParsedOperation &op = chunk.operations[i];
    if (i < first || i >= last) {
      move(op.range);
      move(op.nameRange);
      continue;
    }
    const ParsedOperation &now = parsed.operations[i - first];
    op.range = placed(now.range);
    op.nameRange = placed(now.nameRange);
    const std::string &name = parsed.names[now.name];
    auto known = std::find(chunk.names.begin(), chunk.names.end(), name);
    op.name = uint32_t(known - chunk.names.begin());
    if (known == chunk.names.end())
      chunk.names.push_back(name);
  }
  for (ParsedValue &value : chunk.values)
    move(value.definition);
  // The lines' own values, by name; each name is written once.
  std::map<std::string_view, uint32_t> meaning = outside;
  for (uint32_t v : own)
    meaning[nameOf(right.values[v])] = v;
  std::vector<ParsedReference> references;
  for (const Name &name : names) {
    uint32_t value = meaning.at(name.text);
    references.push_back({placed(name.range), value});
    if (name.defines)
      chunk.values[value].definition = placed(name.range);
  }
  auto replace = [&](auto &all, auto &&fresh) {
    auto from = std::find_if(all.begin(), all.end(), [&](const auto &each) {
      return each.range.begin >= begin;
    });
    auto to = std::find_if(from, all.end(), [&](const auto &each) {
      return each.range.begin >= end;
    });
    for (auto it = to; it != all.end(); ++it)
      move(it->range);
    from = all.erase(from, to);
    all.insert(from, fresh.begin(), fresh.end());
  };
  replace(chunk.references, references);
  std::vector<ParsedSymbol> symbols = parsed.symbols;
  for (ParsedSymbol &symbol : symbols)
    symbol.range = placed(symbol.range);
  replace(chunk.symbols, symbols);
  std::vector<ParsedCall> calls = parsed.calls;
  for (ParsedCall &call : calls) {
    call.range = placed(call.range);
    for (size_t i = first; i < last; ++i)
      if (chunk.operations[i].nameRange.begin == call.range.begin)
        call.key = chunk.operations[i].key;
  }
  replace(chunk.calls, calls);
  return result;
}

std::shared_ptr<ParsedChunk>
WindowReader::run(const std::atomic<bool> *cancel) {
  if (int64_t(right.text.size()) < limits.windowedBytes ||
      right.prefix != input.prefix || right.suffix != input.suffix ||
      input.unbalanced || right.text.find('^') != std::string::npos ||
      !std::is_sorted(right.calls.begin(), right.calls.end(),
                      [](const ParsedCall &a, const ParsedCall &b) {
                        return a.range.begin < b.range.begin;
                      }))
    return nullptr;
  if (!findWindow() || !findEnclosing() || !readTokens() ||
      !findValuesOutside())
    return nullptr;
  ChunkInput window;
  window.prefix = input.prefix + "func.func private @window(";
  for (auto [name, value] : outside) {
    const std::string &type = right.typeOf(right.values[value], 0);
    if (type.find("…") != std::string::npos)
      return nullptr;
    if (window.prefix.back() != '(')
      window.prefix += ", ";
    const ChunkRange &at = right.values[value].definition;
    window.standIns.push_back(
        {uint32_t(window.prefix.size()),
         {int64_t(at.begin) - begin, int64_t(at.end) - begin}});
    window.prefix.append(name).append(": ").append(type);
  }
  window.prefix += ") { ";
  window.text = text;
  window.suffix = "\nfunc.return\n}" + input.suffix;
  window.modules = input.modules;
  ChunkParser parser(context, bufferName, limits);
  std::shared_ptr<const ParsedChunk> parsed = parser.read(window, cancel);
  if (parsed->cancelled)
    return nullptr;
  if (parsed->diagnostics.empty())
    return parsed->complete && sameValues(*parsed, true) ? joined(*parsed)
                                                         : nullptr;
  // What is wrong near the window's end may be told otherwise by what follows,
  // uses of what is not defined now may find another value, and of a statement
  // of several lines what is left is a second error or not.
  std::string_view lines =
      std::string_view(right.text).substr(begin, end - begin);
  if (size_t(std::count(lines.begin(), lines.end(), '\n')) != last - first)
    return nullptr;
  if (repeated || last < changed + 2 || !sameValues(*parsed, false))
    return nullptr;
  const int64_t safe =
      int64_t(right.operations[changed + 1].range.begin) + shift - begin;
  std::shared_ptr<ParsedChunk> result = movedChunk(right, change, input.text);
  result->diagnostics = parsed->diagnostics;
  for (model::Diagnostic &diagnostic : result->diagnostics) {
    if (diagnostic.range.end >= safe)
      return nullptr;
    auto place = [&](TextRange &range) {
      range = {range.begin + begin, range.end + begin};
    };
    place(diagnostic.range);
    for (model::RelatedInformation &related : diagnostic.related)
      place(related.range);
    // The key is that of an operation of the function around the lines.
    if (!diagnostic.key.empty()) {
      diagnostic.key.clear();
      for (size_t i = first; i < last; ++i)
        if (result->operations[i].nameRange.begin <=
                uint64_t(diagnostic.range.begin) &&
            uint64_t(diagnostic.range.begin) <=
                result->operations[i].nameRange.end)
          diagnostic.key = result->operations[i].key;
      if (diagnostic.key.empty())
        return nullptr;
    }
  }
  return result;
}

} // namespace

std::shared_ptr<const ParsedChunk>
lastRight(const std::shared_ptr<const ParsedChunk> &chunk) {
  if (!chunk || chunk->cancelled)
    return nullptr;
  return chunk->complete && chunk->diagnostics.empty() ? chunk : chunk->right;
}

std::shared_ptr<const ParsedChunk>
readWindow(mlir::MLIRContext &context, const std::string &bufferName,
           const SourceLimits &limits, const ChunkInput &input,
           const std::shared_ptr<const ParsedChunk> &before,
           const std::atomic<bool> *cancel) {
  std::shared_ptr<const ParsedChunk> right = lastRight(before);
  if (!right)
    return nullptr;
  if (right->text == input.text && right->prefix == input.prefix &&
      right->suffix == input.suffix)
    return right;
  std::shared_ptr<ParsedChunk> result =
      WindowReader(context, bufferName, limits, input, *right).run(cancel);
  if (result && !result->complete)
    result->right = right;
  return result;
}

} // namespace tilewright::frontend
