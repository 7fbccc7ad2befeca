//===- Json.h - reading and writing the model's JSON ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::model {

/// Thrown by the model's `from_json` functions. `what()` names the place in
/// the document and what is wrong there: "nodes[17]: type must be string …".
class JsonError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Brackets nested deeper than this are refused: the JSON library prints and
/// copies values recursively.
constexpr int maxJsonDepth = 512;

/// Parses `text`. Never throws and never recurses deeper than maxJsonDepth; on
/// failure `error` gets TW0060 with the byte offset in `range`.
std::optional<nlohmann::json> parseJson(std::string_view text,
                                        Diagnostic &error);

/// One line if `indent` is negative. Bytes that are not UTF-8 are replaced, so
/// that writing never fails.
std::string writeJson(const nlohmann::json &json, int indent = -1);

/// Fails with JsonError unless `json` is an object that says it follows
/// `schema` in a version up to `version`. Both fields may be missing.
void checkHeader(const nlohmann::json &json, const char *schema, int version);

/// Starts a document that follows `schema`.
nlohmann::json makeHeader(const char *schema, int version);

/// Message of an exception of the JSON library without its internal numbering.
std::string plainMessage(const std::exception &exception);

/// Reads `json[field]` into `into`, or leaves `into` as it is if the field is
/// missing or null. A wrong type is a JsonError that names the field.
template <typename T>
void readField(const nlohmann::json &json, const char *field, T &into) {
  auto found = json.find(field);
  if (found == json.end() || found->is_null())
    return;
  try {
    found->get_to(into);
  } catch (const std::exception &exception) {
    throw JsonError(std::string(field) + ": " + plainMessage(exception));
  }
}

/// As readField for a number that may not be finite, which JSON has as null.
void readNumber(const nlohmann::json &json, const char *field, double &into);

/// Fails with JsonError unless `json` is an object; `what` names it.
void requireObject(const nlohmann::json &json, const char *what);

/// As readField for an array of structures; the error names the element.
template <typename T>
void readField(const nlohmann::json &json, const char *field,
               std::vector<T> &into) {
  auto found = json.find(field);
  if (found == json.end() || found->is_null())
    return;
  if (!found->is_array())
    throw JsonError(std::string(field) + ": must be an array, but is " +
                    found->type_name());
  std::vector<T> elements;
  elements.reserve(found->size());
  for (const nlohmann::json &element : *found) {
    try {
      elements.push_back(element.get<T>());
    } catch (const std::exception &exception) {
      throw JsonError(std::string(field) + "[" +
                      std::to_string(elements.size()) +
                      "]: " + plainMessage(exception));
    }
  }
  into = std::move(elements);
}

/// Parses and converts. Never throws; on failure `error` is TW0060 (not JSON)
/// or TW0061 (JSON, but not a `T`).
template <typename T>
std::optional<T> readJson(std::string_view text, Diagnostic &error) {
  std::optional<nlohmann::json> json = parseJson(text, error);
  if (!json)
    return std::nullopt;
  try {
    return json->template get<T>();
  } catch (const std::exception &exception) {
    error = Diagnostic();
    error.code = "TW0061";
    error.message = plainMessage(exception);
    error.hint = "compare with resources/schemas, or write the file again "
                 "with this version of Tilewright";
    return std::nullopt;
  }
}

} // namespace tilewright::model
