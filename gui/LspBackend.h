//===- LspBackend.h - the compiler through tilewright-lsp -----------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Backend.h"
#include "gui/ShadowText.h"
#include "lsp/client/Client.h"
#include <QTimer>

namespace tilewright::gui {

/// Starts tilewright-lsp and speaks the Language Server Protocol with it, as
/// any editor does. Messages are parsed and turned into model data in the
/// connection's thread. When the server ends it is started again (a few times
/// in a row, then the user is told) and the document replayed.
class LspBackend : public StudioBackend {
  Q_OBJECT
public:
  /// `program` is the path of tilewright-lsp; empty looks beside Studio.
  explicit LspBackend(QString program = {}, QObject *parent = nullptr);
  ~LspBackend() override;

  void start() override;
  Encoding encoding() const override { return agreed; }
  void open(const QString &uri, const QByteArray &text) override;
  void change(qint64 version, const std::vector<TextChange> &changes) override;
  void targets(Reply<TargetList> reply) override;
  void setTarget(const QString &name) override;
  void stages(Reply<model::StageTable> reply) override;
  void ir(const QString &pass, Reply<IrDocument> reply) override;
  void graph(const QString &pass, Reply<model::Graph> reply) override;
  void keys(Reply<SourceKeys> reply) override;
  void run(const RunSettings &settings, Reply<model::RunResult> reply) override;
  void cancelRun() override;
  void hover(DocumentPosition position, Reply<QString> reply) override;

  /// Process id of the server, -1 if none runs; for tests.
  qint64 serverPid() const;
  /// The document as the server has it; for tests and for replay.
  const QByteArray &shadow() const { return copy.text(); }

private:
  struct Queued {
    std::string method;
    lsp::Json params;
    lsp::Connection::ResponseHandler done;
  };
  void launch();
  void initialized(bool utf8);
  void ended(const lsp::ExitStatus &status, const std::string &stderrTail);
  void sendOpen();
  void notify(const std::string &method, lsp::Json params);
  /// Returns the request's id, or 0 if it waits for the server to be ready.
  int64_t request(const std::string &method, lsp::Json params,
                  lsp::Connection::ResponseHandler done);
  /// `read` makes the value from the result, in the connection's thread.
  template <typename T, typename Read>
  int64_t ask(const std::string &method, lsp::Json params, Reply<T> reply,
              Read read);
  lsp::Json documentParams() const;
  void updateState();
  void receiveDiagnostics(const lsp::Json &params);
  void receiveProgress(const lsp::Json &params);

  QString program;
  std::unique_ptr<lsp::Client> client;
  Encoding agreed = Encoding::Utf16;
  bool ready = false;
  bool failed = false;
  bool stopping = false;
  int restarts = 0;
  int inFlight = 0;
  int64_t runId = 0;
  quint64 life = 0; ///< counts servers; old ones' words are dropped
  QString uri;
  ShadowText copy;
  qint64 version = 0;
  QString target;
  std::vector<Queued> waiting;
  QTimer calm; ///< after a while without a crash the count starts anew
};

} // namespace tilewright::gui
