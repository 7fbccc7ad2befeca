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

/// Each operation is a section "### `dialect.name` (class)".
std::map<std::string_view, std::string> splitDocs() {
  std::map<std::string_view, std::string> sections;
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
                         readable(body));
      }
      at = next;
    }
  }
  return sections;
}

} // namespace

std::string_view operationDocs(std::string_view name) {
  static const std::map<std::string_view, std::string> sections = splitDocs();
  auto it = sections.find(name);
  return it == sections.end() ? std::string_view()
                              : std::string_view(it->second);
}

} // namespace tilewright::frontend
