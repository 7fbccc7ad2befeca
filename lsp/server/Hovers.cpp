//===- Hovers.cpp ---------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Hovers.h"
#include "core/model/Decision.h"
#include "core/model/Estimate.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/Parameters.h"

namespace tilewright::lsp {

/// How long the compiler may take to tell of decisions.
static constexpr std::chrono::milliseconds patience{100};
/// The same while a text is read or compiled: what it tells then comes late,
/// and a person should not wait for another text.
static constexpr std::chrono::milliseconds hurry{4};

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

/// Names in a stage are no keys of the source; those come from elsewhere.
static void dropKeys(std::string &markdown) {
  for (size_t at = markdown.find("key `"); at != std::string::npos;
       at = markdown.find("key `", at + 1)) {
    size_t line = at == 0 ? at : markdown.rfind('\n', at - 1) + 1;
    if (line != at && markdown.compare(line, at - line, "argument, ") != 0)
      continue;
    size_t end = std::min(markdown.find('\n', at), markdown.size());
    markdown.erase(line, end - line);
    return;
  }
}

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
        if (response.result.is_null() && !stage)
          return asked->answer();
        if (!response.result.is_null())
          asked->hover = response.result.get<HoverResult>();
        if (stage) {
          dropKeys(asked->hover.markdown);
          return tellKeys(asked);
        }
        asked->key = std::move(asked->hover.key);
        tellDecisions(asked);
      });
}

/// The keys there; in a stage they are part of the answer.
void Hovers::tellKeys(std::shared_ptr<Asked> asked) {
  auto stage = StageUri::parse(asked->text->uri());
  requests.fetch(
      asked->request, EngineRole::Compile, method::keyAt,
      KeyAtParams{stage->source, session.target(), asked->offset, stage->stage},
      [this, asked](Response response) {
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
        Json range = found.value("range", Json());
        if (asked->hover.markdown.empty() && !range.is_null())
          asked->hover.range = range.get<model::TextRange>();
        asked->add(words);
        tellDecisions(asked);
      });
}

void Hovers::tellDecisions(std::shared_ptr<Asked> asked) {
  auto stage = StageUri::parse(asked->text->uri());
  std::string uri = stage ? stage->source : asked->text->uri();
  TextSnapshot source = session.documents.find(uri);
  if (asked->key.empty() || !source ||
      !checks.isCompiled(uri, source->version(), session.target()))
    return asked->answer();
  std::string serial = std::to_string(++lastSerial);
  deadlines.schedule(serial, checks.isBusy() ? hurry : patience,
                     [asked] { asked->answer(); });
  requests.fetch(asked->request, EngineRole::Compile, method::decisions,
                 KeyParams{uri, session.target(), asked->key},
                 [this, asked, uri, serial](Response response) {
                   std::string decisions;
                   // A function, for one, has no kernel that decisions would be
                   // about.
                   if (!response.error)
                     decisions =
                         response.result.get<model::DecisionList>().explanation;
                   tellTimes(asked, uri, std::move(decisions), serial);
                 });
}

/// What was measured in the last run, if there was one.
void Hovers::tellTimes(std::shared_ptr<Asked> asked, const std::string &uri,
                       std::string decisions, const std::string &deadline) {
  requests.fetch(
      asked->request, EngineRole::Compile, method::trace,
      KeyParams{uri, session.target(), asked->key},
      [this, asked, uri, decisions = std::move(decisions),
       deadline](Response response) {
        deadlines.drop(deadline);
        if (asked->answered.exchange(true))
          return;
        if (!decisions.empty())
          asked->add("---\n```text\n" + decisions + "\n```");
        if (!response.error) {
          TextSnapshot source = session.documents.find(uri);
          bool older =
              !source || response.result.value("documentVersion", int64_t(0)) !=
                             source->version();
          for (const Json &kernel :
               response.result.value("kernels", Json::array()))
            asked->add(
                "`" + kernel.at("name").get<std::string>() + "`: " +
                model::formatSeconds(double(kernel.at("total").get<int64_t>()) *
                                     1e-9) +
                " measured in the last run" +
                (older ? " (of an older text)" : "") + ", " +
                std::to_string(kernel.at("count").get<int64_t>()) +
                " tasks of " +
                model::formatSeconds(kernel.at("mean").get<double>() * 1e-9) +
                " on average");
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
