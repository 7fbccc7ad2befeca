//===- OperationDocs.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/OperationDocs.h"
#include <map>
#include <string>

namespace tilewright::frontend {

namespace {

/// The generator's markdown, one text per dialect; see CMakeLists.txt.
const char *const dialectDocs[] = {
#include "core/frontend/OperationDocs.inc"
};

/// What is for a person: summary and description. Syntax in the generator's
/// notation and tables of C++ classes are not.
std::string readable(std::string_view body) {
  for (std::string_view mark :
       {"\nTraits:", "\nInterfaces:", "\nEffects:", "\n#### "})
    body = body.substr(0, body.find(mark));
  std::string text(body);
  size_t syntax = text.find("Syntax:\n");
  if (syntax != std::string::npos) {
    size_t open = text.find("```", syntax);
    size_t close =
        open == std::string::npos ? open : text.find("```", open + 3);
    if (close != std::string::npos)
      text.erase(syntax, close + 3 - syntax);
  }
  // At most one empty line in a row.
  for (size_t at = text.find("\n\n\n"); at != std::string::npos;
       at = text.find("\n\n\n", at))
    text.erase(at, 1);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

/// What is behind `mark` up to the next headline.
std::string_view chapter(std::string_view body, std::string_view mark) {
  size_t at = body.find(mark);
  if (at == std::string_view::npos)
    return {};
  body = body.substr(at + mark.size());
  return body.substr(0, body.find("\n#"));
}

std::string between(std::string_view text, std::string_view open,
                    std::string_view close) {
  size_t begin = text.find(open);
  if (begin == std::string_view::npos)
    return {};
  begin += open.size();
  return std::string(text.substr(begin, text.find(close, begin) - begin));
}

/// Lines "| `name` | description" of the generator's tables.
std::vector<OperationPart> rowsOf(std::string_view table) {
  std::vector<OperationPart> rows;
  for (size_t at = table.find("\n| `"); at != std::string_view::npos;
       at = table.find("\n| `", at + 1)) {
    std::string_view line = table.substr(at + 1);
    line = line.substr(0, line.find('\n'));
    std::string_view rest =
        line.substr(std::min(line.find("` | "), line.size()));
    rows.push_back({between(line, "`", "`"),
                    std::string(rest.substr(std::min<size_t>(4, rest.size()))),
                    ""});
  }
  return rows;
}

OperationShape shapeOf(std::string_view body) {
  OperationShape shape;
  shape.operands = rowsOf(chapter(body, "\n#### Operands:"));
  shape.results = rowsOf(chapter(body, "\n#### Results:"));
  std::string_view table = chapter(body, "\n#### Attributes:");
  for (size_t at = table.find("<tr><td>"); at != std::string_view::npos;
       at = table.find("<tr><td>", at + 1)) {
    std::string_view row = table.substr(at, table.find("</tr>", at) - at);
    OperationPart part;
    part.name = between(row, "<code>", "</code>");
    size_t type = row.find("</td><td>");
    if (type != std::string_view::npos) {
      part.type = between(row.substr(type), "<td>", "</td>");
      part.description = between(row.substr(type + 9), "<td>", "</td>");
    }
    shape.attributes.push_back(std::move(part));
  }
  std::string syntax = between(body, "operation ::= `", "\n```");
  size_t name = syntax.find('`');
  if (name != std::string::npos)
    shape.syntax = syntax.substr(name + 1);
  return shape;
}

struct Section {
  std::string docs;
  OperationShape shape;
};

/// Each operation is a section "### `dialect.name` (class)".
std::map<std::string_view, Section> splitDocs() {
  std::map<std::string_view, Section> sections;
  for (std::string_view text : dialectDocs) {
    constexpr std::string_view mark = "\n### `";
    size_t at = text.find(mark);
    while (at != std::string_view::npos) {
      size_t nameBegin = at + mark.size();
      size_t nameEnd = text.find('`', nameBegin);
      size_t bodyBegin = text.find('\n', nameBegin);
      size_t next = text.find(mark, nameBegin);
      size_t chapter = text.find("\n## ", nameBegin);
      size_t end = std::min({next, chapter, text.size()});
      if (nameEnd < bodyBegin && bodyBegin < end) {
        std::string_view body = text.substr(bodyBegin, end - bodyBegin);
        while (!body.empty() && (body.front() == '\n' || body.front() == ' '))
          body.remove_prefix(1);
        sections.emplace(text.substr(nameBegin, nameEnd - nameBegin),
                         Section{readable(body), shapeOf(body)});
      }
      at = next;
    }
  }
  return sections;
}

} // namespace

static const Section *sectionOf(std::string_view name) {
  static const std::map<std::string_view, Section> sections = splitDocs();
  auto it = sections.find(name);
  return it == sections.end() ? nullptr : &it->second;
}

std::string_view operationDocs(std::string_view name) {
  const Section *section = sectionOf(name);
  return section ? std::string_view(section->docs) : std::string_view();
}

const OperationShape *operationShape(std::string_view name) {
  const Section *section = sectionOf(name);
  return section ? &section->shape : nullptr;
}

} // namespace tilewright::frontend
