//===- Json.cpp - JSON from and to untrusted peers ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Json.h"
#include "lsp/protocol/EightBytes.h"
#include "lsp/protocol/Utf8.h"
#include <array>
#include <charconv>
#include <simdjson.h>
#include <utility>

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

/// Texts of so many bytes, which hold whole documents, are read by the faster
/// library.
constexpr size_t largeText = 16384;

/// As our own library would have it.
Json converted(simdjson::dom::element element) {
  using simdjson::dom::element_type;
  switch (element.type()) {
  case element_type::ARRAY: {
    Json array = Json::array();
    for (simdjson::dom::element item : simdjson::dom::array(element))
      array.push_back(converted(item));
    return array;
  }
  case element_type::OBJECT: {
    Json object = Json::object();
    for (auto [key, value] : simdjson::dom::object(element))
      object[std::string(key)] = converted(value);
    return object;
  }
  case element_type::INT64: {
    int64_t value = int64_t(element);
    return value < 0 ? Json(value) : Json(uint64_t(value));
  }
  case element_type::UINT64:
    return uint64_t(element);
  case element_type::DOUBLE:
    return double(element);
  case element_type::STRING:
    return std::string(std::string_view(element));
  case element_type::BOOL:
    return bool(element);
  case element_type::NULL_VALUE:
    break;
  }
  return nullptr;
}

/// None if anything is wrong with it. `padded`: what lies behind may be read.
std::optional<Json> parseLarge(std::string_view text, bool padded) {
  simdjson::dom::parser parser;
  if (parser.allocate(text.size(), maxJsonDepth))
    return std::nullopt;
  simdjson::dom::element root;
  if (parser.parse(text.data(), text.size(), /*realloc_if_needed=*/!padded)
          .get(root))
    return std::nullopt;
  return converted(root);
}

/// What stands for a byte in a string; empty if it stands for itself.
std::string_view escapeOf(unsigned char c) {
  static constexpr char hex[] = "0123456789abcdef";
  switch (c) {
  case '"':
    return "\\\"";
  case '\\':
    return "\\\\";
  case '\b':
    return "\\b";
  case '\f':
    return "\\f";
  case '\n':
    return "\\n";
  case '\r':
    return "\\r";
  case '\t':
    return "\\t";
  default:
    break;
  }
  if (c >= 0x20)
    return {};
  static const std::array<std::string, 32> controls = [] {
    std::array<std::string, 32> all;
    for (int i = 0; i < 32; ++i)
      all[i] = std::string("\\u00") + hex[i >> 4] + hex[i & 15];
    return all;
  }();
  return controls[c];
}

void writeString(const std::string &text, std::string &out) {
  if (findInvalidUtf8(text)) {
    out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  // Each line's end is escaped.
  if (text.size() >= largeText)
    out.reserve(out.size() + text.size() + text.size() / 8);
  out += '"';
  size_t plain = 0, checked = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i >= checked) {
      for (; i + 8 <= text.size(); i += 8) {
        uint64_t word = eightBytes(text.data() + i);
        if (anyBelow(word, 0x20) || anyEqual(word, '"') || anyEqual(word, '\\'))
          break;
      }
      checked = i + 8;
      if (i == text.size())
        break;
    }
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\')
      continue;
    out.append(text, plain, i - plain);
    out += escapeOf(c);
    plain = i + 1;
  }
  out.append(text, plain);
  out += '"';
}

/// As the library's dump(), which looks at strings byte by byte in a state
/// machine: texts of megabytes go between our processes.
void write(const Json &json, std::string &out) {
  switch (json.type()) {
  case Json::value_t::object: {
    out += '{';
    bool first = true;
    for (const auto &[key, value] : json.items()) {
      if (!std::exchange(first, false))
        out += ',';
      writeString(key, out);
      out += ':';
      write(value, out);
    }
    out += '}';
    return;
  }
  case Json::value_t::array: {
    out += '[';
    bool first = true;
    for (const Json &value : json) {
      if (!std::exchange(first, false))
        out += ',';
      write(value, out);
    }
    out += ']';
    return;
  }
  case Json::value_t::string:
    writeString(json.get_ref<const std::string &>(), out);
    return;
  case Json::value_t::number_integer:
  case Json::value_t::number_unsigned: {
    char digits[24];
    char *end =
        json.is_number_unsigned()
            ? std::to_chars(digits, digits + 24, json.get<uint64_t>()).ptr
            : std::to_chars(digits, digits + 24, json.get<int64_t>()).ptr;
    out.append(digits, end);
    return;
  }
  default:
    out += json.dump();
    return;
  }
}

} // namespace

static std::optional<Json> parse(std::string_view text, bool padded,
                                 std::string &error) {
  if (text.size() >= largeText)
    if (std::optional<Json> json = parseLarge(text, padded))
      return json;
  // Small, or something is wrong with it: then it is told what.
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

std::optional<Json> parseJson(std::string_view text, std::string &error) {
  return parse(text, /*padded=*/false, error);
}

static_assert(jsonPadding >= simdjson::SIMDJSON_PADDING);

std::optional<Json> parseJsonInPlace(std::string &text, std::string &error) {
  if (text.size() >= largeText)
    text.reserve(text.size() + jsonPadding);
  return parse(text, /*padded=*/true, error);
}

std::string writeJson(const Json &json) {
  std::string out;
  write(json, out);
  return out;
}

} // namespace tilewright::lsp
