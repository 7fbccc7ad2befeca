//===- Params.cpp - parameters read with errors that help -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Params.h"
#include "lsp/protocol/Message.h"
#include "lsp/protocol/Utf8.h"
#include <cstdint>
#include <limits>

namespace tilewright::lsp {

namespace {

enum class Kind {
  Null,
  Boolean,
  String,
  Unsigned,
  Integer,
  Number,
  Array,
  Object
};

Kind kindOf(const Json &json) {
  switch (json.type()) {
  case Json::value_t::boolean:
    return Kind::Boolean;
  case Json::value_t::string:
    return Kind::String;
  case Json::value_t::number_unsigned:
    return Kind::Unsigned;
  case Json::value_t::number_integer:
    return Kind::Integer;
  case Json::value_t::number_float:
    return Kind::Number;
  case Json::value_t::array:
    return Kind::Array;
  case Json::value_t::object:
    return Kind::Object;
  default:
    return Kind::Null;
  }
}

const char *nameOf(Kind kind) {
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Boolean:
    return "true or false";
  case Kind::String:
    return "a string";
  case Kind::Unsigned:
    return "an integer from 0 on";
  case Kind::Integer:
    return "an integer";
  case Kind::Number:
    return "a number";
  case Kind::Array:
    return "a list";
  case Kind::Object:
    return "an object";
  }
  return "";
}

bool fits(Kind given, Kind wanted) {
  if (wanted == Kind::Integer)
    return given == Kind::Integer || given == Kind::Unsigned;
  if (wanted == Kind::Number)
    return given == Kind::Integer || given == Kind::Unsigned ||
           given == Kind::Number;
  return given == wanted;
}

std::string quoted(const std::string &path) {
  return path.empty() ? "params" : "'" + path + "'";
}

std::string join(const std::string &path, const std::string &name) {
  return path.empty() ? name : path + "." + name;
}

} // namespace

std::string describeValue(const Json &json) {
  Kind kind = kindOf(json);
  if (kind == Kind::Null)
    return "null";
  if (kind == Kind::Array || kind == Kind::Object)
    return nameOf(kind);
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60)
    text = replaceInvalidUtf8(text.substr(0, 60)) + "…";
  return kind == Kind::String ? "the string " + text : text;
}

std::string findFormFault(const Json &json, const Json &example,
                          const std::string &path) {
  Kind wanted = kindOf(example);
  if (!fits(kindOf(json), wanted))
    return quoted(path) + " must be " + nameOf(wanted) + "; it is " +
           describeValue(json);
  if (wanted == Kind::Object)
    for (const auto &[name, field] : example.items()) {
      auto it = json.find(name);
      if (it == json.end()) {
        // Only the fields of the params themselves may have defaults.
        if (!path.empty())
          return quoted(join(path, name)) + " is missing";
        continue;
      }
      if (std::string fault = findFormFault(*it, field, join(path, name));
          !fault.empty())
        return fault;
    }
  if (wanted == Kind::Array && !example.empty())
    for (size_t i = 0; i < json.size(); ++i)
      if (std::string fault = findFormFault(
              json[i], example[0], path + "[" + std::to_string(i) + "]");
          !fault.empty())
        return fault;
  return {};
}

std::string findRangeFault(const Json &json, const Json &read,
                           const std::string &path) {
  if (json.is_number() && read.is_number() && json != read) {
    // Which number it became tells how wide its place is.
    bool isWide =
        read.is_number_unsigned() ||
        (json.is_number_unsigned() &&
         json.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()));
    std::string least = read.is_number_unsigned() ? "0"
                        : isWide                  ? "-9223372036854775808"
                                                  : "-2147483648";
    std::string most = read.is_number_unsigned() ? "18446744073709551615"
                       : isWide                  ? "9223372036854775807"
                                                 : "2147483647";
    return quoted(path) + " is out of range: " + describeValue(json) +
           "; it must be from " + least + " to " + most;
  }
  if (json.is_object() && read.is_object())
    for (const auto &[name, field] : json.items())
      if (auto it = read.find(name); it != read.end())
        if (std::string fault = findRangeFault(field, *it, join(path, name));
            !fault.empty())
          return fault;
  return {};
}

std::string findMissing(const Json &json, const Json &example,
                        const std::string &path) {
  for (const auto &[name, field] : example.items())
    if (!json.contains(name))
      return quoted(join(path, name)) + " is missing";
  return {};
}

void refuseParams(const Json &json, const std::string &fault) {
  model::Diagnostic diagnostic;
  diagnostic.code = "TW0606";
  diagnostic.message = fault;
  if (json.is_object())
    if (auto uri = json.find("uri"); uri != json.end() && uri->is_string())
      diagnostic.uri = *uri;
  throw RequestError(
      ResponseError::of(std::move(diagnostic), ErrorCode::InvalidParams));
}

Json withoutNulls(const Json &json) {
  Json result = json;
  for (auto it = result.begin(); it != result.end();)
    it = it->is_null() ? result.erase(it) : std::next(it);
  return result;
}

} // namespace tilewright::lsp
