//===- Json.cpp - reading and writing the model's JSON --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Json.h"
#include <algorithm>
#include <limits>

using namespace tilewright::model;

/// Offset of the first bracket nested deeper than maxJsonDepth, if any.
static std::optional<size_t> findTooDeep(std::string_view text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > maxJsonDepth)
        return i;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::nullopt;
}

static Diagnostic malformed(std::string message, size_t offset) {
  Diagnostic error;
  error.code = "TW0060";
  error.message = std::move(message);
  error.hint = "correct the JSON at byte " + std::to_string(offset);
  error.range = {static_cast<int64_t>(offset), static_cast<int64_t>(offset)};
  return error;
}

std::optional<nlohmann::json>
tilewright::model::parseJson(std::string_view text, Diagnostic &error) {
  if (std::optional<size_t> deep = findTooDeep(text)) {
    error = malformed("JSON is nested deeper than " +
                          std::to_string(maxJsonDepth) + " brackets",
                      *deep);
    return std::nullopt;
  }
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::parse_error &exception) {
    // The library counts from one and points past the offending byte.
    size_t offset = exception.byte > 0 ? exception.byte - 1 : 0;
    error = malformed("not valid JSON: " + plainMessage(exception),
                      std::min(offset, text.size()));
  } catch (const std::exception &exception) {
    error = malformed("not valid JSON: " + plainMessage(exception), 0);
  }
  return std::nullopt;
}

std::string tilewright::model::writeJson(const nlohmann::json &json,
                                         int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false,
                   nlohmann::json::error_handler_t::replace);
}

void tilewright::model::requireObject(const nlohmann::json &json,
                                      const char *what) {
  if (!json.is_object())
    throw JsonError(std::string(what) + ": must be an object, but is " +
                    json.type_name());
}

void tilewright::model::readNumber(const nlohmann::json &json,
                                   const char *field, double &into) {
  auto found = json.find(field);
  if (found != json.end() && found->is_null())
    into = std::numeric_limits<double>::quiet_NaN();
  else
    readField(json, field, into);
}

void tilewright::model::checkHeader(const nlohmann::json &json,
                                    const char *schema, int version) {
  requireObject(json, schema);
  if (auto found = json.find("schema"); found != json.end())
    if (!found->is_string() || found->get_ref<const std::string &>() != schema)
      throw JsonError("schema: must be \"" + std::string(schema) +
                      "\", but is " + writeJson(*found));
  auto found = json.find("version");
  if (found == json.end())
    return;
  if (!found->is_number_integer())
    throw JsonError("version: must be an integer, but is " + writeJson(*found));
  if (found->get<int64_t>() > version || found->get<int64_t>() < 1)
    throw JsonError("version: " + std::string(schema) + " version " +
                    writeJson(*found) +
                    " was written by a newer Tilewright; "
                    "this one reads up to version " +
                    std::to_string(version));
}

nlohmann::json tilewright::model::makeHeader(const char *schema, int version) {
  return {{"schema", schema}, {"version", version}};
}

std::string tilewright::model::plainMessage(const std::exception &exception) {
  // "[json.exception.type_error.302] type must be string, but is number"
  std::string message = exception.what();
  if (message.rfind("[json.exception", 0) == 0)
    if (size_t end = message.find("] "); end != std::string::npos)
      message.erase(0, end + 2);
  return message;
}
