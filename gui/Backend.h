//===- Backend.h - what Studio asks of the compiler -----------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include "core/model/Run.h"
#include "core/model/Stage.h"
#include "gui/Document.h"
#include "gui/IrView.h"
#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <vector>

namespace tilewright::gui {

enum class EngineState { Starting, Ready, Busy, Restarting, Failed };

/// A value, or why there is none.
template <typename T> struct Answer {
  std::shared_ptr<const T> value;
  model::Diagnostic error;
  explicit operator bool() const { return value != nullptr; }
};
template <typename T> using Reply = std::function<void(const Answer<T> &)>;

struct TargetInfo {
  QString name;
  QString description;
  QStringList aliases;
};

struct TargetList {
  std::vector<TargetInfo> targets;
  QString current;
};

struct SourceKeys {
  std::vector<SourceKey> keys;
};

struct RunSettings {
  int threads = 0; ///< 0: all cores
  int repeat = 5;
  bool check = true;
  QString tracePath; ///< where the trace is to go
};

/// The compiler as Studio sees it: one open document and questions about it.
/// Everything returns at once; replies and signals come in the UI thread, with
/// JSON already parsed elsewhere. A reply may come for a state that is no
/// longer wanted: callers compare generations.
class StudioBackend : public QObject {
  Q_OBJECT
public:
  using QObject::QObject;

  virtual void start() = 0;
  virtual Encoding encoding() const = 0;

  /// Opens the document, closing one that was open.
  virtual void open(const QString &uri, const QByteArray &text) = 0;
  virtual void change(qint64 version,
                      const std::vector<TextChange> &changes) = 0;

  virtual void targets(Reply<TargetList> reply) = 0;
  virtual void setTarget(const QString &name) = 0;
  virtual void stages(Reply<model::StageTable> reply) = 0;
  virtual void ir(const QString &pass, Reply<IrDocument> reply) = 0;
  virtual void graph(const QString &pass, Reply<model::Graph> reply) = 0;
  virtual void keys(Reply<SourceKeys> reply) = 0;
  virtual void run(const RunSettings &settings,
                   Reply<model::RunResult> reply) = 0;
  virtual void cancelRun() = 0;
  /// Markdown about what stands at a place; empty for nothing.
  virtual void hover(DocumentPosition position, Reply<QString> reply) = 0;

signals:
  void stateChanged(tilewright::gui::EngineState state, const QString &detail);
  /// For `version` of the open document, or -1 if the server did not say.
  void diagnosticsPublished(
      qint64 version,
      const std::vector<tilewright::gui::SourceDiagnostic> &diagnostics);
  void progress(const QString &message, double fraction);
};

} // namespace tilewright::gui
