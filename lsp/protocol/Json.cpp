//===- Json.cpp - JSON from and to untrusted peers ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Json.h"
#include "lsp/protocol/Utf8.h"

namespace tilewright::lsp {

namespace {

/// Byte offset where nesting first exceeds the limit.
std::optional<size_t> findTooDeep(std::string_view text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
      continue;
    }
    if (c == '"')
      inString = true;
    else if ((c == '[' || c == '{') && ++depth > maxJsonDepth)
      return i;
    else if (c == ']' || c == '}')
      --depth;
  }
  return std::nullopt;
}

} // namespace

std::optional<Json> parseJson(std::string_view text, std::string &error) {
  if (std::optional<int64_t> bad = findInvalidUtf8(text)) {
    error = "byte " + std::to_string(*bad) + " is not UTF-8";
    return std::nullopt;
  }
  if (std::optional<size_t> deep = findTooDeep(text)) {
    error = "nested deeper than " + std::to_string(maxJsonDepth) +
            " levels at byte " + std::to_string(*deep);
    return std::nullopt;
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error &e) {
    // The library's text quotes the input; keep only the position.
    error = "bad JSON at byte " + std::to_string(e.byte > 0 ? e.byte - 1 : 0);
  } catch (const std::exception &e) {
    error = std::string("bad JSON: ") + replaceInvalidUtf8(e.what());
  }
  return std::nullopt;
}

std::string writeJson(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace tilewright::lsp
