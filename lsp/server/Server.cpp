//===- Server.cpp - one session of the language server --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Life cycle and documents; what clients ask is in LanguageRequests, Hovers,
// FeatureRequests and StageRequests, what is wrong with the texts in
// DocumentChecks.
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Server.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/CodeActions.h"
#include "lsp/server/CodeLenses.h"
#include "lsp/server/FeatureRequests.h"
#include "lsp/server/Hovers.h"
#include "lsp/server/InlayHints.h"
#include "lsp/server/LanguageRequests.h"
#include "lsp/server/Parameters.h"
#include "lsp/server/SemanticTokens.h"
#include "lsp/server/ServerCommands.h"
#include "lsp/server/StageJumps.h"
#include "lsp/server/StageRequests.h"
#include <algorithm>
#include <set>

namespace tilewright::lsp {

struct Server::Impl {
  SessionState session;
  Forwarder requests{session};
  DocumentChecks checks{session, requests};
  DocumentTexts texts{session, requests};
  LanguageRequests language{session, requests, texts};
  FeatureRequests features{session, requests, texts};
  Hovers hovers{session, requests, texts, checks};
  InlayHints hints{session, requests, texts};
  StageJumps jumps{session, requests, texts};
  StageRequests stages{session, requests, checks};
  SemanticTokens tokens{session, texts};
  CodeLenses lenses{session, requests};
  CodeActions actions{session, requests};
  ServerCommands commands{session, requests, checks};

  bool initialized = false;
  bool shutDown = false;

  std::unique_ptr<Connection> rpc;
  std::unique_ptr<EngineSupervisor> engines;

  //===--------------------------------------------------------------------===//
  // Life cycle
  //===--------------------------------------------------------------------===//

  std::optional<ResponseError> gate(const std::string &method) {
    if (method == "initialize" || method == "exit")
      return std::nullopt;
    if (!initialized)
      return ResponseError{ErrorCode::ServerNotInitialized,
                           "initialize must come first", nullptr};
    if (shutDown)
      return ResponseError{ErrorCode::InvalidRequest,
                           "only exit may follow shutdown", nullptr};
    return std::nullopt;
  }

  void initialize(Request request) {
    if (initialized)
      throw RequestError(ErrorCode::InvalidRequest, "initialized already");
    const Json &params = request->params();
    Json ours = Json::object();
    if (params.is_object())
      if (auto all = params.find("initializationOptions");
          all != params.end() && all->is_object())
        if (auto it = all->find("tilewright");
            it != all->end() && it->is_object())
          ours = *it;
    Server::Options &options = session.options;
    if (!options.token.empty() && stringField(ours, "token") != options.token) {
      request->fail({ErrorCode::InvalidRequest,
                     "initializationOptions.tilewright.token is missing or "
                     "wrong; the server printed it when it started",
                     nullptr});
      rpc->flush(std::chrono::milliseconds(500));
      rpc->stop();
      return;
    }
    session.encoding = chooseEncoding(params);
    session.positions = stringField(ours, "ranges") == "positions";
    session.watchesFiles =
        offers(params, "/capabilities/workspace/didChangeWatchedFiles/"
                       "dynamicRegistration");
    session.refreshesLenses =
        offers(params, "/capabilities/workspace/codeLens/refreshSupport");
    session.snippets =
        offers(params, "/capabilities/textDocument/completion/completionItem/"
                       "snippetSupport");
    session.labelOffsets =
        offers(params, "/capabilities/textDocument/signatureHelp/"
                       "signatureInformation/parameterInformation/"
                       "labelOffsetSupport");
    if (ours.value("changes", Json(false)) == true)
      requests.news().begin(*rpc);
    session.codeLens = ours.value("codeLens", Json(true)) != false;
    session.chinese =
        params.is_object() && stringField(params, "locale").starts_with("zh");
    for (const Json &name : ours.value("commands", Json::array()))
      if (name.is_string())
        session.commands.insert(name.get<std::string>());
    session.versionedEdits =
        offers(params, "/capabilities/workspace/workspaceEdit/documentChanges");
    if (auto it = ours.find("diagnosticsDelay");
        it != ours.end() && it->is_number_integer())
      options.diagnosticsDelay = std::chrono::milliseconds(
          std::clamp<int64_t>(it->get<int64_t>(), 0, 60000));
    if (auto it = ours.find("compileDelay");
        it != ours.end() && it->is_number_integer())
      options.compileDelay = std::chrono::milliseconds(
          std::clamp<int64_t>(it->get<int64_t>(), -1, 60000));
    session.setTarget(stringField(ours, "target"));
    Json trusted = ours.value("trusted", Json());
    session.trusted = trusted.is_null() ? options.trusted : trusted == true;
    initialized = true;
    Json methods = Json::array();
    for (const std::string &name : rpc->methods())
      if (name.starts_with("tilewright/"))
        methods.push_back(name);
    request->reply(
        {{"capabilities",
          {{"positionEncoding", session.encoding},
           {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
           {"hoverProvider", true},
           {"definitionProvider", true},
           {"declarationProvider", true},
           {"implementationProvider", true},
           {"referencesProvider", true},
           {"documentHighlightProvider", true},
           {"foldingRangeProvider", true},
           {"selectionRangeProvider", true},
           {"signatureHelpProvider",
            {{"triggerCharacters", {"(", ",", " "}},
             {"retriggerCharacters", {":"}}}},
           {"documentFormattingProvider", true},
           {"documentRangeFormattingProvider", true},
           {"callHierarchyProvider", true},
           {"documentSymbolProvider", true},
           {"completionProvider",
            {{"triggerCharacters", {"%", "@", ".", "{", "!", "#", "<"}}}},
           {"semanticTokensProvider",
            {{"legend", semanticTokensLegend()},
             {"full", {{"delta", true}}},
             {"range", true}}},
           {"inlayHintProvider", true},
           {"codeLensProvider", Json::object()},
           {"codeActionProvider",
            {{"codeActionKinds", {"quickfix", "refactor.rewrite"}}}},
           {"executeCommandProvider", {{"commands", ServerCommands::names()}}},
           {"renameProvider", {{"prepareProvider", true}}},
           {"workspace",
            {{"textDocumentContent",
              {{"schemes", Json::array({"tilewright"})}}}}},
           {"experimental", {{"tilewright", {{"methods", methods}}}}}}},
         {"serverInfo",
          {{"name", "tilewright-lsp"}, {"version", TILEWRIGHT_VERSION}}}});
  }

  /// Whether a client says true at `pointer` of its parameters.
  static bool offers(const Json &params, const char *pointer) {
    Json::json_pointer at(pointer);
    return params.contains(at) && params[at] == true;
  }

  static PositionEncoding chooseEncoding(const Json &params) {
    std::set<std::string> offered;
    try {
      for (const Json &name :
           params.at("capabilities").at("general").at("positionEncodings"))
        offered.insert(name.get<std::string>());
    } catch (const Json::exception &) {
      // Not offered: UTF-16 is what every client knows.
    }
    if (offered.count("utf-8"))
      return PositionEncoding::Utf8;
    if (offered.count("utf-16") || !offered.count("utf-32"))
      return PositionEncoding::Utf16;
    return PositionEncoding::Utf32;
  }

  /// The client is ready: it is asked to tell when pins files change.
  void watchPins() {
    if (!session.watchesFiles)
      return;
    rpc->request(
        "client/registerCapability",
        {{"registrations",
          Json::array(
              {{{"id", "tilewright-pins"},
                {"method", "workspace/didChangeWatchedFiles"},
                {"registerOptions",
                 {{"watchers",
                   Json::array(
                       {{{"globPattern", "**/*.pins.json"}},
                        {{"globPattern",
                          "**/.tilewright/overrides/**/*.json"}}})}}}}})}},
        [this](Response response) {
          if (response.error &&
              response.error->code != ErrorCode::ConnectionClosed)
            log(2, "pins files are not watched: " + response.error->message);
        });
  }

  void log(int type, const std::string &message) {
    rpc->notify("window/logMessage", {{"type", type}, {"message", message}});
  }

  //===--------------------------------------------------------------------===//
  // Documents
  //===--------------------------------------------------------------------===//

  /// Says so where the text is: nothing found out about ours would be true.
  void tellOutOfStep(const std::string &uri, const std::string &why) {
    checks.forget(uri);
    requests.overtake(uri);
    TextSnapshot text = session.documents.find(uri);
    if (!text)
      return;
    rpc->notify("textDocument/publishDiagnostics",
                {{"uri", uri},
                 {"diagnostics",
                  {lspDiagnostic(SessionState::outOfStep(uri, why), *text,
                                 session.lookup(), session.encoding)}}});
  }

  /// A message that could not be read; had it been an edit, the text it was
  /// about would be another than ours from here on.
  void unreadable(std::string_view text) {
    if (text.find("textDocument/did") == std::string_view::npos)
      return;
    for (const std::string &uri : session.documents.uris()) {
      // As it stands, and with the slashes escaped.
      std::string escaped;
      for (char c : uri)
        escaped += c == '/' ? std::string("\\/") : std::string(1, c);
      if (text.find("\"" + uri + "\"") == std::string_view::npos &&
          text.find("\"" + escaped + "\"") == std::string_view::npos)
        continue;
      const char *why = "its message is no JSON";
      session.documents.setOutOfStep(uri, why);
      tellOutOfStep(uri, why);
    }
  }

  void didOpen(const Json &params) {
    OpenDocuments::Opened opened = session.documents.open(params);
    if (!SessionState::isSource(opened.uri)) {
      // Read as it is, for what editors ask; never compiled.
      texts.forget(opened.uri);
      engines->open(*opened.text);
      return;
    }
    requests.overtake(opened.uri);
    checks.forget(opened.uri);
    engines->open(*opened.text);
    // A text just opened is not being typed: check it at once.
    checks.schedule(opened.uri, std::chrono::milliseconds(0));
  }

  void didChange(const Json &params) {
    auto changed = session.documents.change(params, session.encoding);
    if (!changed)
      return;
    if (!SessionState::isSource(changed->uri)) {
      if (changed->outOfStep.empty())
        engines->change(changed->uri, changed->version, changed->edits);
      return;
    }
    if (!changed->outOfStep.empty()) {
      tellOutOfStep(changed->uri, changed->outOfStep);
      return;
    }
    requests.overtake(changed->uri);
    engines->change(changed->uri, changed->version, changed->edits);
    checks.edited(changed->uri, changed->version, changed->edits);
  }

  void didClose(const Json &params) {
    requireForm(params, {{"textDocument", {{"uri", ""}}}});
    auto uri = params["textDocument"]["uri"].get<std::string>();
    session.documents.close(uri);
    texts.forget(uri);
    engines->close(uri);
    if (!SessionState::isSource(uri))
      return;
    requests.overtake(uri);
    checks.forget(uri);
    rpc->notify("textDocument/publishDiagnostics",
                {{"uri", uri}, {"diagnostics", Json::array()}});
  }

  /// The folder of a source's overrides, with the `/` behind it.
  static std::string overridesOf(const std::string &path) {
    size_t name = path.rfind('/') + 1;
    return path.substr(0, name) + ".tilewright/overrides/" + path.substr(name) +
           "/";
  }

  /// The pins and overrides beside a text are compiled with it.
  void didChangeWatchedFiles(const Json &params) {
    requireForm(params, {{"changes", Json::array()}});
    for (const Json &change : params["changes"]) {
      std::string path = pathFromUri(stringField(change, "uri"));
      for (const std::string &uri : session.documents.uris())
        if (SessionState::isSource(uri) &&
            (path == pathFromUri(uri) + ".pins.json" ||
             path.starts_with(overridesOf(pathFromUri(uri)))))
          checks.schedule(uri, session.options.diagnosticsDelay);
    }
  }

  /// The user has decided on the workspace. What runs already is not stopped.
  void setTrust(const Json &params) {
    requireForm(params, {{"trusted", true}});
    session.trusted = params["trusted"].get<bool>();
  }

  void registerMethods() {
    rpc->onAsyncRequest("initialize", [this](Request request) {
      initialize(std::move(request));
    });
    rpc->onAsyncRequest("shutdown", [this](Request request) {
      shutDown = true;
      request->reply(nullptr);
    });
    rpc->onNotification("exit", [this](const Json &) {
      rpc->flush(std::chrono::milliseconds(500));
      rpc->stop();
    });
    rpc->onNotification("initialized", [this](const Json &) { watchPins(); });
    for (const char *ignored :
         {"$/setTrace", "workspace/didChangeConfiguration",
          "textDocument/didSave"})
      rpc->onNotification(ignored, [](const Json &) {});
    auto note = [this](const char *name, void (Impl::*handler)(const Json &)) {
      rpc->onNotification(name, [this, handler](const Json &params) {
        (this->*handler)(params);
      });
    };
    note(method::didOpen, &Impl::didOpen);
    note(method::didChange, &Impl::didChange);
    note(method::didClose, &Impl::didClose);
    note(method::setTrust, &Impl::setTrust);
    note("workspace/didChangeWatchedFiles", &Impl::didChangeWatchedFiles);
    language.registerAt(*rpc);
    features.registerAt(*rpc);
    hovers.registerAt(*rpc);
    hints.registerAt(*rpc);
    jumps.registerAt(*rpc);
    stages.registerAt(*rpc);
    tokens.registerAt(*rpc);
    lenses.registerAt(*rpc);
    actions.registerAt(*rpc);
    commands.registerAt(*rpc);
  }
};

Server::Server(std::unique_ptr<ByteStream> stream, Options options)
    : impl(std::make_unique<Impl>()) {
  Impl *state = impl.get();
  state->session.options = std::move(options);
  state->rpc = std::make_unique<Connection>(std::move(stream));
  state->session.rpc = state->rpc.get();
  EngineSupervisor::Options engines;
  engines.engine = state->session.options.engine;
  engines.onEvent = [state](const std::string &what) { state->log(2, what); };
  state->engines = std::make_unique<EngineSupervisor>(std::move(engines));
  state->session.engines = state->engines.get();
  state->rpc->onGate([state](const std::string &m) { return state->gate(m); });
  state->rpc->onProtocolError([state](const std::string &what) {
    state->log(1, "a message could not be read: " + what);
  });
  state->rpc->onUnreadable(
      [state](std::string_view text) { state->unreadable(text); });
  state->registerMethods();
}

Server::~Server() {
  // Whoever may still call into the rest goes first.
  impl->checks.stop();
  impl->hovers.stop();
  impl->engines.reset();
  impl->session.drawing.reset();
  impl->rpc.reset();
}

int Server::run() {
  impl->rpc->run();
  return impl->shutDown ? 0 : 1;
}

std::vector<std::string> Server::methods() const {
  return impl->rpc->methods();
}

} // namespace tilewright::lsp
