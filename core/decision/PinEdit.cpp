//===- PinEdit.cpp - changes to the text of a pins file -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/PinEdit.h"
#include "core/decision/DecisionKinds.h"
#include "core/decision/PinsFile.h"
#include "core/model/Json.h"
#include "core/model/JsonForm.h"
#include "core/model/NearestName.h"
#include <algorithm>
#include <charconv>
#include <tuple>

namespace tilewright::decision {

using Json = nlohmann::json;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return value;
}

static std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<Json> readPinWords(std::string_view kind,
                                 std::span<const std::string> words,
                                 model::Diagnostic &problem) {
  auto refuse = [&](const char *code, std::string message, std::string hint) {
    problem = model::Diagnostic();
    problem.code = code;
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    return std::nullopt;
  };
  if (!decisionKind(kind)) {
    std::vector<std::string> names;
    for (const DecisionKind &each : decisionKinds())
      names.emplace_back(each.name);
    std::string near = model::nearestName(kind, names);
    return refuse("TW0211",
                  "there is no kind of pin \"" + std::string(kind) + "\"",
                  (near.empty() ? "" : "did you mean " + near + "? ") +
                      std::string("The kinds are ") + decisionKindNames());
  }
  std::string said;
  for (const std::string &word : words)
    said += (said.empty() ? "" : " ") + word;
  std::string form = kind == "tile"    ? "tile L1.m=128 L0.k=64"
                     : kind == "scope" ? "scope fuse=KEY,KEY or scope apart"
                     : kind == "core"  ? "core cube"
                     : kind == "order" ? "order rows"
                                       : std::string(kind) + " 2";
  auto malformed = [&](const std::string &what) {
    return refuse("TW0224",
                  "\"" + said + "\" is no value of a " + std::string(kind) +
                      " pin: " + what,
                  "write " + form);
  };
  if (words.empty())
    return malformed("it is empty");
  if (words.size() == 1 &&
      (words[0].starts_with("{") || words[0].starts_with("["))) {
    model::Diagnostic wrong;
    std::optional<Json> value = model::parseJson(words[0], wrong);
    if (!value)
      return malformed(wrong.message);
    return value;
  }
  if (kind == "tile") {
    Json value = Json::object();
    for (const std::string &word : words) {
      size_t dot = word.find('.'), equals = word.find('=');
      if (dot == std::string::npos || equals == std::string::npos ||
          equals < dot || dot == 0 || equals == dot + 1)
        return malformed("\"" + word + "\" is not LEVEL.dimension=size");
      std::string level = word.substr(0, dot);
      std::string dim = word.substr(dot + 1, equals - dot - 1);
      std::optional<int64_t> size =
          number(std::string_view(word).substr(equals + 1));
      if (!size)
        return malformed("the size in \"" + word + "\" is no whole number");
      if (*size < 1)
        return malformed("the size in \"" + word + "\" is not above 0");
      if (value.contains(level) && value[level].contains(dim) &&
          value[level][dim] != *size)
        return malformed(level + "." + dim + " is given twice, as " +
                         value[level][dim].dump() + " and " +
                         std::to_string(*size));
      value[level][dim] = *size;
    }
    return value;
  }
  if (kind == "scope") {
    Json value = Json::object();
    for (const std::string &word : words) {
      size_t equals = word.find('=');
      std::string name = word.substr(0, equals);
      if (name != "fuse" && name != "apart")
        return malformed("\"" + word + "\" is neither fuse nor apart");
      if (equals == std::string::npos) {
        if (name == "fuse")
          return malformed("fuse names no operation");
        value[name] = true;
        continue;
      }
      Json names = Json::array();
      for (const std::string &key :
           split(std::string_view(word).substr(equals + 1), ','))
        if (!key.empty())
          names.push_back(key);
      if (names.empty())
        return malformed(name + " names no operation");
      value[name] = names;
    }
    return value;
  }
  if (words.size() != 1)
    return malformed("it is one word");
  if (kind == "core" || kind == "order")
    return Json(words[0]);
  std::optional<int64_t> value = number(words[0]);
  if (!value)
    return malformed("it is no whole number");
  if (*value < 1)
    return malformed("it is not above 0");
  return Json(*value);
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

namespace {

/// A pins file taken apart at its entries.
struct PinsText {
  std::string text;  ///< as it is
  std::string plain; ///< the same with blanks for comments
  Json document;
  std::map<std::string, model::TextRange> places;

  static std::optional<PinsText> read(std::string_view text,
                                      model::Diagnostic &problem) {
    PinsText pins;
    pins.text = text;
    pins.plain = model::withoutComments(text);
    if (!PinsFile::parse(text, problem))
      return std::nullopt;
    pins.document = Json::parse(pins.plain, nullptr, false);
    pins.places = model::placesOf(pins.plain);
    return pins;
  }

  size_t count() const {
    auto found = document.find("pins");
    return found == document.end() ? 0 : found->size();
  }
  /// Null for an entry that is no pin.
  const Json *entry(size_t i) const {
    const Json &each = document["pins"][i];
    return each.is_object() ? &each : nullptr;
  }
  model::TextRange place(const std::string &pointer) const {
    auto found = places.find(pointer);
    return found == places.end() ? model::TextRange() : found->second;
  }
  model::TextRange entryPlace(size_t i) const {
    return place("/pins/" + std::to_string(i));
  }
};

std::string field(const Json &entry, const char *name, const char *otherwise) {
  auto found = entry.find(name);
  return found != entry.end() && found->is_string() ? found->get<std::string>()
                                                    : otherwise;
}

auto subjectOf(const Json &entry) {
  return std::tuple(field(entry, "key", ""), field(entry, "target", "*"),
                    field(entry, "kind", ""));
}

/// An entry as PinsFile::str writes it, indented by four.
std::string entryText(const model::Pin &pin) {
  PinsFile file;
  file.pins = {pin};
  std::string whole = file.str();
  size_t begin = whole.find('{', whole.find("\"pins\""));
  size_t end = whole.rfind('}', whole.rfind(']'));
  return whole.substr(begin, end - begin + 1);
}

/// A value as it stands in an entry that is indented by four.
std::string valueText(const Json &value) {
  std::string text = value.dump(2, ' ', false, Json::error_handler_t::replace);
  std::string indented;
  for (char c : text)
    indented += c == '\n' ? "\n      " : std::string(1, c);
  return indented;
}

} // namespace

std::optional<std::string> withPin(std::string_view text, const model::Pin &pin,
                                   model::Diagnostic &problem) {
  bool blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  if (blank) {
    PinsFile file;
    file.set(pin);
    return file.str();
  }
  std::optional<PinsText> pins = PinsText::read(text, problem);
  if (!pins)
    return std::nullopt;
  auto subject = std::tuple(pin.key, pin.target, pin.kind);
  size_t before = 0; // entries the new one stands behind
  // Of several for one subject the last is in force.
  for (size_t i = pins->count(); i-- > 0;) {
    const Json *entry = pins->entry(i);
    if (!entry || subjectOf(*entry) != subject)
      continue;
    std::string pointer = "/pins/" + std::to_string(i);
    // A member it lacks goes behind its last value, so that a comment stays.
    size_t last = pins->plain.find_last_not_of(
        " \t\r\n", size_t(pins->place(pointer).end) - 2);
    struct Edit {
      size_t begin, end;
      std::string text;
    };
    std::vector<Edit> edits;
    auto put = [&](const char *name, const std::string &with) {
      model::TextRange place = pins->place(pointer + "/" + name);
      if (place.end > place.begin)
        edits.push_back({size_t(place.begin), size_t(place.end), with});
      else
        edits.push_back({last + 1, last + 1,
                         std::string(",\n      \"") + name + "\": " + with});
    };
    if (!pin.note.empty())
      put("note", Json(pin.note).dump());
    put("value", valueText(pin.value));
    // From the end, so that places before stay what they are.
    if (edits.size() == 2 && edits[0].begin < edits[1].begin)
      std::swap(edits[0], edits[1]);
    std::string changed = pins->text;
    for (const Edit &edit : edits)
      changed.replace(edit.begin, edit.end - edit.begin, edit.text);
    return changed;
  }
  for (size_t i = 0; i < pins->count(); ++i)
    if (const Json *entry = pins->entry(i);
        entry && subjectOf(*entry) < subject)
      before = i + 1;
  std::string changed = pins->text;
  std::string added = entryText(pin);
  if (!pins->document.contains("pins")) {
    size_t open = pins->plain.find('{');
    bool empty = pins->document.empty();
    changed.insert(open + 1, "\n  \"pins\": [\n    " + added + "\n  ]" +
                                 (empty ? "\n" : ","));
    return changed;
  }
  if (pins->count() == 0) {
    size_t open = size_t(pins->place("/pins").begin);
    size_t close = size_t(pins->place("/pins").end) - 1;
    bool comments = pins->text.find_first_not_of(" \t\r\n", open + 1) < close;
    if (comments)
      changed.insert(open + 1, "\n    " + added);
    else
      changed.replace(open + 1, close - open - 1, "\n    " + added + "\n  ");
    return changed;
  }
  if (before == 0)
    changed.insert(size_t(pins->entryPlace(0).begin), added + ",\n    ");
  else
    changed.insert(size_t(pins->entryPlace(before - 1).end), ",\n    " + added);
  return changed;
}

std::optional<std::string> withoutPins(std::string_view text,
                                       std::string_view key,
                                       std::string_view target,
                                       std::string_view kind, int64_t &removed,
                                       model::Diagnostic &problem) {
  removed = 0;
  std::optional<PinsText> pins = PinsText::read(text, problem);
  if (!pins)
    return std::nullopt;
  std::string changed = pins->text, plain = pins->plain;
  // From the end, so that places before stay what they are.
  for (size_t i = pins->count(); i-- > 0;) {
    const Json *entry = pins->entry(i);
    if (!entry || field(*entry, "key", "") != key ||
        (!target.empty() && field(*entry, "target", "*") != target) ||
        (!kind.empty() && field(*entry, "kind", "") != kind))
      continue;
    ++removed;
    model::TextRange place = pins->entryPlace(i);
    size_t begin = size_t(place.begin), end = size_t(place.end);
    // With the comma behind it, else the one before it, and its own line. What
    // else is there is a comment, and stays.
    size_t after = plain.find_first_not_of(" \t\r\n", end);
    size_t before = plain.find_last_not_of(" \t\r\n", begin - 1);
    bool ownBefore = false;
    if (after != std::string::npos && plain[after] == ',') {
      if (changed.find_first_not_of(" \t\r\n", end) == after) {
        end = after + 1;
      } else {
        changed.erase(after, 1);
        plain.erase(after, 1);
      }
    } else {
      ownBefore = before != std::string::npos && plain[before] == ',';
    }
    size_t line = changed.find_last_not_of(" \t", begin - 1);
    size_t rest = changed.find_first_not_of(" \t\r", end);
    if (line != std::string::npos && changed[line] == '\n' &&
        rest != std::string::npos && changed[rest] == '\n') {
      begin = line + 1;
      end = rest + 1;
    }
    changed.erase(begin, end - begin);
    plain.erase(begin, end - begin);
    if (ownBefore) {
      changed.erase(before, 1);
      plain.erase(before, 1);
    }
  }
  return changed;
}

std::optional<std::string>
withRenamedKeys(std::string_view text,
                const std::function<std::string(const std::string &)> &renamed,
                int64_t &changed, model::Diagnostic &problem) {
  changed = 0;
  std::optional<PinsText> pins = PinsText::read(text, problem);
  if (!pins)
    return std::nullopt;
  std::vector<std::pair<model::TextRange, std::string>> edits;
  auto see = [&](const Json &value, const std::string &pointer) {
    if (!value.is_string())
      return;
    std::string key = value.get<std::string>(), now = renamed(key);
    model::TextRange place = pins->place(pointer);
    if (now != key && place.end > place.begin)
      edits.push_back({place, Json(now).dump(-1, ' ', false,
                                             Json::error_handler_t::replace)});
  };
  for (size_t i = 0; i < pins->count(); ++i) {
    const Json *entry = pins->entry(i);
    if (!entry)
      continue;
    size_t before = edits.size();
    std::string pointer = "/pins/" + std::to_string(i);
    if (entry->contains("key"))
      see((*entry)["key"], pointer + "/key");
    if (field(*entry, "kind", "") == "scope" && entry->contains("value") &&
        (*entry)["value"].is_object())
      for (const auto &[word, names] : (*entry)["value"].items()) {
        std::string list = pointer + "/value/" + model::pointerSegment(word);
        see(names, list);
        if (names.is_array())
          for (size_t n = 0; n < names.size(); ++n)
            see(names[n], list + "/" + std::to_string(n));
      }
    changed += edits.size() > before;
  }
  std::sort(edits.begin(), edits.end(), [](const auto &a, const auto &b) {
    return a.first.begin > b.first.begin;
  });
  std::string result = pins->text;
  for (const auto &[place, with] : edits)
    result.replace(size_t(place.begin), size_t(place.end - place.begin), with);
  return result;
}

} // namespace tilewright::decision
