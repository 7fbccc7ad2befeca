//===- JsonForm.cpp - JSON against the form it should have ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/JsonForm.h"
#include "core/model/Json.h"
#include "core/model/NearestName.h"
#include <algorithm>
#include <cstdint>

namespace tilewright::model {

using Json = nlohmann::json;

std::string pointerSegment(std::string_view name) {
  std::string segment;
  for (char c : name)
    segment += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return segment;
}

namespace {

std::string shown(const Json &json) {
  std::string text = writeJson(json);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

class FormChecker {
public:
  explicit FormChecker(const Json &root) : root(root) {}

  std::vector<FormProblem> problems;

  void check(const Json &json, const Json &given, const std::string &pointer) {
    const Json &schema = resolve(given);
    std::string expected = describe(given);
    if (auto type = schema.find("type");
        type != schema.end() && !hasType(json, *type)) {
      add(pointer, expected,
          "is " + shown(json) + ", where " + expected + " is expected");
      return;
    }
    if (auto value = schema.find("const");
        value != schema.end() && json != *value) {
      add(pointer, writeJson(*value),
          "is " + shown(json) + ", where " + writeJson(*value) +
              " is expected");
      return;
    }
    if (auto values = schema.find("enum");
        values != schema.end() &&
        std::find(values->begin(), values->end(), json) == values->end()) {
      std::vector<std::string> names;
      for (const Json &value : *values)
        if (value.is_string())
          names.push_back(value.get<std::string>());
      std::string near =
          json.is_string() ? nearestName(json.get<std::string>(), names) : "";
      add(pointer, expected,
          "is " + shown(json) + ", where " + expected + " is expected",
          near.empty() ? "" : "did you mean \"" + near + "\"?");
      return;
    }
    if (auto least = schema.find("minimum");
        least != schema.end() && json.is_number() &&
        json.get<double>() < least->get<double>())
      add(pointer, expected,
          "is " + shown(json) + ", below the least of " + writeJson(*least));
    else if (schema.value("type", Json()) == "integer" &&
             json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX)
      add(pointer, expected,
          "is " + shown(json) + ", above " + std::to_string(INT64_MAX));
    if (json.is_array())
      checkArray(json, schema, pointer);
    if (json.is_object())
      checkObject(json, schema, pointer);
  }

private:
  const Json &root;

  void add(const std::string &pointer, std::string expected,
           std::string message, std::string hint = "",
           Severity severity = Severity::Error) {
    problems.push_back({pointer, std::move(expected), std::move(message),
                        std::move(hint), severity});
  }

  const Json &resolve(const Json &schema) const {
    auto reference = schema.find("$ref");
    if (reference == schema.end())
      return schema;
    std::string path = reference->get<std::string>();
    return root.at(Json::json_pointer(path.substr(path.find('#') + 1)));
  }

  /// What a value of `schema` is, for a person.
  std::string describe(const Json &given) const {
    const Json &schema = resolve(given);
    std::string what;
    if (auto values = schema.find("enum"); values != schema.end()) {
      for (const Json &value : *values)
        what += (what.empty() ? "one of " : ", ") + writeJson(value);
      return what;
    }
    if (auto value = schema.find("const"); value != schema.end())
      return writeJson(*value);
    if (schema.contains("title"))
      what = schema["title"].get<std::string>();
    else if (schema.contains("type"))
      what = typeText(schema["type"]);
    else
      what = "something else";
    std::string meaning = given.value("description", "");
    return meaning.empty() ? what : what + " (" + meaning + ")";
  }

  static std::string typeText(const Json &type) {
    if (type.is_array()) {
      std::string text;
      for (const Json &one : type)
        text += (text.empty() ? "" : " or ") + typeText(one);
      return text;
    }
    static const std::map<std::string, std::string> texts = {
        {"object", "an object"}, {"array", "a list"},
        {"string", "a text"},    {"integer", "a whole number"},
        {"number", "a number"},  {"boolean", "true or false"},
        {"null", "null"}};
    auto found = texts.find(type.get<std::string>());
    return found == texts.end() ? "something else" : found->second;
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

  void checkArray(const Json &json, const Json &schema,
                  const std::string &pointer) {
    size_t least = schema.value("minItems", size_t(0));
    size_t most = schema.value("maxItems", SIZE_MAX);
    if (json.size() < least || json.size() > most) {
      std::string wanted = least == most ? std::to_string(least)
                           : json.size() < least
                               ? "at least " + std::to_string(least)
                               : "at most " + std::to_string(most);
      add(pointer, wanted + " entries",
          "has " + std::to_string(json.size()) + " entries, where " + wanted +
              " are expected");
    }
    if (auto items = schema.find("items"); items != schema.end())
      for (size_t i = 0; i < json.size(); ++i)
        check(json[i], *items, pointer + "/" + std::to_string(i));
  }

  static bool isRequired(const Json &schema, const std::string &field) {
    Json required = schema.value("required", Json::array());
    return std::find(required.begin(), required.end(), field) != required.end();
  }

  void checkObject(const Json &json, const Json &schema,
                   const std::string &pointer) {
    Json none = Json::object();
    auto found = schema.find("properties");
    const Json &properties = found == schema.end() ? none : *found;
    std::vector<std::string> names;
    for (const auto &[name, property] : properties.items())
      if (!json.contains(name))
        names.push_back(name);
    std::vector<std::string> misspelt; // what was meant by unknown fields
    for (const auto &[name, value] : json.items()) {
      std::string place = pointer + "/" + pointerSegment(name);
      if (properties.contains(name)) {
        check(value, properties[name], place);
      } else if (auto others = schema.find("additionalProperties");
                 others != schema.end()) {
        check(value, *others, place);
      } else if (found != schema.end()) {
        std::string near = nearestName(name, names);
        if (near.empty()) {
          add(place, "", "is a field nothing reads", "take it away",
              Severity::Warning);
        } else {
          misspelt.push_back(near);
          // Short words are like many others: a note of somebody's is kept.
          bool meant = name.size() > 4 || isRequired(schema, near);
          add(place, near, "is no field that there is",
              "did you mean \"" + near + "\"?",
              meant ? Severity::Error : Severity::Warning);
        }
      }
    }
    for (const Json &name : schema.value("required", Json::array())) {
      std::string field = name.get<std::string>();
      if (json.contains(field) ||
          std::find(misspelt.begin(), misspelt.end(), field) != misspelt.end())
        continue;
      std::string expected =
          properties.contains(field) ? describe(properties[field]) : "";
      add(pointer + "/" + pointerSegment(field), expected,
          "is missing: " + expected + " is expected");
    }
  }
};

/// Walks JSON text that is known to be well formed.
class PlaceFinder {
public:
  using Repeated = std::vector<std::pair<std::string, TextRange>>;
  PlaceFinder(std::string_view text, std::map<std::string, TextRange> &places,
              Repeated *repeated)
      : text(text), places(places), repeated(repeated) {
    // The parser passes over a byte order mark, too.
    if (text.starts_with("\xEF\xBB\xBF"))
      at = 3;
  }

  void value(const std::string &pointer) {
    skipSpace();
    size_t begin = at;
    if (at >= text.size())
      return;
    if (text[at] == '{') {
      ++at;
      while (skipSpace(), at < text.size() && text[at] != '}') {
        std::string name = string();
        skipTo(':');
        value(pointer + "/" + pointerSegment(name));
        skipSpace();
        if (at < text.size() && text[at] == ',')
          ++at;
      }
      ++at;
    } else if (text[at] == '[') {
      ++at;
      for (size_t i = 0; skipSpace(), at < text.size() && text[at] != ']';
           ++i) {
        value(pointer + "/" + std::to_string(i));
        skipSpace();
        if (at < text.size() && text[at] == ',')
          ++at;
      }
      ++at;
    } else if (text[at] == '"') {
      string();
    } else {
      at = std::min(text.find_first_of(",]} \t\r\n", at), text.size());
    }
    at = std::min(at, text.size());
    TextRange range = {int64_t(begin), int64_t(at)};
    auto [place, isNew] = places.try_emplace(pointer, range);
    if (!isNew && repeated)
      repeated->push_back({pointer, place->second});
    place->second = range;
  }

private:
  std::string_view text;
  std::map<std::string, TextRange> &places;
  Repeated *repeated;
  size_t at = 0;

  void skipSpace() {
    while (at < text.size() &&
           std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos)
      ++at;
  }
  void skipTo(char c) { at = std::min(text.find(c, at), text.size() - 1) + 1; }
  /// Decoded; leaves `at` behind the closing quote.
  std::string string() {
    size_t begin = at++;
    while (at < text.size() && text[at] != '"')
      at += text[at] == '\\' ? 2 : 1;
    at = std::min(at + 1, text.size());
    Json decoded = Json::parse(text.substr(begin, at - begin), nullptr, false);
    return decoded.is_string() ? decoded.get<std::string>() : "";
  }
};

} // namespace

std::vector<FormProblem> checkForm(const Json &json, const Json &schema) {
  FormChecker checker(schema);
  checker.check(json, schema, "");
  return std::move(checker.problems);
}

std::string withoutComments(std::string_view text) {
  std::string plain(text);
  for (size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] == '"') {
      for (++i; i < plain.size() && plain[i] != '"'; ++i)
        i += plain[i] == '\\';
      continue;
    }
    if (plain[i] != '/' || i + 1 >= plain.size())
      continue;
    size_t end = i;
    if (plain[i + 1] == '/')
      end = std::min(plain.find('\n', i), plain.size());
    else if (plain[i + 1] == '*')
      end = plain.find("*/", i + 2);
    if (end == std::string::npos)
      break; // not closed: the parser tells of it
    if (end > i && plain[i + 1] == '*')
      end += 2;
    for (; i < end; ++i)
      if (plain[i] != '\n' && plain[i] != '\r')
        plain[i] = ' ';
    if (end > 0)
      i = end - 1;
  }
  return plain;
}

std::map<std::string, TextRange>
placesOf(std::string_view text,
         std::vector<std::pair<std::string, TextRange>> *repeated) {
  std::map<std::string, TextRange> places;
  PlaceFinder(text, places, repeated).value("");
  return places;
}

TextRange placeOf(const std::map<std::string, TextRange> &places,
                  std::string pointer) {
  while (true) {
    if (auto found = places.find(pointer); found != places.end())
      return found->second;
    size_t slash = pointer.rfind('/');
    if (slash == std::string::npos)
      return {};
    pointer.resize(slash);
  }
}

} // namespace tilewright::model
