//===- LspBackend.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/LspBackend.h"

#include "gui/DiagnosticHints.h"
#include "gui/DiagnosticTitles.h"
#include "lsp/client/Locate.h"
#include "lsp/protocol/JsonFault.h"
#include "lsp/protocol/Position.h"
#include <QCoreApplication>

namespace tilewright::gui {

using lsp::Json;

static constexpr int mostRestarts = 3;
static constexpr int calmAfterMs = 60'000;

static Json json(DocumentPosition position) {
  return {{"line", position.line}, {"character", position.character}};
}
static Json json(const DocumentRange &range) {
  return {{"start", json(range.begin)}, {"end", json(range.end)}};
}
static DocumentRange rangeOf(const Json &value) {
  auto range = value.get<lsp::Range>();
  return {{int(range.start.line), int(range.start.character)},
          {int(range.end.line), int(range.end.character)}};
}
static QString text(const Json &object, const char *name) {
  auto found = object.find(name);
  return found != object.end() && found->is_string()
             ? QString::fromStdString(found->get<std::string>())
             : QString();
}

LspBackend::LspBackend(QString program, QObject *parent)
    : StudioBackend(parent), program(std::move(program)) {
  calm.setSingleShot(true);
  connect(&calm, &QTimer::timeout, this, [this] { restarts = 0; });
}

LspBackend::~LspBackend() {
  stopping = true;
  ++life;
  if (client)
    client->shutdown(std::chrono::milliseconds(500));
}

qint64 LspBackend::serverPid() const {
  return client ? qint64(client->process().pid()) : -1;
}

void LspBackend::start() { launch(); }

void LspBackend::launch() {
  ready = false;
  emit stateChanged(restarts ? EngineState::Restarting : EngineState::Starting,
                    {});
  lsp::ChildProcess::Options options;
  options.program =
      program.isEmpty() ? lsp::locateServer() : program.toStdString();
  std::string error;
  ++life;
  client = lsp::Client::spawn(options, error);
  if (!client) {
    failed = true;
    emit stateChanged(
        EngineState::Failed,
        tr("The language server %1 cannot be started: %2. Put it beside Studio "
           "or name it in TILEWRIGHT_LSP.")
            .arg(QString::fromStdString(options.program),
                 QString::fromStdString(error)));
    for (Queued &queued : std::exchange(waiting, {}))
      queued.done({Json(), lsp::ResponseError{lsp::ErrorCode::ConnectionClosed,
                                              "no language server", Json()}});
    return;
  }
  failed = false;
  // What handlers deliver is posted to this thread; `own` drops the words of a
  // server that has been replaced.
  auto post = [this, own = life](auto act) {
    QMetaObject::invokeMethod(
        this,
        [this, own, act = std::move(act)] {
          if (own == life)
            act();
        },
        Qt::QueuedConnection);
  };
  lsp::Connection &connection = client->connection();
  connection.onNotification(
      "textDocument/publishDiagnostics", [this, post](const Json &params) {
        post([this, params] { receiveDiagnostics(params); });
      });
  connection.onNotification("$/progress", [this, post](const Json &params) {
    post([this, params] { receiveProgress(params); });
  });
  connection.onNotification("window/logMessage", [](const Json &) {});
  connection.onNotification("window/showMessage", [](const Json &) {});
  connection.onRequest("window/workDoneProgress/create",
                       [](lsp::IncomingRequest &) { return Json(); });
  connection.onRequest("client/registerCapability",
                       [](lsp::IncomingRequest &) { return Json(); });
  connection.onRequest("workspace/configuration",
                       [](lsp::IncomingRequest &) { return Json::array(); });
  client->start(
      [this, post](const lsp::ExitStatus &status, const std::string &tail) {
        post([this, status, tail] { ended(status, tail); });
      });
  Json capabilities = {
      {"general", {{"positionEncodings", {"utf-8", "utf-16"}}}},
      {"textDocument",
       {{"documentSymbol", {{"hierarchicalDocumentSymbolSupport", true}}},
        {"hover", {{"contentFormat", {"markdown"}}}},
        {"publishDiagnostics", {{"versionSupport", true}}}}},
      {"window", {{"workDoneProgress", true}}}};
  Json params = {{"processId", int64_t(QCoreApplication::applicationPid())},
                 {"clientInfo", {{"name", "tilewright-studio"}}},
                 {"rootUri", nullptr},
                 {"capabilities", capabilities}};
  connection.request(
      "initialize", params, [this, post](lsp::Response response) {
        bool utf8 = false;
        if (!response.error && response.result.is_object()) {
          auto capabilities = response.result.find("capabilities");
          utf8 = capabilities != response.result.end() &&
                 text(*capabilities, "positionEncoding") == "utf-8";
        }
        if (!response.error)
          post([this, utf8] { initialized(utf8); });
      });
}

void LspBackend::initialized(bool utf8) {
  agreed = utf8 ? Encoding::Utf8 : Encoding::Utf16;
  client->connection().notify("initialized", Json::object());
  ready = true;
  calm.start(calmAfterMs);
  if (!target.isEmpty())
    setTarget(target);
  if (!uri.isEmpty())
    sendOpen();
  for (Queued &queued : std::exchange(waiting, {}))
    client->connection().request(queued.method, std::move(queued.params),
                                 std::move(queued.done));
  emit stateChanged(EngineState::Ready, {});
  updateState();
}

void LspBackend::ended(const lsp::ExitStatus &status,
                       const std::string &stderrTail) {
  if (stopping)
    return;
  ready = false;
  QString last = QString::fromStdString(stderrTail).trimmed().section('\n', -1);
  QString why = status.signal ? tr("ended by signal %1").arg(status.signal)
                              : tr("exited with code %1").arg(status.code);
  if (!last.isEmpty())
    why += ": " + last;
  if (++restarts > mostRestarts) {
    failed = true;
    emit stateChanged(EngineState::Failed,
                      tr("The language server ended %n time(s) in a row (%1).",
                         nullptr, restarts)
                          .arg(why));
    return;
  }
  emit stateChanged(EngineState::Restarting, why);
  // A moment's pause, so that a server that dies at once does not spin.
  QTimer::singleShot(150 * restarts, this, [this] { launch(); });
}

void LspBackend::updateState() {
  if (ready)
    emit stateChanged(inFlight > 0 ? EngineState::Busy : EngineState::Ready,
                      {});
}

void LspBackend::notify(const std::string &method, Json params) {
  if (ready)
    client->connection().notify(method, std::move(params));
}

int64_t LspBackend::request(const std::string &method, Json params,
                            lsp::Connection::ResponseHandler done) {
  if (ready)
    return client->connection().request(method, std::move(params),
                                        std::move(done));
  if (failed)
    done({Json(), lsp::ResponseError{lsp::ErrorCode::ConnectionClosed,
                                     "no language server", Json()}});
  else
    waiting.push_back({method, std::move(params), std::move(done)});
  return 0;
}

template <typename T, typename Read>
int64_t LspBackend::ask(const std::string &method, Json params, Reply<T> reply,
                        Read read) {
  ++inFlight;
  updateState();
  return request(
      method, std::move(params),
      [this, reply = std::move(reply), read = std::move(read),
       method](lsp::Response response) {
        Answer<T> answer;
        if (response.error) {
          answer.error = response.error->diagnostic();
          // These two are no faults and have no code.
          auto code = response.error->code;
          bool stale = code == lsp::ErrorCode::ContentModified;
          if (stale || code == lsp::ErrorCode::RequestCancelled) {
            answer.error.code.clear();
            answer.error.message =
                (stale ? tr("the text was edited meanwhile") : tr("stopped"))
                    .toStdString();
          }
        } else {
          try {
            answer.value = read(response.result);
          } catch (const std::exception &error) {
            answer.error.code = "TW0604";
            answer.error.message = "the answer to " + method +
                                   " cannot be read: " + lsp::describe(error);
          }
        }
        // The tree of values is freed here, not in the UI thread.
        response.result = nullptr;
        QMetaObject::invokeMethod(
            this,
            [this, reply, answer = std::move(answer)] {
              --inFlight;
              updateState();
              reply(answer);
            },
            Qt::QueuedConnection);
      });
}

Json LspBackend::documentParams() const {
  Json params = {{"textDocument", {{"uri", uri.toStdString()}}}};
  // Requests run side by side: one that follows setTarget must not overtake it.
  if (!target.isEmpty())
    params["target"] = target.toStdString();
  return params;
}

void LspBackend::sendOpen() {
  notify("textDocument/didOpen", {{"textDocument",
                                   {{"uri", uri.toStdString()},
                                    {"languageId", "mlir"},
                                    {"version", version},
                                    {"text", shadow().toStdString()}}}});
}

void LspBackend::open(const QString &newUri, const QByteArray &newText) {
  if (!uri.isEmpty())
    notify("textDocument/didClose", documentParams());
  uri = newUri;
  copy.reset(newText);
  version = 1;
  sendOpen();
}

void LspBackend::change(qint64 newVersion,
                        const std::vector<TextChange> &changes) {
  version = newVersion;
  Json list = Json::array();
  for (const TextChange &one : changes) {
    copy.apply(one);
    list.push_back(
        {{"range", json(agreed == Encoding::Utf8 ? one.utf8 : one.utf16)},
         {"text", one.text.toStdString()}});
  }
  Json params = documentParams();
  params["textDocument"]["version"] = version;
  params["contentChanges"] = std::move(list);
  notify("textDocument/didChange", std::move(params));
}

void LspBackend::targets(Reply<TargetList> reply) {
  ask<TargetList>(
      "tilewright/targets", Json::object(), std::move(reply),
      [](const Json &result) {
        auto list = std::make_shared<TargetList>();
        for (const Json &target : result.at("targets")) {
          TargetInfo info;
          info.name = text(target, "name");
          info.description = text(target, "description");
          for (const Json &alias : target.value("aliases", Json::array()))
            info.aliases << QString::fromStdString(alias.get<std::string>());
          list->targets.push_back(std::move(info));
        }
        list->current = text(result, "current");
        return list;
      });
}

void LspBackend::setTarget(const QString &name) {
  target = name;
  if (ready)
    client->connection().request("tilewright/setTarget",
                                 {{"target", name.toStdString()}},
                                 [](lsp::Response) {});
}

void LspBackend::stages(Reply<model::StageTable> reply) {
  ask<model::StageTable>("tilewright/stages", documentParams(),
                         std::move(reply), [](const Json &result) {
                           return std::make_shared<model::StageTable>(
                               result.get<model::StageTable>());
                         });
}

void LspBackend::ir(const QString &pass, Reply<IrDocument> reply) {
  Json params = documentParams();
  params["stage"] = pass.toStdString();
  ask<IrDocument>("tilewright/ir", std::move(params), std::move(reply),
                  [](const Json &result) {
                    return IrDocument::make(result.get<model::PrintedStage>());
                  });
}

void LspBackend::graph(const QString &pass, Reply<model::Graph> reply) {
  Json params = documentParams();
  params["stage"] = pass.toStdString();
  ask<model::Graph>("tilewright/graph", std::move(params), std::move(reply),
                    [](const Json &result) {
                      return std::make_shared<model::Graph>(
                          result.get<model::Graph>());
                    });
}

/// Symbols nest as keys do: function, operation, operations in its regions.
static void collectKeys(const Json &symbols, const std::string &prefix,
                        std::vector<SourceKey> &keys) {
  for (const Json &symbol : symbols) {
    std::string name = symbol.value("name", "");
    while (!name.empty() && (name[0] == '%' || name[0] == '@'))
      name.erase(0, 1);
    // Several results print as "%a, %b" or "%a:2"; the first names the key.
    name = name.substr(0, name.find_first_of(", :"));
    if (name.empty())
      continue;
    std::string key = prefix.empty() ? name : prefix + "/" + name;
    if (std::string own = symbol.value("key", ""); !own.empty())
      key = own;
    DocumentRange range = rangeOf(symbol.at("range"));
    keys.push_back({key, range,
                    symbol.contains("selectionRange")
                        ? rangeOf(symbol.at("selectionRange"))
                        : range});
    if (symbol.contains("children"))
      collectKeys(symbol.at("children"), key, keys);
  }
}

void LspBackend::keys(Reply<SourceKeys> reply) {
  ask<SourceKeys>("textDocument/documentSymbol", documentParams(),
                  std::move(reply), [](const Json &result) {
                    auto keys = std::make_shared<SourceKeys>();
                    if (result.is_array())
                      collectKeys(result, "", keys->keys);
                    return keys;
                  });
}

void LspBackend::run(const RunSettings &settings,
                     Reply<model::RunResult> reply) {
  Json params = documentParams();
  params["threads"] = settings.threads;
  params["repeat"] = settings.repeat;
  params["check"] = settings.check;
  params["trace"] = settings.tracePath.toStdString();
  params["workDoneToken"] = "run";
  runId = ask<model::RunResult>("tilewright/run", std::move(params),
                                std::move(reply), [](const Json &result) {
                                  return std::make_shared<model::RunResult>(
                                      result.get<model::RunResult>());
                                });
}

void LspBackend::cancelRun() {
  if (ready && runId)
    client->connection().cancel(runId);
}

void LspBackend::hover(DocumentPosition position, Reply<QString> reply) {
  Json params = documentParams();
  params["position"] = json(position);
  ask<QString>("textDocument/hover", std::move(params), std::move(reply),
               [](const Json &result) {
                 auto markdown = std::make_shared<QString>();
                 if (result.is_object() && result.contains("contents")) {
                   const Json &contents = result["contents"];
                   *markdown =
                       contents.is_string()
                           ? QString::fromStdString(contents.get<std::string>())
                           : text(contents, "value");
                 }
                 return markdown;
               });
}

void LspBackend::receiveDiagnostics(const Json &params) {
  if (text(params, "uri") != uri)
    return;
  std::vector<SourceDiagnostic> list;
  qint64 about = -1;
  try {
    about = params.value("version", qint64(-1));
    for (const Json &item : params.at("diagnostics")) {
      SourceDiagnostic one;
      one.range = rangeOf(item.at("range"));
      one.severity = model::Severity(item.value("severity", 1));
      one.message = text(item, "message");
      if (item.contains("code"))
        one.code = item["code"].is_string()
                       ? text(item, "code")
                       : QString::fromStdString(item["code"].dump());
      if (item.contains("data") && item["data"].is_object())
        one.hint = text(item["data"], "hint");
      // The hint may already be part of the message, after a line break.
      if (!one.hint.isEmpty() && one.message.endsWith(one.hint))
        one.message =
            one.message.left(one.message.size() - one.hint.size()).trimmed();
      one.message = localizedMessage(one.code, one.message);
      one.hint = localizedHint(one.hint);
      list.push_back(std::move(one));
    }
  } catch (const std::exception &) {
    return; // a server that breaks its own protocol changes nothing here
  }
  emit diagnosticsPublished(about, list);
}

void LspBackend::receiveProgress(const Json &params) {
  const Json &value = params.contains("value") ? params["value"] : params;
  if (!value.is_object())
    return;
  double fraction = -1;
  if (value.contains("percentage") && value["percentage"].is_number())
    fraction = value["percentage"].get<double>() / 100;
  else if (value.contains("fraction") && value["fraction"].is_number())
    fraction = value["fraction"].get<double>();
  QString message = text(value, "message");
  if (message.isEmpty())
    message = text(value, "title");
  if (!message.isEmpty())
    emit progress(message, fraction);
}

} // namespace tilewright::gui
