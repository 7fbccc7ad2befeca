//===- Override.cpp - stages that a person wrote --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Override.h"
#include "core/model/Json.h"

namespace tilewright::model {

static std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

static std::string textOf(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

void to_json(nlohmann::json &json, const Override &override) {
  json = override.extra.is_object() ? override.extra : nlohmann::json::object();
  json["schema"] = Override::schema;
  json["version"] = Override::version;
  json["stage"] = override.stage;
  json["target"] = override.target;
  json["part"] = override.part;
  json["scope"] = override.scope;
  json["key"] = override.key;
  json["note"] = override.note;
  json["fingerprint"] = override.fingerprint;
  json["base"] = linesOf(override.base);
  json["text"] = linesOf(override.text);
}

void from_json(const nlohmann::json &json, Override &override) {
  checkHeader(json, Override::schema, Override::version);
  override = Override();
  override.extra = json;
  for (const char *field :
       {"schema", "version", "stage", "target", "part", "scope", "key", "note",
        "fingerprint", "base", "text"})
    override.extra.erase(field);
  std::vector<std::string> base, text;
  readField(json, "stage", override.stage);
  readField(json, "target", override.target);
  readField(json, "part", override.part);
  readField(json, "scope", override.scope);
  readField(json, "key", override.key);
  readField(json, "note", override.note);
  readField(json, "fingerprint", override.fingerprint);
  readField(json, "base", base);
  readField(json, "text", text);
  for (const auto &[field, value] :
       {std::pair("stage", &override.stage), std::pair("part", &override.part),
        std::pair("fingerprint", &override.fingerprint)})
    if (value->empty())
      throw JsonError(std::string(field) + " is missing");
  override.base = textOf(base);
  override.text = textOf(text);
}

OverrideState stateOf(const Override &override) {
  OverrideState state;
  state.name = override.name;
  state.stage = override.stage;
  state.target = override.target;
  state.part = override.part;
  state.scope = override.scope;
  state.key = override.key;
  state.note = override.note;
  return state;
}

void to_json(nlohmann::json &json, const OverrideState &state) {
  json = {{"name", state.name},
          {"stage", state.stage},
          {"target", state.target},
          {"part", state.part},
          {"scope", state.scope},
          {"key", state.key},
          {"note", state.note},
          {"state", state.state},
          {"reason", state.reason},
          {"code", state.code},
          {"likelyPart", state.likelyPart},
          {"edit", state.edit},
          {"drift", state.drift},
          {"base", state.base},
          {"text", state.text},
          {"now", state.now}};
}

void from_json(const nlohmann::json &json, OverrideState &state) {
  requireObject(json, "override");
  state = OverrideState();
  for (const auto &[field, value] :
       {std::pair("name", &state.name), std::pair("stage", &state.stage),
        std::pair("target", &state.target), std::pair("part", &state.part),
        std::pair("scope", &state.scope), std::pair("key", &state.key),
        std::pair("note", &state.note), std::pair("state", &state.state),
        std::pair("reason", &state.reason), std::pair("code", &state.code),
        std::pair("likelyPart", &state.likelyPart),
        std::pair("edit", &state.edit), std::pair("drift", &state.drift),
        std::pair("base", &state.base), std::pair("text", &state.text),
        std::pair("now", &state.now)})
    readField(json, field, *value);
}

void to_json(nlohmann::json &json, const OverrideStates &states) {
  json = makeHeader(OverrideStates::schema, OverrideStates::version);
  json["documentVersion"] = states.documentVersion;
  json["generation"] = states.generation;
  json["target"] = states.target;
  json["path"] = states.path;
  json["overrides"] = states.overrides;
  json["written"] = states.written;
  json["removed"] = states.removed;
}

void from_json(const nlohmann::json &json, OverrideStates &states) {
  checkHeader(json, OverrideStates::schema, OverrideStates::version);
  states = OverrideStates();
  readField(json, "documentVersion", states.documentVersion);
  readField(json, "generation", states.generation);
  readField(json, "target", states.target);
  readField(json, "path", states.path);
  readField(json, "overrides", states.overrides);
  readField(json, "written", states.written);
  readField(json, "removed", states.removed);
}

std::string overrideName(const std::string &stage, const std::string &part,
                         const std::string &target) {
  constexpr size_t mostBytes = 120;
  std::string whole = stage + " " + part + (target == "*" ? "" : " " + target);
  std::string name;
  bool exact = true; // other parts may not come to the same name
  for (char c : whole) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    exact &= plain || c == '/' || c == ' ';
    name += c == ' ' ? "--" : std::string(1, plain ? c : '-');
  }
  if (exact && name.size() <= mostBytes)
    return name;
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (unsigned char c : whole)
    hash = (hash ^ c) * 0x100000001b3;
  name.resize(std::min(name.size(), mostBytes - 17));
  name += '-';
  for (int shift = 60; shift >= 0; shift -= 4)
    name += "0123456789abcdef"[(hash >> shift) & 15];
  return name;
}

} // namespace tilewright::model
