//===- Formatting.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blanks do mean something in two places of MLIR's syntax: between a number or
// name and what touches it (4x8xf32, %0#1), and in the bodies of types and
// attributes of dialects, which may keep them as they are. So what touches is
// never parted but around the signs named below, what is parted never joined
// but before a comma, and nothing is touched within `<…>`.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Formatting.h"
#include "core/frontend/SourceDocument.h"
#include "core/frontend/SourceLexer.h"
#include <algorithm>

namespace tilewright::frontend {

using model::TextRange;

namespace {

/// A stretch of the text that is laid out by itself.
struct Piece {
  enum Kind { Alias, ModuleHead, ModuleEnd, Chunk, Resources } kind;
  TextRange range;
  int depth = 0;    ///< regions around it
  size_t chunk = 0; ///< for Chunk
};

/// What lies between two tokens: comments, and how many line ends before each
/// and behind the last.
struct Gap {
  struct Comment {
    int lines;
    TextRange range;
  };
  std::vector<Comment> comments;
  int lines = 0;
  bool blank = true; ///< there is nothing else
};

class Formatter {
public:
  Formatter(const SourceSnapshot &source, const FormatOptions &options,
            std::optional<TextRange> within)
      : source(source), text(source.text), options(options), within(within) {
    size_t end = text.find('\n');
    newline = end != std::string_view::npos && end > 0 && text[end - 1] == '\r'
                  ? "\r\n"
                  : "\n";
    if (within) {
      // Whole lines.
      auto clamp = [&](int64_t at) {
        return size_t(std::clamp<int64_t>(at, 0, int64_t(text.size())));
      };
      size_t begin = clamp(within->begin), stop = clamp(within->end);
      size_t line = begin == 0 ? begin : text.rfind('\n', begin - 1);
      this->within->begin = line == std::string_view::npos ? 0 : int64_t(line);
      this->within->end = int64_t(std::min(text.find('\n', stop), text.size()));
    }
  }

  std::vector<TextEdit> run();

private:
  bool concerns(TextRange range) const {
    return !within ||
           (range.begin <= within->end && range.end >= within->begin);
  }
  std::vector<Piece> pieces() const;
  Gap gapIn(TextRange range) const;
  std::string indentOf(int depth) const {
    return options.tabs ? std::string(size_t(depth), '\t')
                        : std::string(size_t(depth * options.indent), ' ');
  }
  /// Of the line that `at` is on: how many columns of blanks it begins with.
  int columnsBefore(int64_t at) const;
  std::string columns(int count) const {
    return options.tabs ? std::string(size_t(count / options.indent), '\t') +
                              std::string(size_t(count % options.indent), ' ')
                        : std::string(size_t(count), ' ');
  }
  void replace(TextRange range, const std::string &by);
  /// Lays out a gap with line ends. Comments on lines of their own get
  /// `comments` before them, what follows gets `next`.
  void layOut(TextRange range, const Gap &gap, const std::string &comments,
              const std::string &next, int leastLines);
  void formatChunk(const Piece &piece);
  void formatFlat(const Piece &piece);

  const SourceSnapshot &source;
  std::string_view text;
  FormatOptions options;
  std::optional<TextRange> within;
  std::string newline;
  std::vector<TextEdit> edits;
};

std::vector<Piece> Formatter::pieces() const {
  const SourceLayout &layout = source.layout;
  std::vector<Piece> all;
  std::vector<int> depths(layout.modules.size(), 0);
  for (size_t m = 0; m < layout.modules.size(); ++m) {
    const ModuleSpan &module = layout.modules[m];
    int depth = module.parent < 0 ? 0 : depths[size_t(module.parent)] + 1;
    depths[m] = depth;
    all.push_back({Piece::ModuleHead, module.header, depth});
    if (module.end > module.header.end && text[size_t(module.end) - 1] == '}')
      all.push_back({Piece::ModuleEnd, {module.end - 1, module.end}, depth});
  }
  for (size_t c = 0; c < layout.chunks.size(); ++c) {
    const ChunkSpan &chunk = layout.chunks[c];
    int depth = chunk.module < 0 ? 0 : depths[size_t(chunk.module)] + 1;
    all.push_back({Piece::Chunk, chunk.range, depth, c});
  }
  for (const AliasSpan &alias : layout.aliases)
    all.push_back({Piece::Alias, alias.range});
  if (layout.metadata.end > layout.metadata.begin)
    all.push_back({Piece::Resources, layout.metadata});
  std::sort(all.begin(), all.end(), [](const Piece &a, const Piece &b) {
    return a.range.begin < b.range.begin;
  });
  return all;
}

Gap Formatter::gapIn(TextRange range) const {
  Gap gap;
  for (int64_t at = range.begin; at < range.end;) {
    char c = text[size_t(at)];
    if (c == '\n') {
      ++gap.lines;
      ++at;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (c == '/' && text.substr(size_t(at), 2) == "//") {
      auto end = std::min<int64_t>(
          int64_t(
              std::min(text.find_first_of("\r\n", size_t(at)), text.size())),
          range.end);
      int64_t stop = end;
      while (stop > at &&
             (text[size_t(stop) - 1] == ' ' || text[size_t(stop) - 1] == '\t'))
        --stop;
      gap.comments.push_back({gap.lines, {at, stop}});
      gap.lines = 0;
      at = end;
    } else {
      gap.blank = false;
      return gap;
    }
  }
  return gap;
}

int Formatter::columnsBefore(int64_t at) const {
  size_t line =
      at == 0 ? std::string_view::npos : text.rfind('\n', size_t(at) - 1);
  line = line == std::string_view::npos ? 0 : line + 1;
  int count = 0;
  for (; line < text.size(); ++line) {
    if (text[line] == '\t')
      count += options.indent - count % options.indent;
    else if (text[line] == ' ')
      ++count;
    else
      break;
  }
  return count;
}

void Formatter::replace(TextRange range, const std::string &by) {
  if (!concerns(range) ||
      text.substr(size_t(range.begin), size_t(range.end - range.begin)) == by)
    return;
  edits.push_back({range.begin, range.end, by});
}

void Formatter::layOut(TextRange range, const Gap &gap,
                       const std::string &comments, const std::string &next,
                       int leastLines) {
  auto lineEnds = [&](int lines, int least) {
    std::string ends;
    for (int i = 0; i < std::clamp(lines, least, 2); ++i)
      ends += newline;
    return ends;
  };
  int64_t at = range.begin;
  bool first = true;
  for (const Gap::Comment &comment : gap.comments) {
    // One behind a token stays there, as far from it as it is.
    if (!first || comment.lines > 0 || at == 0)
      replace({at, comment.range.begin},
              (at == 0 ? "" : lineEnds(comment.lines, 1)) + comments);
    at = comment.range.end;
    first = false;
  }
  int least = gap.comments.empty() ? leastLines : 1;
  replace({at, range.end}, (range.begin == 0 && gap.comments.empty()
                                ? std::string()
                                : lineEnds(gap.lines, least)) +
                               next);
}

/// Whether the brackets of `tokens` match, those of `<…>` included, and each
/// token is one. Fills `angle`: whether it is within `<…>`.
bool isSound(const std::vector<Token> &tokens, std::vector<bool> &angle) {
  std::string open;
  int angles = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token.kind == TokenKind::OpenString || token.kind == TokenKind::Nul ||
        token.kind == TokenKind::Bytes)
      return false;
    bool inside = angles > 0;
    if (token.kind == TokenKind::Sign) {
      auto touches = [&](size_t j, char sign) {
        return j < tokens.size() && tokens[j].is(sign) &&
               (j > i ? token.end == tokens[j].begin
                      : tokens[j].end == token.begin);
      };
      switch (token.sign) {
      case '(':
      case '[':
      case '{':
        open += token.sign;
        break;
      case '<':
        if (!touches(i + 1, '=')) {
          open += '<';
          ++angles;
        }
        break;
      case '>':
        // A greater-than of an expression closes nothing.
        if (!open.empty() && open.back() == '<') {
          open.pop_back();
          --angles;
          inside = true;
        }
        break;
      case ')':
      case ']':
      case '}': {
        char opener = token.sign == ')' ? '(' : token.sign == ']' ? '[' : '{';
        if (open.empty() || open.back() != opener)
          return false;
        open.pop_back();
        break;
      }
      default:
        break;
      }
    }
    angle.push_back(inside);
  }
  return open.empty();
}

/// Where statements begin, told by their look: for a function that cannot be
/// read, of whose lines none is broken or joined.
bool looksLikeStatement(std::string_view text, const std::vector<Token> &tokens,
                        size_t index) {
  auto at = [&](size_t i) { return i < tokens.size() ? tokens[i] : Token(); };
  auto word = [&](const Token &token) {
    return text.substr(token.begin, token.end - token.begin);
  };
  Token token = at(index);
  if (!token.startsLine)
    return false;
  switch (token.kind) {
  case TokenKind::Value:
    // `%a, %b:2 =`: names and counts up to the equals sign.
    while (at(index).kind == TokenKind::Value) {
      index += at(index + 1).is(':') ? 3 : 1;
      if (!at(index).is(','))
        return at(index).is('=');
      ++index;
    }
    return false;
  case TokenKind::Identifier:
    return word(token) == "return" ||
           (word(token).find('.') != std::string_view::npos &&
            !at(index + 1).is('='));
  case TokenKind::String:
    return at(index + 1).is('(');
  case TokenKind::BlockLabel:
    return at(index + 1).is(':') || at(index + 1).is('(');
  default:
    return false;
  }
}

void Formatter::formatChunk(const Piece &piece) {
  const ChunkSpan &span = source.layout.chunks[piece.chunk];
  const ParsedChunk *parsed = source.chunks[piece.chunk].get();
  if (span.blocked || span.unbalanced || !parsed)
    return;
  std::string_view part = text.substr(
      size_t(piece.range.begin), size_t(piece.range.end - piece.range.begin));
  std::vector<Token> tokens;
  SourceLexer lexer(part);
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next())
    tokens.push_back(token);
  std::vector<bool> angle;
  if (lexer.sawHiddenNul() || !isSound(tokens, angle))
    return;

  // Which tokens begin operations, and which braces hold them.
  std::vector<bool> begins(tokens.size(), false);
  if (parsed->complete) {
    auto op = parsed->operations.begin();
    for (size_t i = 0; i < tokens.size(); ++i) {
      while (op != parsed->operations.end() &&
             op->range.begin < tokens[i].begin)
        ++op;
      begins[i] =
          op != parsed->operations.end() && op->range.begin == tokens[i].begin;
    }
  } else {
    for (size_t i = 0; i < tokens.size(); ++i)
      begins[i] = looksLikeStatement(part, tokens, i);
  }
  auto isLabel = [&](size_t i) {
    return tokens[i].kind == TokenKind::BlockLabel &&
           (tokens[i].startsLine || (i > 0 && tokens[i - 1].is('{'))) &&
           (i == 0 || !tokens[i - 1].is(',')) &&
           (i == 0 || !tokens[i - 1].is('['));
  };

  std::vector<bool> open; ///< for each bracket, whether it is a region
  int depth = piece.depth;
  int shift = 0; ///< of the line the statement began on
  if (!tokens.empty() && piece.range.begin > 0) {
    int64_t first = piece.range.begin + tokens[0].begin;
    bool own = tokens[0].startsLine && tokens[0].begin == 0;
    size_t line = text.rfind('\n', size_t(first) - 1);
    std::string_view before = text.substr(
        line == std::string_view::npos ? 0 : line + 1,
        size_t(first) - (line == std::string_view::npos ? 0 : line + 1));
    if (own && before.find_first_not_of(" \t") == std::string_view::npos)
      shift = int(piece.depth * options.indent) - columnsBefore(first);
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    bool opens = token.is('(') || token.is('[') || token.is('{');
    bool closes = token.is(')') || token.is(']') || token.is('}');
    bool closesRegion = closes && !open.empty() && open.back();
    if (closes && !open.empty()) {
      depth -= open.back();
      open.pop_back();
    }
    if (i > 0) {
      const Token &previous = tokens[i - 1];
      TextRange range{piece.range.begin + previous.end,
                      piece.range.begin + token.begin};
      std::string_view between =
          text.substr(size_t(range.begin), size_t(range.end - range.begin));
      bool newLine = between.find('\n') != std::string_view::npos;
      bool label = isLabel(i);
      bool breaks = begins[i] || label || closesRegion;
      // Of a function that cannot be read the lines stay.
      bool mayBreak = parsed->complete || newLine;
      int ownDepth = label ? std::max(0, depth - 1) : depth;
      if (breaks && mayBreak)
        shift =
            newLine ? ownDepth * options.indent - columnsBefore(range.end) : 0;
      if (!concerns(range)) {
        // Nothing but what later lines go by.
      } else if (breaks && mayBreak) {
        layOut(range, gapIn(range), indentOf(depth + (closesRegion ? 1 : 0)),
               indentOf(ownDepth), 1);
      } else if (newLine) {
        std::string same =
            columns(std::max(0, columnsBefore(range.end) + shift));
        if (!angle[i])
          layOut(range, gapIn(range), same, same, 1);
      } else if (!angle[i] && !(angle[i - 1] && !previous.is('>'))) {
        auto touchesSign = [&](size_t j) {
          // One of `==`, `>=`, `<=`, `!=`.
          return j < tokens.size() && tokens[j].kind == TokenKind::Sign &&
                 std::string_view("=<>!").find(tokens[j].sign) !=
                     std::string_view::npos;
        };
        bool equals =
            (token.is('=') && !touchesSign(i - 1) && !touchesSign(i + 1)) ||
            (previous.is('=') && !touchesSign(i) &&
             (i < 2 || !touchesSign(i - 2)));
        bool arrow =
            token.kind == TokenKind::Arrow || previous.kind == TokenKind::Arrow;
        bool brace = token.is('{') && (previous.is(')') || previous.is('>') ||
                                       (previous.kind != TokenKind::Sign &&
                                        previous.kind != TokenKind::Attribute &&
                                        previous.kind != TokenKind::Type));
        if (token.is(','))
          replace(range, "");
        else if (previous.is(',') || equals || arrow || brace)
          replace(range, " ");
        else if (!between.empty())
          replace(range, " ");
      }
    }
    if (opens) {
      bool region = token.is('{') && i + 1 < tokens.size() &&
                    (begins[i + 1] || isLabel(i + 1));
      open.push_back(region);
      depth += region;
    }
  }
}

void Formatter::formatFlat(const Piece &piece) {
  // Line ends in it stay; nothing stays behind them.
  std::string_view part = text.substr(
      size_t(piece.range.begin), size_t(piece.range.end - piece.range.begin));
  SourceLexer lexer(part);
  uint32_t previous = 0;
  std::vector<TextEdit> found;
  for (Token token = lexer.next(); token.kind != TokenKind::End;
       token = lexer.next()) {
    if (token.kind == TokenKind::OpenString || token.kind == TokenKind::Nul)
      return;
    for (uint32_t at = previous; at < token.begin;) {
      size_t end = part.find('\n', at);
      if (end == std::string_view::npos || end >= token.begin)
        break;
      size_t stop = end > 0 && part[end - 1] == '\r' ? end - 1 : end;
      size_t first = stop;
      while (first > previous &&
             (part[first - 1] == ' ' || part[first - 1] == '\t'))
        --first;
      if (first < stop)
        found.push_back({piece.range.begin + int64_t(first),
                         piece.range.begin + int64_t(stop), ""});
      at = uint32_t(end) + 1;
    }
    previous = token.end;
  }
  for (TextEdit &edit : found)
    if (concerns({edit.begin, edit.end}))
      edits.push_back(std::move(edit));
}

std::vector<TextEdit> Formatter::run() {
  if (source.layout.tooLarge)
    return {};
  std::vector<Piece> all = pieces();
  int64_t at = 0;
  // A byte order mark stays what the text begins with.
  if (text.starts_with("\xEF\xBB\xBF"))
    at = 3;
  for (size_t p = 0; p <= all.size(); ++p) {
    TextRange range{at,
                    p < all.size() ? all[p].range.begin : int64_t(text.size())};
    if (range.end < range.begin)
      continue; // within the one before
    if (concerns(range)) {
      Gap gap = gapIn(range);
      if (gap.blank && p == all.size()) {
        // The last line has an end, and none follows.
        bool nothing = gap.comments.empty() && p == 0;
        gap.lines = std::min(gap.lines, 1);
        if (!nothing)
          layOut(range, gap, indentOf(0), "", 1);
      } else if (gap.blank) {
        const Piece &next = all[p];
        bool end = next.kind == Piece::ModuleEnd;
        bool still = next.kind == Piece::Resources ||
                     (next.kind == Piece::Chunk &&
                      (source.layout.chunks[next.chunk].blocked ||
                       source.layout.chunks[next.chunk].unbalanced));
        if (!still)
          layOut(range, gap, indentOf(next.depth + (end ? 1 : 0)),
                 indentOf(next.depth), 1);
      }
    }
    if (p == all.size())
      break;
    const Piece &piece = all[p];
    if (concerns(piece.range)) {
      if (piece.kind == Piece::Chunk)
        formatChunk(piece);
      else if (piece.kind == Piece::Alias || piece.kind == Piece::ModuleHead)
        formatFlat(piece);
    }
    at = std::max(at, piece.range.end);
  }
  return std::move(edits);
}

} // namespace

std::vector<TextEdit> formattingEdits(const SourceSnapshot &source,
                                      const FormatOptions &given,
                                      std::optional<TextRange> within) {
  FormatOptions options = given;
  options.indent = std::clamp(options.indent, 1, 16);
  return Formatter(source, options, within).run();
}

} // namespace tilewright::frontend
