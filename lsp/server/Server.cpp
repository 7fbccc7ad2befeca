//===- Server.cpp - one session of the language server --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Server.h"
#include "lsp/protocol/Params.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/Debouncer.h"
#include "lsp/server/LspConversion.h"
#include "lsp/server/OpenDocuments.h"
#include "lsp/server/Parameters.h"
#include <set>
#include <tuple>

namespace tilewright::lsp {

namespace {

using Request = std::shared_ptr<IncomingRequest>;

} // namespace

struct Server::Impl {
  Options options;

  // Session state; written by the reading thread before any request, read by
  // all.
  PositionEncoding encoding = PositionEncoding::Utf16;
  bool positions = false; ///< ranges in our results as positions, not bytes
  bool initialized = false;
  bool shutDown = false;
  bool exited = false;
  bool workDoneProgress = false;

  OpenDocuments documents;

  /// A call about a document that an edit of it makes stale.
  struct Compiling {
    std::string uri;
    int64_t id;
    std::shared_ptr<std::atomic<bool>> overtaken;
  };

  /// What is being found out about a text, and what has been.
  struct Check {
    uint64_t serial = 0; ///< tells it from those before and after it
    TextSnapshot text;
    std::string target;
    int64_t reading = -1;     ///< the call, while there is one
    int64_t compilation = -1; ///< likewise
    std::optional<std::vector<model::Diagnostic>> read, compiled;
    std::optional<Json> published;
  };

  std::mutex mutex; // guards the next four
  std::string target;
  std::vector<Compiling> compiling; ///< in flight
  std::map<std::string, Check> checks;
  uint64_t lastSerial = 0;

  std::mutex publishing; ///< what is told later is known later

  std::unique_ptr<Connection> rpc;
  std::unique_ptr<EngineSupervisor> enginesOwner;
  EngineSupervisor *engines = nullptr; ///< valid while its destructor runs, too
  Debouncer debouncer;

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
    if (!options.token.empty() && stringField(ours, "token") != options.token) {
      request->fail({ErrorCode::InvalidRequest,
                     "initializationOptions.tilewright.token is missing or "
                     "wrong; the server printed it when it started",
                     nullptr});
      rpc->flush(std::chrono::milliseconds(500));
      rpc->stop();
      return;
    }
    encoding = chooseEncoding(params);
    positions = stringField(ours, "ranges") == "positions";
    if (auto it = ours.find("diagnosticsDelay");
        it != ours.end() && it->is_number_integer())
      options.diagnosticsDelay = std::chrono::milliseconds(
          std::clamp<int64_t>(it->get<int64_t>(), 0, 60000));
    if (auto it = ours.find("compileDelay");
        it != ours.end() && it->is_number_integer())
      options.compileDelay = std::chrono::milliseconds(
          std::clamp<int64_t>(it->get<int64_t>(), -1, 60000));
    {
      std::lock_guard lock(mutex);
      target = stringField(ours, "target");
    }
    initialized = true;
    Json methods = Json::array();
    for (const std::string &name : rpc->methods())
      if (name.starts_with("tilewright/"))
        methods.push_back(name);
    request->reply(
        {{"capabilities",
          {{"positionEncoding", encoding},
           {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
           {"hoverProvider", true},
           {"definitionProvider", true},
           {"documentSymbolProvider", true},
           {"workspace",
            {{"textDocumentContent",
              {{"schemes", Json::array({"tilewright"})}}}}},
           {"experimental", {{"tilewright", {{"methods", methods}}}}}}},
         {"serverInfo",
          {{"name", "tilewright-lsp"}, {"version", TILEWRIGHT_VERSION}}}});
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

  //===--------------------------------------------------------------------===//
  // Documents
  //===--------------------------------------------------------------------===//

  TextSnapshot require(const std::string &uri) {
    TextSnapshot text = documents.find(uri);
    if (!text)
      refuse("TW0605", pathFromUri(uri) + " is not open", uri);
    if (std::string why = documents.outOfStep(uri); !why.empty())
      throw RequestError(ResponseError::of(outOfStep(uri, why)));
    return text;
  }

  static model::Diagnostic outOfStep(const std::string &uri,
                                     const std::string &why) {
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0612";
    diagnostic.message = "an edit of " + pathFromUri(uri) +
                         " could not be read (" + why +
                         "); the text here is no longer that in the editor";
    diagnostic.hint = "Close the file and open it again.";
    diagnostic.uri = uri;
    return diagnostic;
  }

  /// Says so where the text is: nothing found out about ours would be true.
  void tellOutOfStep(const std::string &uri, const std::string &why) {
    debouncer.drop(uri);
    stopCheck(uri);
    overtake(uri);
    TextSnapshot text = documents.find(uri);
    if (!text)
      return;
    rpc->notify(
        "textDocument/publishDiagnostics",
        {{"uri", uri},
         {"diagnostics",
          {lspDiagnostic(outOfStep(uri, why), *text, lookup(), encoding)}}});
  }

  /// A message that could not be read; had it been an edit, the text it was
  /// about would be another than ours from here on.
  void unreadable(std::string_view text) {
    if (text.find("textDocument/did") == std::string_view::npos)
      return;
    for (const std::string &uri : documents.uris()) {
      // As it stands, and with the slashes escaped.
      std::string escaped;
      for (char c : uri)
        escaped += c == '/' ? std::string("\\/") : std::string(1, c);
      if (text.find("\"" + uri + "\"") == std::string_view::npos &&
          text.find("\"" + escaped + "\"") == std::string_view::npos)
        continue;
      const char *why = "its message is no JSON";
      documents.setOutOfStep(uri, why);
      tellOutOfStep(uri, why);
    }
  }

  TextLookup lookup() {
    return [this](const std::string &uri) { return documents.find(uri); };
  }

  /// Stage documents are shown, not compiled.
  static bool isSource(const std::string &uri) {
    return !uri.starts_with("tilewright:");
  }

  void didOpen(const Json &params) {
    OpenDocuments::Opened opened = documents.open(params);
    if (!isSource(opened.uri))
      return;
    overtake(opened.uri);
    engines->open(opened.uri, opened.version, opened.text->text());
    // A text just opened is not being typed: check it at once.
    scheduleCheck(opened.uri, std::chrono::milliseconds(0));
  }

  void didChange(const Json &params) {
    auto changed = documents.change(params, encoding);
    if (!changed || !isSource(changed->uri))
      return;
    if (!changed->outOfStep.empty()) {
      tellOutOfStep(changed->uri, changed->outOfStep);
      return;
    }
    overtake(changed->uri);
    engines->change(changed->uri, changed->version, changed->edits);
    scheduleCheck(changed->uri, options.diagnosticsDelay);
  }

  void didClose(const Json &params) {
    requireForm(params, {{"textDocument", {{"uri", ""}}}});
    auto uri = params["textDocument"]["uri"].get<std::string>();
    documents.close(uri);
    if (!isSource(uri))
      return;
    overtake(uri);
    debouncer.drop(uri);
    stopCheck(uri);
    engines->close(uri);
    rpc->notify("textDocument/publishDiagnostics",
                {{"uri", uri}, {"diagnostics", Json::array()}});
  }

  /// The pins beside a text are compiled with it.
  void didChangeWatchedFiles(const Json &params) {
    requireForm(params, {{"changes", Json::array()}});
    for (const Json &change : params["changes"]) {
      std::string path = pathFromUri(stringField(change, "uri"));
      for (const std::string &uri : documents.uris())
        if (isSource(uri) && path == pathFromUri(uri) + ".pins.json")
          scheduleCheck(uri, options.diagnosticsDelay);
    }
  }

  //===--------------------------------------------------------------------===//
  // Diagnostics
  //===--------------------------------------------------------------------===//

  void scheduleCheck(const std::string &uri, std::chrono::milliseconds delay) {
    stopCheck(uri);
    debouncer.schedule(uri, delay, [this, uri] { check(uri); });
  }

  /// What is being found out about an older text is of no use.
  void stopCheck(const std::string &uri) {
    debouncer.drop(compileKey(uri));
    std::vector<int64_t> stale;
    {
      std::lock_guard lock(mutex);
      auto it = checks.find(uri);
      if (it == checks.end())
        return;
      stale = {it->second.reading, it->second.compilation};
      checks.erase(it);
    }
    for (int64_t id : stale)
      if (id >= 0)
        engines->cancel(id);
  }

  /// The debouncer's key for compiling a text; no URI has a space.
  static std::string compileKey(const std::string &uri) {
    return "compile " + uri;
  }

  /// Reads the text anew, tells at once what is wrong with it as it stands, and
  /// has it compiled afterwards to tell the rest.
  void check(const std::string &uri) {
    TextSnapshot text = documents.find(uri);
    if (!text || !documents.outOfStep(uri).empty())
      return;
    Check begun;
    begun.text = text;
    {
      std::lock_guard lock(mutex);
      begun.target = target;
      begun.serial = ++lastSerial;
      checks[uri] = begun;
    }
    ask(uri, begun, EngineRole::Language, method::diagnostics, &Check::reading,
        options.featureTimeout,
        [this, uri, begun](std::vector<model::Diagnostic> found) {
          bool wrong = false;
          for (const model::Diagnostic &each : found)
            wrong |= each.severity == model::Severity::Error;
          learn(uri, begun.serial, &Check::read, std::move(found));
          // The compiler would stop at the same errors.
          if (!wrong && options.compileDelay.count() >= 0)
            scheduleCompile(uri, begun);
        });
  }

  void scheduleCompile(const std::string &uri, const Check &begun) {
    std::lock_guard lock(mutex);
    // Under the lock: stopCheck() drops what is scheduled here, or comes first.
    if (!isCurrent(uri, begun.serial))
      return;
    debouncer.schedule(compileKey(uri), options.compileDelay,
                       [this, uri, begun] { compile(uri, begun); });
  }

  void compile(const std::string &uri, const Check &begun) {
    bool busy = false;
    {
      std::lock_guard lock(mutex);
      if (!isCurrent(uri, begun.serial) || checks[uri].compiled)
        return;
      for (const Compiling &call : compiling)
        busy |= call.uri == uri;
    }
    // What the client has asked for goes first, and most likely compiles it.
    if (busy) {
      scheduleCompile(uri, begun);
      return;
    }
    ask(uri, begun, EngineRole::Compile, method::stages, &Check::compilation,
        std::chrono::milliseconds(0),
        [this, uri, begun](std::vector<model::Diagnostic> found) {
          learn(uri, begun.serial, &Check::compiled, std::move(found));
        });
  }

  /// `mutex` is held.
  bool isCurrent(const std::string &uri, uint64_t serial) const {
    auto it = checks.find(uri);
    return it != checks.end() && it->second.serial == serial;
  }

  /// Sends a call whose answer has `diagnostics`, for `begun`.
  void ask(const std::string &uri, const Check &begun, EngineRole role,
           const char *name, int64_t Check::*id,
           std::chrono::milliseconds timeout,
           std::function<void(std::vector<model::Diagnostic>)> then) {
    EngineSupervisor::Call call;
    call.role = role;
    call.method = name;
    call.params = {{"uri", uri}, {"target", begun.target}};
    call.timeout = timeout;
    call.done = [text = begun.text, then = std::move(then)](Response response) {
      if (auto found = diagnosticsOf(*text, response))
        then(std::move(*found));
    };
    int64_t sent = engines->call(std::move(call));
    {
      std::lock_guard lock(mutex);
      if (isCurrent(uri, begun.serial)) {
        checks[uri].*id = sent;
        return;
      }
    }
    engines->cancel(sent);
  }

  /// Nothing if the call was given up, or is about another text: that text's
  /// own check tells of it.
  static std::optional<std::vector<model::Diagnostic>>
  diagnosticsOf(const TextDocument &text, const Response &response) {
    if (response.error) {
      if (response.error->code == ErrorCode::RequestCancelled ||
          response.error->code == ErrorCode::ContentModified ||
          response.error->code == ErrorCode::ConnectionClosed)
        return std::nullopt;
      return std::vector{response.error->diagnostic()};
    }
    try {
      auto result = response.result.get<DiagnosticsResult>();
      if (response.result.contains("documentVersion") &&
          result.documentVersion != text.version())
        return std::nullopt;
      return std::move(result.diagnostics);
    } catch (const Json::exception &e) {
      model::Diagnostic diagnostic;
      diagnostic.code = "TW0604";
      diagnostic.message =
          std::string("the compiler's diagnostics cannot be read: ") +
          describe(e);
      return std::vector{diagnostic};
    }
  }

  /// Keeps what was found, and publishes all that is known by now if that is
  /// another list than before.
  void learn(const std::string &uri, uint64_t serial,
             std::optional<std::vector<model::Diagnostic>> Check::*part,
             std::vector<model::Diagnostic> found) {
    std::lock_guard order(publishing);
    Check known;
    {
      std::lock_guard lock(mutex);
      if (!isCurrent(uri, serial))
        return;
      checks[uri].*part = std::move(found);
      known = checks[uri];
    }
    // Before it was read, what compiling found is only part of the truth.
    if (!known.read)
      return;
    Json list = listOf(known);
    if (known.published == list)
      return;
    documents.ifCurrent(uri, known.text->version(), [&] {
      {
        std::lock_guard lock(mutex);
        if (!isCurrent(uri, serial))
          return;
        checks[uri].published = list;
      }
      rpc->notify("textDocument/publishDiagnostics",
                  {{"uri", uri},
                   {"version", known.text->version()},
                   {"diagnostics", std::move(list)}});
    });
  }

  /// What reading and compiling have found, each thing once.
  Json listOf(const Check &known) {
    Json list = Json::array();
    std::set<std::tuple<std::string, int64_t, int64_t, std::string>> seen;
    for (const auto *part : {&known.read, &known.compiled}) {
      if (!*part)
        continue;
      for (const model::Diagnostic &each : **part) {
        if (list.size() == 1000)
          break; // an editor shows no more, and some stop responding
        if (seen.emplace(each.code, each.range.begin, each.range.end,
                         each.message)
                .second)
          list.push_back(lspDiagnostic(each, *known.text, lookup(), encoding));
      }
    }
    return list;
  }

  /// A stage table that the client asked for tells what compiling finds, too.
  void learnFromStages(const std::string &uri, int64_t version,
                       const std::string &of, const Json &result) {
    uint64_t serial = 0;
    {
      std::lock_guard lock(mutex);
      auto it = checks.find(uri);
      if (it == checks.end() || it->second.text->version() != version ||
          it->second.target != of)
        return;
      serial = it->second.serial;
    }
    try {
      learn(uri, serial, &Check::compiled,
            result.at("diagnostics").get<std::vector<model::Diagnostic>>());
    } catch (const Json::exception &) {
      // The client sees the answer itself.
    }
  }

  //===--------------------------------------------------------------------===//
  // Requests
  //===--------------------------------------------------------------------===//

  std::string currentTarget() {
    std::lock_guard lock(mutex);
    return target;
  }

  /// Sends the call and answers `request` with what `convert` makes of its
  /// result. With `of` the answer must be about that text: it is given up when
  /// the document is edited.
  void forward(Request request, EngineRole role, const char *name, Json params,
               std::function<Json(Json result)> convert,
               TextSnapshot of = nullptr) {
    Json token;
    if (request->params().is_object())
      token = request->params().value("workDoneToken", Json());
    bool language = role == EngineRole::Language;
    EngineSupervisor::Call call;
    call.role = role;
    call.method = name;
    call.params = std::move(params);
    if (language)
      call.timeout = options.featureTimeout;
    auto begun = std::make_shared<std::atomic<bool>>(false);
    if (!token.is_null())
      call.progress = [this, token, begun](const std::string &message,
                                           std::optional<double> fraction) {
        Json value = {{"kind", begun->exchange(true) ? "report" : "begin"},
                      {"message", message}};
        if (value["kind"] == "begin")
          value["title"] = "Tilewright";
        if (fraction)
          value["percentage"] =
              static_cast<int>(std::clamp(*fraction, 0.0, 1.0) * 100);
        rpc->notify("$/progress", {{"token", token}, {"value", value}});
      };
    auto overtaken = std::make_shared<std::atomic<bool>>(false);
    if (of) {
      std::lock_guard lock(mutex);
      compiling.push_back({of->uri(), -1, overtaken});
    }
    call.done = [this, request, token, begun, of, overtaken,
                 convert = std::move(convert)](Response response) {
      {
        std::lock_guard lock(mutex);
        std::erase_if(compiling, [&](const Compiling &call) {
          return call.overtaken == overtaken;
        });
      }
      if (*begun)
        rpc->notify("$/progress",
                    {{"token", token}, {"value", {{"kind", "end"}}}});
      if (*overtaken) {
        request->fail({ErrorCode::ContentModified,
                       "the text was edited in the meantime", nullptr});
        return;
      }
      if (response.error) {
        request->fail(*response.error);
        return;
      }
      try {
        if (of)
          checkVersion(response.result, *of);
        request->reply(convert(std::move(response.result)));
      } catch (const RequestError &e) {
        request->fail(e.error);
      } catch (const std::exception &e) {
        request->fail(
            {ErrorCode::InternalError,
             request->method() +
                 ": the compiler's answer cannot be read: " + describe(e),
             nullptr});
      }
    };
    int64_t id = engines->call(std::move(call));
    {
      std::lock_guard lock(mutex);
      for (Compiling &entry : compiling)
        if (entry.overtaken == overtaken)
          entry.id = id;
    }
    if (*overtaken)
      engines->cancel(id);
    request->cancel().onCancel([this, id] { engines->cancel(id); });
  }

  /// Gives up what the compiler does for an older text of `uri`: the requests
  /// get ContentModified.
  void overtake(const std::string &uri) {
    std::vector<int64_t> stale;
    {
      std::lock_guard lock(mutex);
      for (const Compiling &call : compiling)
        if (call.uri == uri) {
          *call.overtaken = true;
          stale.push_back(call.id); // -1, which is nobody's: not sent yet
        }
    }
    for (int64_t id : stale)
      engines->cancel(id);
  }

  /// The answer is about another text than the one the client asked about.
  static void checkVersion(const Json &result, const TextDocument &text) {
    if (result.is_object() && result.contains("documentVersion") &&
        result["documentVersion"] != text.version())
      throw RequestError(ErrorCode::ContentModified,
                         "the text was edited in the meantime");
  }

  int64_t offsetOf(const Json &params, const TextDocument &text) {
    if (auto it = params.find("position"); it != params.end())
      return text.offset(readParams<Position>(*it, "position"), encoding);
    if (params.find("offset") != params.end())
      return readParams<OffsetParams>(params).offset;
    refuse("TW0606", "'position' is missing", text.uri());
  }

  void hover(Request request) {
    std::string uri = uriOf(request->params());
    TextSnapshot text = require(uri);
    int64_t offset = offsetOf(request->params(), *text);
    if (auto stage = StageUri::parse(uri)) {
      TextSnapshot source = require(stage->source);
      forward(
          request, EngineRole::Compile, method::keyAt,
          KeyAtParams{stage->source, currentTarget(), offset, stage->stage},
          [this, text](Json result) -> Json {
            if (!result.is_object() || result.value("keys", Json()).empty())
              return nullptr;
            std::string words = "Comes from";
            for (const Json &key : result["keys"])
              words += " `" + key.get<std::string>() + "`";
            return {{"contents", {{"kind", "markdown"}, {"value", words}}},
                    {"range",
                     lspRange(*text, result.value("range", model::TextRange()),
                              encoding)}};
          },
          source);
      return;
    }
    forward(request, EngineRole::Language, method::hover,
            OffsetParams{uri, currentTarget(), offset},
            [this, text](Json result) -> Json {
              if (result.is_null())
                return nullptr;
              checkVersion(result, *text);
              auto hover = result.get<HoverResult>();
              return {{"contents",
                       {{"kind", "markdown"}, {"value", hover.markdown}}},
                      {"range", lspRange(*text, hover.range, encoding)}};
            });
  }

  void definition(Request request) {
    std::string uri = uriOf(request->params());
    TextSnapshot text = require(uri);
    int64_t offset = offsetOf(request->params(), *text);
    if (auto stage = StageUri::parse(uri)) {
      // From a stage's text to the source line it comes from.
      TextSnapshot source = require(stage->source);
      forward(
          request, EngineRole::Compile, method::keyAt,
          KeyAtParams{stage->source, currentTarget(), offset, stage->stage},
          [this, source](Json result) -> Json {
            if (!result.is_object() || result.value("source", Json()).is_null())
              return Json::array();
            auto range = result["source"].at("range").get<model::TextRange>();
            return Json::array(
                {{{"uri", source->uri()},
                  {"range", lspRange(*source, range, encoding)}}});
          },
          source);
      return;
    }
    forward(request, EngineRole::Language, method::definition,
            OffsetParams{uri, currentTarget(), offset},
            [this, text](Json result) -> Json {
              checkVersion(result, *text);
              Json places = Json::array();
              for (const Json &item : result.value("ranges", Json::array())) {
                auto place = item.get<Place>();
                TextSnapshot other =
                    place.uri == text->uri() ? text : documents.find(place.uri);
                if (other)
                  places.push_back(
                      {{"uri", place.uri},
                       {"range", lspRange(*other, place.range, encoding)}});
              }
              return places;
            });
  }

  void documentSymbol(Request request) {
    std::string uri = uriOf(request->params());
    TextSnapshot text = require(uri);
    if (!isSource(uri)) {
      request->reply(Json::array());
      return;
    }
    forward(request, EngineRole::Language, method::symbols,
            DocumentParams{uri, currentTarget()},
            [this, text](Json result) -> Json {
              checkVersion(result, *text);
              Json symbols = Json::array();
              for (const Json &item : result.value("symbols", Json::array()))
                symbols.push_back(
                    lspSymbol(item.get<Symbol>(), *text, encoding));
              return symbols;
            });
  }

  /// Our document methods: the params as the engine wants them.
  struct Prepared {
    TextSnapshot text;
    Json params;
  };
  Prepared prepare(const Request &request) {
    Prepared result;
    result.params = request->params();
    std::string uri = uriOf(result.params);
    if (auto stage = StageUri::parse(uri)) {
      if (stringField(result.params, "stage").empty())
        result.params["stage"] = stage->stage;
      uri = stage->source;
    }
    result.text = require(uri);
    result.params["uri"] = uri;
    result.params.erase("textDocument");
    result.params.erase("workDoneToken");
    result.params.erase("partialResultToken");
    if (stringField(result.params, "target").empty())
      result.params["target"] = currentTarget();
    return result;
  }

  /// stages, run, verify, diff, trace, compile, decisions …: ranges are in the
  /// source.
  void forwardDocument(Request request, const char *name) {
    Prepared call = prepare(request);
    // The last run may have been one of an older text.
    bool ofNow = std::string_view(name) != method::trace;
    bool stages = std::string_view(name) == method::stages;
    bool pins = std::string_view(name) == method::pin ||
                std::string_view(name) == method::unpin;
    std::string of = stringField(call.params, "target");
    forward(
        request, EngineRole::Compile, name, std::move(call.params),
        [this, text = call.text, stages, pins, of](Json result) {
          if (stages)
            learnFromStages(text->uri(), text->version(), of, result);
          if (pins) // what is wrong with them is told anew
            scheduleCheck(text->uri(), std::chrono::milliseconds(0));
          if (positions)
            convertRanges(result, *text, encoding);
          return result;
        },
        ofNow ? call.text : nullptr);
  }

  void forwardIr(Request request) {
    Prepared call = prepare(request);
    if (stringField(call.params, "stage").empty())
      refuse("TW0606", "'stage' is missing", call.text->uri());
    forward(
        request, EngineRole::Compile, method::ir, std::move(call.params),
        [this](Json result) {
          if (positions)
            convertRanges(result, TextDocument("", 0, result.value("text", "")),
                          encoding);
          return result;
        },
        call.text);
  }

  void forwardGraph(Request request) {
    Prepared call = prepare(request);
    if (stringField(call.params, "stage").empty())
      refuse("TW0606", "'stage' is missing", call.text->uri());
    Json params = call.params;
    if (!positions) {
      forward(
          request, EngineRole::Compile, method::graph, std::move(params),
          [](Json result) { return result; }, call.text);
      return;
    }
    // Ranges of nodes are in the stage's printed text: get that first.
    auto then = [this, request, params, of = call.text](TextSnapshot printed) {
      forward(
          request, EngineRole::Compile, method::graph, params,
          [this, printed](Json result) {
            convertRanges(result, *printed, encoding);
            return result;
          },
          of);
    };
    withPrinted(request, call.text, params, then);
  }

  void forwardKeyAt(Request request) {
    Prepared call = prepare(request);
    auto answer = [this, source = call.text](Json result, TextSnapshot asked) {
      if (positions && result.is_object()) {
        if (auto it = result.find("source"); it != result.end())
          convertRanges(*it, *source, encoding);
        if (auto it = result.find("range"); it != result.end())
          convertRanges(*it, *asked, encoding);
      }
      return result;
    };
    Json params = std::move(call.params);
    bool byOffset = !params.contains("position");
    if (stringField(params, "stage").empty()) {
      params["offset"] = offsetOf(params, *call.text);
      params.erase("position");
      forward(request, EngineRole::Language, method::keyAt, std::move(params),
              [answer, text = call.text](Json result) {
                checkVersion(result, *text);
                return answer(std::move(result), text);
              });
      return;
    }
    if (byOffset && !positions) {
      offsetOf(params, *call.text); // is there one?
      forward(
          request, EngineRole::Compile, method::keyAt, std::move(params),
          [](Json result) { return result; }, call.text);
      return;
    }
    auto then = [this, request, params, answer,
                 of = call.text](TextSnapshot printed) mutable {
      params["offset"] = offsetOf(params, *printed);
      params.erase("position");
      forward(
          request, EngineRole::Compile, method::keyAt, std::move(params),
          [answer, printed](Json result) {
            return answer(std::move(result), printed);
          },
          of);
    };
    withPrinted(request, call.text, params, then);
  }

  /// Fetches the printed text of `params.stage` and goes on with it.
  void withPrinted(Request request, TextSnapshot of, const Json &params,
                   std::function<void(TextSnapshot printed)> then) {
    EngineSupervisor::Call call;
    call.role = EngineRole::Compile;
    call.method = method::ir;
    call.params = {{"uri", params["uri"]},
                   {"target", params["target"]},
                   {"stage", params["stage"]}};
    call.done = [request, of, then = std::move(then)](Response response) {
      if (response.error) {
        request->fail(*response.error);
        return;
      }
      try {
        checkVersion(response.result, *of);
        then(std::make_shared<TextDocument>("", 0,
                                            response.result.value("text", "")));
      } catch (const RequestError &e) {
        request->fail(e.error);
      } catch (const std::exception &e) {
        request->fail({ErrorCode::InvalidParams, describe(e), nullptr});
      }
    };
    int64_t id = engines->call(std::move(call));
    request->cancel().onCancel([this, id] { engines->cancel(id); });
  }

  /// LSP 3.18's way to read a stage document.
  void textDocumentContent(Request request) {
    std::string uri = uriOf(request->params());
    auto stage = StageUri::parse(uri);
    if (!stage)
      refuse("TW0607", "not a stage document: " + uri, uri);
    TextSnapshot source = require(stage->source);
    forward(
        request, EngineRole::Compile, method::ir,
        StageParams{stage->source, currentTarget(), stage->stage},
        [](Json result) -> Json { return {{"text", result.at("text")}}; },
        source);
  }

  void targets(Request request) {
    Json params = Json::object();
    if (request->params().is_object()) {
      for (const char *field : {"name", "folder", "uri"})
        if (std::string value = stringField(request->params(), field);
            !value.empty())
          params[field] = value;
    }
    forward(request, EngineRole::Language, method::targets, std::move(params),
            [this](Json result) {
              std::string now = currentTarget();
              if (!now.empty())
                result["current"] = now;
              return result;
            });
  }

  /// About a folder, not about an open document.
  void forwardExperiments(Request request, const char *name) {
    if (!request->params().is_object())
      refuse("TW0606", "params must be an object");
    forward(request, EngineRole::Language, name, request->params(),
            [](Json result) { return result; });
  }

  void checkTarget(Request request) {
    if (!request->params().is_object() || !request->params().contains("text"))
      refuse("TW0606", "'text' is missing");
    forward(request, EngineRole::Language, method::checkTarget,
            request->params(), [this, params = request->params()](Json result) {
              if (positions)
                convertRanges(result,
                              TextDocument("", 0, stringField(params, "text")),
                              encoding);
              return result;
            });
  }

  void setTarget(Request request) {
    if (!request->params().is_object())
      refuse("TW0606", "params must be an object");
    std::string name = stringField(request->params(), "target");
    if (name.empty())
      refuse("TW0606", "'target' is missing");
    forward(request, EngineRole::Language, method::setTarget,
            SetTargetParams{name}, [this, name](Json result) {
              {
                std::lock_guard lock(mutex);
                target = name;
              }
              // What is legal depends on the target.
              for (const std::string &uri : documents.uris())
                if (isSource(uri))
                  scheduleCheck(uri, std::chrono::milliseconds(0));
              return result;
            });
  }

  void registerMethods() {
    auto async = [this](const char *name, void (Impl::*handler)(Request)) {
      rpc->onAsyncRequest(name, [this, handler](Request request) {
        (this->*handler)(std::move(request));
      });
    };
    async("initialize", &Impl::initialize);
    rpc->onAsyncRequest("shutdown", [this](Request request) {
      shutDown = true;
      request->reply(nullptr);
    });
    rpc->onNotification("exit", [this](const Json &) {
      exited = true;
      rpc->flush(std::chrono::milliseconds(500));
      rpc->stop();
    });
    for (const char *ignored :
         {"initialized", "$/setTrace", "workspace/didChangeConfiguration",
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
    note("workspace/didChangeWatchedFiles", &Impl::didChangeWatchedFiles);

    async("textDocument/hover", &Impl::hover);
    async("textDocument/definition", &Impl::definition);
    async("textDocument/documentSymbol", &Impl::documentSymbol);
    async("workspace/textDocumentContent", &Impl::textDocumentContent);
    for (const char *name : {method::experiments, method::compare})
      rpc->onAsyncRequest(name, [this, name](Request request) {
        forwardExperiments(std::move(request), name);
      });
    async(method::targets, &Impl::targets);
    async(method::setTarget, &Impl::setTarget);
    async(method::checkTarget, &Impl::checkTarget);
    async(method::ir, &Impl::forwardIr);
    async(method::graph, &Impl::forwardGraph);
    async(method::keyAt, &Impl::forwardKeyAt);
    for (const char *name :
         {method::stages, method::diff, method::memoryMap, method::run,
          method::verify, method::trace, method::compile, method::decisions,
          method::estimate, method::whatIf, method::pins, method::pin,
          method::unpin})
      rpc->onAsyncRequest(name, [this, name](Request request) {
        forwardDocument(std::move(request), name);
      });
  }
};

Server::Server(std::unique_ptr<ByteStream> stream, Options options)
    : impl(std::make_unique<Impl>()) {
  impl->options = std::move(options);
  impl->rpc = std::make_unique<Connection>(std::move(stream));
  EngineSupervisor::Options engines;
  engines.engine = impl->options.engine;
  engines.onEvent = [state = impl.get()](const std::string &what) {
    state->rpc->notify("window/logMessage", {{"type", 2}, {"message", what}});
  };
  impl->enginesOwner = std::make_unique<EngineSupervisor>(std::move(engines));
  impl->engines = impl->enginesOwner.get();
  impl->rpc->onGate(
      [state = impl.get()](const std::string &m) { return state->gate(m); });
  impl->rpc->onProtocolError([state = impl.get()](const std::string &what) {
    state->rpc->notify(
        "window/logMessage",
        {{"type", 1}, {"message", "a message could not be read: " + what}});
  });
  impl->rpc->onUnreadable(
      [state = impl.get()](std::string_view text) { state->unreadable(text); });
  impl->registerMethods();
}

Server::~Server() {
  // Whoever may still call into the rest goes first.
  impl->debouncer.stop();
  impl->enginesOwner.reset();
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
