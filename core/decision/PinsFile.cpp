//===- PinsFile.cpp - decisions fixed by a person -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/PinsFile.h"
#include "core/model/JsonForm.h"
#include <algorithm>
#include <tuple>

namespace tilewright::decision {

bool matchesGlob(std::string_view glob, std::string_view text) {
  // Greedy with one point to come back to: linear but for repeated stars.
  size_t g = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t]) &&
        glob[g] != '*') {
      ++g, ++t;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++;
      mark = t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*')
    ++g;
  return g == glob.size();
}

std::string pinsPathOf(std::string_view path) {
  return std::string(path) + ".pins.json";
}

/// Why `entry` cannot be read as a pin; empty if it can.
static std::string faultOf(const nlohmann::json &entry) {
  auto shown = [](const nlohmann::json &value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
        .substr(0, 80);
  };
  if (!entry.is_object())
    return "is no object but " + shown(entry);
  for (const char *name : {"key", "kind", "target", "note"}) {
    bool needed =
        std::string_view(name) == "key" || std::string_view(name) == "kind";
    auto it = entry.find(name);
    if (it == entry.end()) {
      if (needed)
        return std::string("has no \"") + name + "\"";
      continue;
    }
    std::string says = std::string("says \"") + name + "\": " + shown(*it);
    if (!it->is_string())
      return says + ", which must be a string";
    if (needed && it->get_ref<const std::string &>().empty())
      return says + ", which must not be empty";
  }
  return "";
}

std::optional<PinsFile> PinsFile::parse(std::string_view text,
                                        model::Diagnostic &problem) {
  auto refuse = [&](std::string what) {
    problem.code = "TW0210";
    problem.severity = model::Severity::Error;
    problem.message = "pins file " + what;
    problem.hint = "the form is {\"schema\": \"tilewright/pins\", \"version\": "
                   "1, \"pins\": [{\"key\", \"target\", \"kind\", \"value\"}]}";
    return std::nullopt;
  };
  try {
    nlohmann::json document =
        nlohmann::json::parse(model::withoutComments(text));
    if (!document.is_object() || document.value("schema", "") != schema)
      return refuse("does not say \"schema\": \"tilewright/pins\"");
    PinsFile file;
    if (auto pins = document.find("pins"); pins != document.end()) {
      if (!pins->is_array())
        return refuse("has \"pins\" that is no list");
      for (size_t index = 0; index < pins->size(); ++index) {
        const nlohmann::json &entry = (*pins)[index];
        if (std::string fault = faultOf(entry); !fault.empty()) {
          file.unread.push_back({index, entry, std::move(fault)});
          continue;
        }
        file.pins.push_back(entry.get<model::Pin>());
        file.indices.push_back(index);
      }
    }
    for (const auto &[name, value] : document.items())
      if (name != "schema" && name != "version" && name != "pins")
        file.extra[name] = value;
    return file;
  } catch (const nlohmann::json::exception &error) {
    return refuse(std::string("cannot be read: ") + error.what());
  }
}

std::string PinsFile::str() const {
  std::vector<model::Pin> sorted = pins;
  std::sort(sorted.begin(), sorted.end(),
            [](const model::Pin &a, const model::Pin &b) {
              auto subject = [](const model::Pin &pin) {
                return std::tie(pin.key, pin.target, pin.kind);
              };
              if (subject(a) != subject(b))
                return subject(a) < subject(b);
              return nlohmann::json(a).dump() < nlohmann::json(b).dump();
            });
  nlohmann::ordered_json document;
  document["schema"] = schema;
  document["version"] = version;
  document["pins"] = nlohmann::ordered_json::array();
  for (const model::Pin &pin : sorted) {
    nlohmann::json whole = pin;
    nlohmann::ordered_json entry;
    // What a person looks for comes first; the rest by name.
    for (const char *name : {"key", "target", "kind", "value", "note"})
      if (auto it = whole.find(name); it != whole.end())
        entry[name] = *it;
    for (const auto &[name, value] : whole.items())
      if (!entry.contains(name))
        entry[name] = value;
    document["pins"].push_back(std::move(entry));
  }
  for (const Unread &other : unread)
    document["pins"].push_back(nlohmann::ordered_json(other.entry));
  for (const auto &[name, value] : extra.items())
    document[name] = value;
  return document.dump(2, ' ', false,
                       nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

static auto sameSubject(std::string_view key, std::string_view target,
                        std::string_view kind) {
  return [=](const model::Pin &pin) {
    return pin.key == key && pin.target == target && pin.kind == kind;
  };
}

void PinsFile::set(model::Pin pin) {
  auto it = std::find_if(pins.begin(), pins.end(),
                         sameSubject(pin.key, pin.target, pin.kind));
  if (it == pins.end()) {
    pins.push_back(std::move(pin));
    return;
  }
  // Fields of others that the caller did not know stay.
  for (const auto &[name, value] : it->extra.items())
    if (!pin.extra.contains(name))
      pin.extra[name] = value;
  *it = std::move(pin);
}

bool PinsFile::remove(std::string_view key, std::string_view target,
                      std::string_view kind) {
  return std::erase_if(pins, sameSubject(key, target, kind)) > 0;
}

const model::Pin *PinsFile::find(std::string_view key, std::string_view target,
                                 std::string_view kind) const {
  auto rank = [](const model::Pin &pin) {
    bool exactKey = pin.key.find_first_of("*?") == std::string::npos;
    bool exactTarget = pin.target.find_first_of("*?") == std::string::npos;
    return std::tuple(exactKey, exactTarget, pin.key.size());
  };
  const model::Pin *best = nullptr;
  for (const model::Pin &pin : pins)
    if (pin.kind == kind && matchesGlob(pin.key, key) &&
        matchesGlob(pin.target, target) && (!best || rank(pin) >= rank(*best)))
      best = &pin;
  return best;
}

} // namespace tilewright::decision
