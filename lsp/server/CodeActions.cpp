//===- CodeActions.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/CodeActions.h"
#include "core/model/Pins.h"
#include "core/model/WhatIf.h"
#include "lsp/server/CodeLenses.h"
#include "lsp/server/Parameters.h"
#include "lsp/server/ServerCommands.h"
#include <charconv>

namespace tilewright::lsp {

std::string proposedWord(const std::string &message) {
  constexpr std::string_view opening = "did you mean '";
  size_t begin = message.find(opening);
  if (begin == std::string::npos)
    return {};
  begin += opening.size();
  size_t end = message.find('\'', begin);
  if (end == std::string::npos || end == begin ||
      message.substr(end, 2) != "'?")
    return {};
  return message.substr(begin, end - begin);
}

std::optional<Json> proposedSizes(const std::string &message, Json value) {
  constexpr std::string_view closing = " would do";
  size_t end = message.find(closing);
  if (end == std::string::npos || !value.is_object())
    return std::nullopt;
  // "…; L1.m=128, L0.k=64 would do"
  size_t begin = message.find_last_of(";\n", end);
  std::string_view list(message);
  list = list.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1));
  bool any = false;
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    list.remove_prefix(std::min(list.size(), comma + 1));
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    size_t dot = item.find('.'), equals = item.find('=');
    if (dot == std::string_view::npos || equals == std::string_view::npos ||
        dot > equals)
      return std::nullopt;
    std::string level(item.substr(0, dot)),
        dim(item.substr(dot + 1, equals - dot - 1));
    int64_t size = 0;
    std::string_view digits = item.substr(equals + 1);
    auto read =
        std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() ||
        !value.contains(level) || !value[level].is_object() ||
        !value[level].contains(dim))
      return std::nullopt;
    value[level][dim] = size;
    any = true;
  }
  return any ? std::optional(std::move(value)) : std::nullopt;
}

namespace {

bool isWanted(const Json &context, std::string_view kind) {
  auto only = context.find("only");
  if (only == context.end() || !only->is_array())
    return true;
  for (const Json &each : *only)
    if (each.is_string()) {
      auto name = each.get<std::string>();
      if (name.empty() || kind == name || kind.starts_with(name + "."))
        return true;
    }
  return false;
}

/// Those of ours; each an object.
Json ourDiagnostics(const Json &context) {
  Json ours = Json::array();
  auto all = context.find("diagnostics");
  if (all != context.end() && all->is_array())
    for (const Json &each : *all)
      if (each.is_object() && each.value("source", Json()) == "tilewright" &&
          each.value("message", Json()).is_string() &&
          each.value("code", Json()).is_string() && each.contains("range"))
        ours.push_back(each);
  return ours;
}

Json commandAction(const std::string &title, const char *kind,
                   const char *command, Json argument) {
  return {{"title", title},
          {"kind", kind},
          {"command",
           {{"title", title},
            {"command", command},
            {"arguments", Json::array({std::move(argument)})}}}};
}

/// The diagnostic's word is another than the proposed one: that is put there.
Json wordFixes(const std::string &uri, const Json &diagnostics,
               const std::string &verb) {
  Json fixes = Json::array();
  for (const Json &diagnostic : diagnostics) {
    std::string word = proposedWord(diagnostic["message"].get<std::string>());
    if (word.empty())
      continue;
    Json edit = {{"range", diagnostic["range"]}, {"newText", word}};
    fixes.push_back({{"title", verb + "'" + word + "'"},
                     {"kind", "quickfix"},
                     {"diagnostics", Json::array({diagnostic})},
                     {"isPreferred", true},
                     {"edit", {{"changes", {{uri, Json::array({edit})}}}}}});
  }
  return fixes;
}

} // namespace

/// What the pins that a message is about can become.
Json CodeActions::pinFixes(const std::string &uri, const Json &diagnostics,
                           const Json &pins) const {
  Json fixes = Json::array();
  for (const Json &diagnostic : diagnostics) {
    auto message = diagnostic["message"].get<std::string>();
    auto code = diagnostic["code"].get<std::string>();
    for (const Json &state : pins.value("pins", Json::array())) {
      if (state.value("code", "") != code ||
          state.value("reason", "").empty() ||
          message.find(state["reason"].get<std::string>().substr(
              0, state["reason"].get<std::string>().find(';'))) ==
              std::string::npos)
        continue;
      auto pin = state.at("pin").get<model::Pin>();
      Json named = {{"uri", uri},
                    {"key", pin.key},
                    {"kind", pin.kind},
                    {"pinTarget", pin.target}};
      auto add = [&](Json action) {
        action["diagnostics"] = Json::array({diagnostic});
        fixes.push_back(std::move(action));
      };
      if (auto sizes = proposedSizes(message, pin.value)) {
        Json argument = named;
        argument["value"] = *sizes;
        if (!pin.note.empty())
          argument["note"] = pin.note;
        model::Decision accepted;
        accepted.kind = pin.kind;
        accepted.value = *sizes;
        Json action =
            commandAction(words("Pin ", "固定 ") + decisionText(accepted) +
                              words(" instead", ""),
                          "quickfix", ServerCommands::pin, argument);
        action["isPreferred"] = true;
        add(std::move(action));
      }
      add(commandAction(words("Remove the pin ", "删除固定 ") + pin.kind + " " +
                            pin.key,
                        "quickfix", ServerCommands::unpin, named));
    }
  }
  return fixes;
}

/// Each decision on the operation: held, or let go.
Json CodeActions::pinActions(const std::string &uri,
                             const Json &decisions) const {
  Json actions = Json::array();
  for (const auto &decision : decisions.value("decisions", Json::array())
                                  .get<std::vector<model::Decision>>()) {
    std::string what = decision.kind + " " + decisionText(decision);
    // Menus are narrow.
    if (what.size() > 80)
      what = decision.kind;
    what += words(" of ", "：") + decision.key;
    Json argument = {
        {"uri", uri}, {"key", decision.key}, {"kind", decision.kind}};
    if (decision.origin == model::DecisionOrigin::Pinned) {
      actions.push_back(commandAction(words("Unpin ", "取消固定 ") + what,
                                      "refactor.rewrite", ServerCommands::unpin,
                                      argument));
      continue;
    }
    argument["value"] = decision.value;
    argument["pinTarget"] = decision.target;
    actions.push_back(commandAction(words("Pin ", "固定 ") + what,
                                    "refactor.rewrite", ServerCommands::pin,
                                    argument));
  }
  return actions;
}

void CodeActions::codeAction(Request request) {
  const Json &params = request->params();
  requireForm(params, {{"range", {{"start", {{"line", 0}, {"character", 0}}}}},
                       {"context", Json::object()}});
  std::string uri = uriOf(params);
  TextSnapshot text = session.require(uri);
  if (!SessionState::isSource(uri)) {
    request->reply(Json::array());
    return;
  }
  const Json &context = params["context"];
  Json actions = Json::array(), ofPins = Json::array();
  if (isWanted(context, "quickfix")) {
    Json diagnostics = ourDiagnostics(context);
    actions = wordFixes(uri, diagnostics, words("Replace by ", "替换为 "));
    for (const Json &each : diagnostics)
      if (each["code"].get<std::string>().starts_with("TW02"))
        ofPins.push_back(each);
  }
  int64_t offset = offsetOf({{"position", params["range"]["start"]}}, *text,
                            session.encoding);

  auto addDecisions = [this, request, uri, text, offset](Json actions) {
    if (!isWanted(request->params()["context"], "refactor.rewrite")) {
      request->reply(std::move(actions));
      return;
    }
    // What cannot be found out about a text adds nothing; why is said
    // elsewhere.
    requests.fetch(
        request, EngineRole::Language, method::keyAt,
        KeyAtParams{uri, session.target(), offset, ""},
        [this, request, uri, actions](Response at) {
          Json keys = at.error || !at.result.is_object()
                          ? Json()
                          : at.result.value("keys", Json());
          if (!keys.is_array() || keys.empty()) {
            request->reply(actions);
            return;
          }
          requests.fetch(
              request, EngineRole::Compile, method::decisions,
              KeyParams{uri, session.target(), keys[0].get<std::string>()},
              [this, request, uri, actions](Response decisions) mutable {
                if (!decisions.error)
                  for (Json &action : pinActions(uri, decisions.result))
                    actions.push_back(std::move(action));
                request->reply(std::move(actions));
              });
        });
  };
  if (ofPins.empty()) {
    addDecisions(std::move(actions));
    return;
  }
  requests.fetch(
      request, EngineRole::Compile, method::pins,
      DocumentParams{uri, session.target()},
      [this, uri, ofPins, actions, addDecisions](Response pins) mutable {
        if (!pins.error)
          for (Json &fix : pinFixes(uri, ofPins, pins.result))
            actions.push_back(std::move(fix));
        addDecisions(std::move(actions));
      });
}

void CodeActions::registerAt(Connection &connection) {
  connection.onAsyncRequest("textDocument/codeAction", [this](Request request) {
    codeAction(std::move(request));
  });
}

} // namespace tilewright::lsp
