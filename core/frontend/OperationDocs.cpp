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

/// Each operation is a section "### `dialect.name` (class)".
std::map<std::string_view, std::string_view> splitDocs() {
  std::map<std::string_view, std::string_view> sections;
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
        while (!body.empty() && (body.back() == '\n' || body.back() == ' '))
          body.remove_suffix(1);
        sections.emplace(text.substr(nameBegin, nameEnd - nameBegin), body);
      }
      at = next;
    }
  }
  return sections;
}

} // namespace

std::string_view operationDocs(std::string_view name) {
  static const std::map<std::string_view, std::string_view> sections =
      splitDocs();
  auto it = sections.find(name);
  return it == sections.end() ? std::string_view() : it->second;
}

} // namespace tilewright::frontend
