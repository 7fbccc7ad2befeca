//===- Hovers.cpp ---------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Hovers.h"
#include "core/model/Decision.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/Parameters.h"

namespace tilewright::lsp {

/// How long the compiler may take to tell of decisions.
static constexpr std::chrono::milliseconds patience{150};

/// One hover, as far as it has come.
struct Hovers::Asked {
  Request request;
  TextSnapshot text;
  int64_t offset = 0;
  PositionEncoding encoding;
  HoverResult hover;
  std::string key; ///< of the source's operation; may be empty
  std::atomic<bool> answered{false};

  void add(const std::string &part) {
    if (!part.empty())
      hover.markdown += (hover.markdown.empty() ? "" : "\n\n") + part;
  }
  void answer() {
    if (!answered.exchange(true))
      reply();
  }
  /// By who has set `answered`; nobody else touches the rest from then on.
  void reply() {
    if (hover.markdown.empty())
      return request->reply(nullptr);
    request->reply(
        {{"contents", {{"kind", "markdown"}, {"value", hover.markdown}}},
         {"range", lspRange(*text, hover.range, encoding)}});
  }
};

void Hovers::hover(Request request) {
  texts.with(
      request, uriOf(request->params()), [this, request](TextSnapshot text) {
        auto asked = std::make_shared<Asked>();
        asked->request = request;
        asked->text = text;
        asked->encoding = session.encoding;
        asked->offset = offsetOf(request->params(), *text, session.encoding);
        tellText(asked);
      });
}

/// What the text itself says: types, documentation.
void Hovers::tellText(std::shared_ptr<Asked> asked) {
  requests.fetch(
      asked->request, EngineRole::Language, method::hover,
      OffsetParams{asked->text->uri(), session.target(), asked->offset},
      [this, asked](Response response) {
        if (response.error)
          return asked->request->fail(*response.error);
        Forwarder::checkVersion(response.result, *asked->text);
        bool stage = !SessionState::isSource(asked->text->uri());
        if (!response.result.is_null())
          asked->hover = response.result.get<HoverResult>();
        else if (!stage)
          return asked->answer();
        tellKeys(asked);
      });
}

/// The keys there; in a stage they are part of the answer.
void Hovers::tellKeys(std::shared_ptr<Asked> asked) {
  auto stage = StageUri::parse(asked->text->uri());
  KeyAtParams params{asked->text->uri(), session.target(), asked->offset, ""};
  if (stage) {
    params.uri = stage->source;
    params.stage = stage->stage;
  }
  requests.fetch(
      asked->request, stage ? EngineRole::Compile : EngineRole::Language,
      method::keyAt, params, [this, asked, stage](Response response) {
        // A source that does not compile any more has its stages still.
        Json found = response.error || !response.result.is_object()
                         ? Json::object()
                         : std::move(response.result);
        std::string words;
        for (const Json &key : found.value("keys", Json::array())) {
          if (asked->key.empty())
            asked->key = key.get<std::string>();
          words += (words.empty() ? "Comes from `" : " `") +
                   key.get<std::string>() + "`";
        }
        if (stage) {
          Json range = found.value("range", Json());
          if (asked->hover.markdown.empty() && !range.is_null())
            asked->hover.range = range.get<model::TextRange>();
          asked->add(words);
        }
        tellDecisions(asked);
      });
}

/// The decisions, and what the kernel is estimated to cost.
void Hovers::tellDecisions(std::shared_ptr<Asked> asked) {
  auto stage = StageUri::parse(asked->text->uri());
  std::string uri = stage ? stage->source : asked->text->uri();
  TextSnapshot source = session.documents.find(uri);
  if (asked->key.empty() || !source ||
      !checks.isCompiled(uri, source->version(), session.target()))
    return asked->answer();
  std::string serial = std::to_string(++lastSerial);
  deadlines.schedule(serial, patience, [asked] { asked->answer(); });
  requests.fetch(asked->request, EngineRole::Compile, method::decisions,
                 KeyParams{uri, session.target(), asked->key},
                 [this, asked, serial](Response response) {
                   deadlines.drop(serial);
                   if (asked->answered.exchange(true))
                     return;
                   // A function, for one, has no kernel that decisions would be
                   // about.
                   if (!response.error) {
                     auto list = response.result.get<model::DecisionList>();
                     if (!list.explanation.empty())
                       asked->add("---\n```text\n" + list.explanation +
                                  "\n```");
                   }
                   asked->reply();
                 });
}

void Hovers::registerAt(Connection &connection) {
  connection.onAsyncRequest("textDocument/hover", [this](Request request) {
    hover(std::move(request));
  });
}

} // namespace tilewright::lsp
