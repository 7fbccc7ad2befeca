//===- SchemaChecker.cpp - JSON against resources/schemas -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SchemaChecker.h"
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace fs = std::filesystem;
using namespace tilewright::testing;
using Json = nlohmann::json;

static const std::string suffix = ".schema.json";

SchemaChecker::SchemaChecker(const std::string &folder) {
  for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(suffix))
      continue;
    std::ifstream stream(entry.path());
    schemas[name.substr(0, name.size() - suffix.size())] = Json::parse(stream);
  }
}

std::vector<std::string> SchemaChecker::names() const {
  std::vector<std::string> names;
  for (const auto &[name, schema] : schemas)
    names.push_back(name);
  return names;
}

namespace {
class Run {
public:
  Run(const std::map<std::string, Json> &schemas, bool strict)
      : schemas(schemas), strict(strict) {}
  std::vector<std::string> problems;

  void check(const Json &json, const Json &schema, const std::string &file,
             const std::string &place) {
    checkVocabulary(schema, file);
    if (schema.contains("$ref")) {
      auto [refFile, target] = resolve(schema["$ref"], file);
      if (target)
        check(json, *target, refFile, place);
      return;
    }
    if (schema.contains("anyOf") && !fitsAny(json, schema["anyOf"], file))
      add(place, json.dump() + " fits none of the alternatives");
    if (schema.contains("type") && !hasType(json, schema["type"]))
      add(place, "is " + std::string(json.type_name()) + ", not " +
                     schema["type"].dump());
    if (schema.contains("const") && json != schema["const"])
      add(place, json.dump() + " is not " + schema["const"].dump());
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), json) ==
            schema["enum"].end())
      add(place, json.dump() + " is none of " + schema["enum"].dump());
    if (schema.contains("minimum") && json.is_number() &&
        json.get<double>() < schema["minimum"].get<double>())
      add(place, json.dump() + " is below the minimum");
    if (schema.contains("pattern") && json.is_string() &&
        !std::regex_search(json.get<std::string>(),
                           std::regex(schema["pattern"].get<std::string>())))
      add(place, json.dump() + " does not match the pattern");
    if (json.is_array())
      checkArray(json, schema, file, place);
    if (json.is_object())
      checkObject(json, schema, file, place);
  }

private:
  const std::map<std::string, Json> &schemas;
  bool strict;

  void add(const std::string &place, const std::string &problem) {
    problems.push_back((place.empty() ? "/" : place) + ": " + problem);
  }

  void checkVocabulary(const Json &schema, const std::string &file) {
    static const std::set<std::string> known = {"$schema",
                                                "$id",
                                                "$ref",
                                                "$defs",
                                                "title",
                                                "type",
                                                "const",
                                                "enum",
                                                "pattern",
                                                "description",
                                                "items",
                                                "minItems",
                                                "maxItems",
                                                "minimum",
                                                "properties",
                                                "required",
                                                "additionalProperties",
                                                "anyOf"};
    for (const auto &[word, value] : schema.items())
      if (!known.count(word))
        add(file, "the checker does not know '" + word + "'");
  }

  std::pair<std::string, const Json *> resolve(const std::string &reference,
                                               const std::string &file) {
    size_t hash = reference.find('#');
    std::string refFile = hash == 0 ? file : reference.substr(0, hash);
    if (refFile.ends_with(suffix))
      refFile.resize(refFile.size() - suffix.size());
    auto found = schemas.find(refFile);
    Json::json_pointer pointer(
        hash == std::string::npos ? "" : reference.substr(hash + 1));
    if (found == schemas.end() || !found->second.contains(pointer)) {
      add(file, "there is no " + reference);
      return {file, nullptr};
    }
    return {refFile, &found->second[pointer]};
  }

  static bool hasType(const Json &json, const Json &type) {
    if (type.is_array())
      return std::any_of(type.begin(), type.end(),
                         [&](const Json &one) { return hasType(json, one); });
    std::string name = type;
    return (name == "object" && json.is_object()) ||
           (name == "array" && json.is_array()) ||
           (name == "string" && json.is_string()) ||
           (name == "integer" && json.is_number_integer()) ||
           (name == "number" && json.is_number()) ||
           (name == "boolean" && json.is_boolean()) ||
           (name == "null" && json.is_null());
  }

  bool fitsAny(const Json &json, const Json &alternatives,
               const std::string &file) {
    return std::any_of(alternatives.begin(), alternatives.end(),
                       [&](const Json &one) {
                         Run attempt(schemas, strict);
                         attempt.check(json, one, file, "");
                         return attempt.problems.empty();
                       });
  }

  void checkArray(const Json &json, const Json &schema, const std::string &file,
                  const std::string &place) {
    if (schema.contains("minItems") && json.size() < schema["minItems"])
      add(place, "has only " + std::to_string(json.size()) + " items");
    if (schema.contains("maxItems") && json.size() > schema["maxItems"])
      add(place, "has " + std::to_string(json.size()) + " items");
    if (schema.contains("items"))
      for (size_t i = 0; i < json.size(); ++i)
        check(json[i], schema["items"], file, place + "/" + std::to_string(i));
  }

  void checkObject(const Json &json, const Json &schema,
                   const std::string &file, const std::string &place) {
    for (const Json &field : schema.value("required", Json::array()))
      if (!json.contains(field.get<std::string>()))
        add(place, "lacks " + field.dump());
    Json properties = schema.value("properties", Json::object());
    for (const auto &[field, value] : json.items()) {
      std::string fieldPlace = place + "/" + field;
      if (properties.contains(field))
        check(value, properties[field], file, fieldPlace);
      else if (schema.contains("additionalProperties"))
        check(value, schema["additionalProperties"], file, fieldPlace);
      else if (strict && schema.contains("type"))
        add(fieldPlace, "is not described");
    }
  }
};
} // namespace

std::vector<std::string> SchemaChecker::check(const Json &json,
                                              const std::string &schema,
                                              bool strict) const {
  auto found = schemas.find(schema);
  if (found == schemas.end())
    return {"there is no schema '" + schema + "'"};
  Run run(schemas, strict);
  run.check(json, found->second, schema, "");
  return run.problems;
}
