//===- Statement.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Statement.h"
#include <cctype>

namespace tilewright::frontend {

/// A statement of more bytes is looked at from so far back only.
static constexpr size_t longestStatement = 16384;

size_t statementBegin(std::string_view text, size_t offset) {
  size_t least = offset > longestStatement ? offset - longestStatement : 0;
  size_t line = offset;
  // On a line of its own it is new, unless the one before asks for more.
  size_t last = text.substr(0, offset).find_last_not_of(" \t\r\n");
  bool ownLine =
      last == std::string_view::npos ||
      text.substr(last + 1, offset - last - 1).find('\n') != std::string::npos;
  if (ownLine &&
      (last == std::string_view::npos ||
       (std::string_view(",(=:<[").find(text[last]) == std::string_view::npos &&
        (last == 0 || text.substr(last - 1, 2) != "->"))))
    return offset;
  while (true) {
    while (line > least && text[line - 1] != '\n')
      --line;
    size_t at = line;
    while (at < offset && (text[at] == ' ' || text[at] == '\t'))
      ++at;
    if (at < offset) {
      // Arguments and results have lines of their own in long heads; only
      // results are followed by `=`.
      if (text[at] == '%') {
        std::string_view rest = text.substr(at, text.find('\n', at) - at);
        size_t equals = rest.find('='), colon = rest.find(':');
        if (equals != std::string_view::npos &&
            (colon == std::string_view::npos || equals < colon))
          return line;
      } else if (isalpha(uint8_t(text[at])) || text[at] == '"' ||
                 text[at] == '}' || text[at] == '^')
        return line;
    }
    if (line <= least)
      return line;
    --line;
  }
}

} // namespace tilewright::frontend
