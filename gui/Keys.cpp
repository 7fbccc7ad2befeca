//===- Keys.cpp -----------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Keys.h"

namespace tilewright::gui {

std::string_view operationKey(std::string_view key) {
  size_t slash = key.rfind('/');
  size_t from = slash == std::string_view::npos ? 0 : slash + 1;
  // "opname~hash" names hold dots before the '~'; those belong to the name.
  size_t tilde = key.find('~', from);
  size_t cut =
      key.find_first_of(".:#@", tilde == std::string_view::npos ? from : tilde);
  return cut == std::string_view::npos || cut == from ? key
                                                      : key.substr(0, cut);
}

bool keyMatches(std::string_view selected, std::string_view key) {
  if (selected.empty())
    return false;
  std::string_view wanted = operationKey(selected), has = operationKey(key);
  return has == wanted ||
         (has.size() > wanted.size() &&
          has.substr(0, wanted.size()) == wanted && has[wanted.size()] == '/');
}

bool anyKeyMatches(const std::vector<std::string> &selected,
                   const std::vector<std::string> &keys) {
  for (const std::string &s : selected)
    for (const std::string &k : keys)
      if (keyMatches(s, k))
        return true;
  return false;
}

} // namespace tilewright::gui
