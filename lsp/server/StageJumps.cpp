//===- StageJumps.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/StageJumps.h"
#include "core/model/Stage.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/Parameters.h"
#include <algorithm>

namespace tilewright::lsp {

/// One request, as far as it has come.
struct StageJumps::Jump {
  Request request;
  TextSnapshot source;
  std::vector<std::string> keys;
  std::vector<std::string> stages; ///< still to be searched
  Json places = Json::array();
};

/// The key itself, a part, an operand or a result of it.
static bool isPartOf(std::string_view key, std::string_view whole) {
  return key.starts_with(whole) &&
         (key.size() == whole.size() ||
          std::string_view(".#:/").find(key[whole.size()]) !=
              std::string_view::npos);
}

void StageJumps::searchNext(std::shared_ptr<Jump> jump) {
  if (jump->keys.empty() || jump->stages.empty())
    return jump->request->reply(std::move(jump->places));
  std::string stage = jump->stages.back();
  jump->stages.pop_back();
  requests.fetch(
      jump->request, EngineRole::Compile, method::ir,
      StageParams{jump->source->uri(), session.target(), stage},
      [this, jump, stage](Response response) {
        if (!response.error) {
          Forwarder::checkVersion(response.result, *jump->source);
          auto printed = response.result.get<model::PrintedStage>();
          TextDocument text("", 0, std::move(printed.text));
          std::string uri = StageUri{stage, jump->source->uri()}.str();
          int64_t behind =
              -1; // of the place before, whose insides are left out
          for (const model::TextSpan &span : printed.spans) {
            bool wanted = std::any_of(
                span.keys.begin(), span.keys.end(), [&](const auto &own) {
                  return std::any_of(jump->keys.begin(), jump->keys.end(),
                                     [&](const std::string &key) {
                                       return isPartOf(own, key);
                                     });
                });
            if (!wanted || span.range.begin < behind)
              continue;
            behind = span.range.end;
            jump->places.push_back(
                {{"uri", uri},
                 {"range", lspRange(text, span.range, session.encoding)}});
          }
        }
        searchNext(jump);
      });
}

void StageJumps::implementation(Request request) {
  texts.with(
      request, uriOf(request->params()), [this, request](TextSnapshot text) {
        auto stage = StageUri::parse(text->uri());
        auto jump = std::make_shared<Jump>();
        jump->request = request;
        jump->source = stage ? session.require(stage->source) : text;
        std::string here =
            stage ? stage->stage.substr(0, stage->stage.find('/')) : "";
        // The last is searched first.
        for (const char *name : {"block", "tile", "tensor"})
          if (name != here)
            jump->stages.push_back(name);
        KeyAtParams params{jump->source->uri(), session.target(),
                           offsetOf(request->params(), *text, session.encoding),
                           stage ? stage->stage : ""};
        requests.fetch(
            request, stage ? EngineRole::Compile : EngineRole::Language,
            method::keyAt, params, [this, jump](Response response) {
              if (response.error)
                return jump->request->fail(*response.error);
              Forwarder::checkVersion(response.result, *jump->source);
              jump->keys = response.result.value("keys", Json::array())
                               .get<std::vector<std::string>>();
              searchNext(jump);
            });
      });
}

void StageJumps::registerAt(Connection &connection) {
  connection.onAsyncRequest(
      "textDocument/implementation",
      [this](Request request) { implementation(std::move(request)); });
}

} // namespace tilewright::lsp
