//===- Json.cpp - JSON from and to untrusted peers ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Json.h"
#include "lsp/protocol/Utf8.h"
#include <charconv>

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

/// The unit of a `\uXXXX` escape whose backslash is at `at`.
std::optional<uint32_t> escapedUnit(std::string_view text, size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u')
    return std::nullopt;
  uint32_t unit = 0;
  const char *begin = text.data() + at + 2;
  auto [end, failed] = std::from_chars(begin, begin + 4, unit, 16);
  if (failed != std::errc() || end != begin + 4)
    return std::nullopt;
  return unit;
}

/// Writes U+FFFD over escapes of surrogates that are half of no pair. False if
/// there is none.
bool repairSurrogates(std::string &text) {
  bool repaired = false;
  // Escapes are in strings only, where a backslash always takes the next
  // character with it.
  for (size_t i = text.find('\\'); i != std::string::npos;
       i = text.find('\\', i)) {
    std::optional<uint32_t> unit = escapedUnit(text, i);
    if (!unit || *unit < 0xD800 || *unit > 0xDFFF) {
      i += 2;
      continue;
    }
    std::optional<uint32_t> next = escapedUnit(text, i + 6);
    if (*unit < 0xDC00 && next && *next >= 0xDC00 && *next <= 0xDFFF) {
      i += 12;
      continue;
    }
    text.replace(i + 2, 4, "fffd");
    repaired = true;
    i += 6;
  }
  return repaired;
}

/// Null if `text` is no JSON; `error` then says why.
std::optional<Json> parseOnce(std::string_view text, std::string &error) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error &e) {
    // The library's text quotes the input; keep only the position.
    error = "bad JSON at byte " + std::to_string(e.byte > 0 ? e.byte - 1 : 0);
  } catch (const std::exception &) {
    error = "bad JSON: a number is too large";
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
  if (std::optional<Json> json = parseOnce(text, error))
    return json;
  // Editors count in UTF-16 and can cut a character in two.
  std::string repaired(text);
  if (!repairSurrogates(repaired))
    return std::nullopt;
  return parseOnce(repaired, error);
}

std::string writeJson(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace tilewright::lsp
