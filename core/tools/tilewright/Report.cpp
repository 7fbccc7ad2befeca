//===- Report.cpp - diagnostics for a person ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/Report.h"
#include "core/tools/tilewright/Table.h"
#include "lsp/protocol/LineTable.h"
#include "lsp/protocol/Uri.h"
#include "lsp/protocol/Utf8.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace tilewright::tool {

namespace {

using lsp::LineTable;
using lsp::PositionEncoding;

constexpr int64_t shownBefore = 60, shownAfter = 80;

struct Style {
  const char *begin;
  const char *end;
};

Style styleOf(model::Severity severity, bool color) {
  if (!color)
    return {"", ""};
  switch (severity) {
  case model::Severity::Error:
    return {"\033[1;31m", "\033[0m"};
  case model::Severity::Warning:
    return {"\033[1;35m", "\033[0m"};
  default:
    return {"\033[1;36m", "\033[0m"};
  }
}

const char *word(model::Severity severity) {
  switch (severity) {
  case model::Severity::Error:
    return "error";
  case model::Severity::Warning:
    return "warning";
  case model::Severity::Information:
    return "note";
  case model::Severity::Hint:
    return "hint";
  }
  return "error";
}

std::string displayOf(const std::string &uri, const SourceFile *source) {
  if (source && (uri.empty() || uri == source->uri))
    return source->display;
  return printable(lsp::pathFromUri(uri));
}

/// "file:line:column", in code points from 1.
std::string place(const std::string &display, const SourceFile *source,
                  const LineTable *lines, int64_t offset) {
  if (!lines)
    return display;
  lsp::Position at =
      lines->position(source->text, offset, PositionEncoding::Utf32);
  // A byte order mark is no column a person can see.
  if (at.line == 0 && source->text.starts_with("\xEF\xBB\xBF") &&
      at.character > 0)
    --at.character;
  return display + ":" + std::to_string(at.line + 1) + ":" +
         std::to_string(at.character + 1);
}

/// The part of the line around the range, and a caret line below it.
std::string excerpt(const SourceFile &source, const LineTable &lines,
                    model::TextRange range) {
  const std::string &text = source.text;
  int64_t size = static_cast<int64_t>(text.size());
  range.begin = std::clamp<int64_t>(range.begin, 0, size);
  range.end = std::clamp<int64_t>(range.end, range.begin, size);
  int64_t line = lines.lineAt(range.begin);
  int64_t begin = lines.lineStart(line), end = lines.lineEnd(text, line);
  if (begin == 0 && text.starts_with("\xEF\xBB\xBF"))
    begin = std::min<int64_t>(3, end);
  range.begin = std::clamp(range.begin, begin, end);
  auto isBoundary = [&](int64_t at) {
    return at >= end || (text[at] & 0xC0) != 0x80;
  };
  int64_t from = std::max(begin, range.begin - shownBefore);
  int64_t to = std::min(end, range.begin + shownAfter);
  while (from > begin && !isBoundary(from))
    --from;
  while (to < end && !isBoundary(to))
    ++to;
  std::string_view view(text);
  std::string head = printable(view.substr(from, range.begin - from));
  std::string rest = printable(view.substr(range.begin, to - range.begin));
  if (from > begin)
    head = "…" + head;
  int64_t marked =
      std::min(std::min(range.end, to) - range.begin, to - range.begin);
  size_t width = std::max<size_t>(
      1, displayWidth(printable(view.substr(range.begin, marked))));
  std::string result = "  " + head + rest + (to < end ? "…" : "") + "\n  ";
  result += std::string(displayWidth(head), ' ') + "^" +
            std::string(width - 1, '~') + "\n";
  return result;
}

} // namespace

std::string formatDiagnostic(const model::Diagnostic &diagnostic,
                             const SourceFile *source, bool color) {
  // Without a range the message is about the whole, not about its first byte.
  bool located = source && diagnostic.uri == source->uri &&
                 (diagnostic.range.begin != 0 || diagnostic.range.end != 0);
  LineTable lines;
  if (source && (located || !diagnostic.related.empty()))
    lines = LineTable(source->text);

  std::string result;
  std::string display = diagnostic.uri.empty()
                            ? std::string()
                            : displayOf(diagnostic.uri, source);
  if (display.empty())
    display = "tilewright";
  result += place(display, source, located ? &lines : nullptr,
                  diagnostic.range.begin);
  Style style = styleOf(diagnostic.severity, color);
  result += std::string(": ") + style.begin + word(diagnostic.severity) + ":" +
            style.end + " ";
  // Messages may have lines of their own; other control characters go.
  std::string message;
  std::string_view rest = diagnostic.message;
  while (true) {
    size_t newline = rest.find('\n');
    message += printable(rest.substr(0, newline));
    if (newline == std::string_view::npos)
      break;
    message += "\n  ";
    rest.remove_prefix(newline + 1);
  }
  result += message;
  if (!diagnostic.code.empty())
    result += " [" + diagnostic.code + "]";
  result += "\n";
  if (located)
    result += excerpt(*source, lines, diagnostic.range);
  if (!diagnostic.hint.empty())
    result += "  hint: " + printable(diagnostic.hint) + "\n";
  for (const model::RelatedInformation &related : diagnostic.related) {
    bool here = source && related.uri == source->uri;
    result += place(displayOf(related.uri, source), source,
                    here ? &lines : nullptr, related.range.begin) +
              ": note: " + printable(related.message) + "\n";
    // The line above need not be repeated.
    if (here && related.range != diagnostic.range)
      result += excerpt(*source, lines, related.range);
  }
  return result;
}

void printDiagnostics(const std::vector<model::Diagnostic> &diagnostics,
                      const SourceFile *source) {
  constexpr size_t most = 50;
  bool color = ::isatty(2) && !std::getenv("NO_COLOR");
  std::string text;
  for (size_t i = 0; i < std::min(most, diagnostics.size()); ++i)
    text += formatDiagnostic(diagnostics[i], source, color);
  if (diagnostics.size() > most)
    text += "… and " + std::to_string(diagnostics.size() - most) + " more\n";
  std::fputs(text.c_str(), stderr);
}

bool hasError(const std::vector<model::Diagnostic> &diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](auto &d) {
    return d.severity == model::Severity::Error;
  });
}

} // namespace tilewright::tool
