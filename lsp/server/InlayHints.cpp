//===- InlayHints.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/InlayHints.h"
#include "core/model/Stage.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/CodeLenses.h"
#include "lsp/server/Parameters.h"
#include <algorithm>
#include <cmath>

namespace tilewright::lsp {

std::string InlayHints::label(const model::Estimate &kernel,
                              double total) const {
  std::string text = model::formatSeconds(kernel.seconds);
  std::string share;
  // Of a single kernel it says nothing.
  if (total > kernel.seconds)
    share = std::to_string(std::lround(100 * kernel.seconds / total)) + " %";
  if (session.chinese)
    return text + "（估计）" + (share.empty() ? "" : "，占 " + share) +
           "，受限于 " + kernel.bound;
  return text + " estimated" + (share.empty() ? "" : ", " + share + " of all") +
         ", bound by " + kernel.bound;
}

void InlayHints::answer(Request request, TextSnapshot text,
                        const std::string &uri, Places places) {
  requests.fetch(
      request, EngineRole::Compile, method::estimate,
      KeyParams{uri, session.target(), ""},
      [this, request, text, places = std::move(places)](Response estimate) {
        Json hints = Json::array();
        // A text that does not compile has no kernels; why is said elsewhere.
        if (estimate.error) {
          request->reply(std::move(hints));
          return;
        }
        // Keys of an older source could be at other places of this text.
        if (SessionState::isSource(text->uri()))
          Forwarder::checkVersion(estimate.result, *text);
        auto kernels = estimate.result.value("kernels", Json::array())
                           .get<std::vector<model::Estimate>>();
        double total = 0;
        for (const model::Estimate &kernel : kernels)
          total += kernel.seconds;
        const Json &range = request->params()["range"];
        int64_t first = range["start"]["line"], last = range["end"]["line"];
        for (const model::Estimate &kernel : kernels) {
          auto place = places.find(kernel.key);
          if (place == places.end())
            place = places.find(sourceKeyOf(kernel.key));
          if (place == places.end())
            continue;
          Json position = lspRange(*text, {place->second, place->second},
                                   session.encoding)["start"];
          if (position["line"] < first || position["line"] > last)
            continue;
          hints.push_back({{"position", std::move(position)},
                           {"label", label(kernel, total)},
                           {"paddingLeft", true}});
        }
        request->reply(std::move(hints));
      });
}

void InlayHints::ofSource(Request request, TextSnapshot text) {
  requests.fetch(request, EngineRole::Language, method::symbols,
                 DocumentParams{text->uri(), session.target()},
                 [this, request, text](Response symbols) {
                   if (symbols.error)
                     return request->fail(*symbols.error);
                   Forwarder::checkVersion(symbols.result, *text);
                   Places places;
                   auto open = symbols.result.value("symbols", Json::array())
                                   .get<std::vector<Symbol>>();
                   while (!open.empty()) {
                     Symbol symbol = std::move(open.back());
                     open.pop_back();
                     if (!symbol.key.empty())
                       places.emplace(symbol.key, symbol.range.end);
                     for (Symbol &child : symbol.children)
                       open.push_back(std::move(child));
                   }
                   answer(request, text, text->uri(), std::move(places));
                 });
}

void InlayHints::ofStage(Request request, TextSnapshot text) {
  auto stage = StageUri::parse(text->uri());
  requests.fetch(
      request, EngineRole::Compile, method::ir,
      StageParams{stage->source, session.target(), stage->stage},
      [this, request, text, stage](Response printed) {
        // What the client has open may be an older print: then there are none.
        if (printed.error ||
            printed.result.value("text", std::string()) != text->text())
          return request->reply(Json::array());
        Places places;
        for (const auto &span : printed.result.value("spans", Json::array())
                                    .get<std::vector<model::TextSpan>>()) {
          size_t line =
              std::min(text->text().find('\n', size_t(span.range.begin)),
                       text->text().size());
          for (const std::string &key : span.keys)
            places.emplace(key, std::min(int64_t(line), span.range.end));
        }
        answer(request, text, stage->source, std::move(places));
      });
}

void InlayHints::inlayHint(Request request) {
  requireForm(request->params(),
              {{"range",
                {{"start", {{"line", 0}, {"character", 0}}},
                 {"end", {{"line", 0}, {"character", 0}}}}}});
  texts.with(request, uriOf(request->params()),
             [this, request](TextSnapshot text) {
               if (SessionState::isSource(text->uri()))
                 ofSource(request, text);
               else
                 ofStage(request, text);
             });
}

void InlayHints::registerAt(Connection &connection) {
  connection.onAsyncRequest("textDocument/inlayHint", [this](Request request) {
    inlayHint(std::move(request));
  });
}

} // namespace tilewright::lsp
