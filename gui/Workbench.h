//===- Workbench.h - the open document and everything known about it ------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Backend.h"
#include "gui/GraphLayouter.h"
#include "gui/KeyColors.h"
#include "gui/LoadedTrace.h"
#include "gui/ProblemsModel.h"
#include "gui/SelectionModel.h"
#include "gui/StageModel.h"
#include <QTemporaryDir>
#include <QTimer>

namespace tilewright::gui {

/// Holds the state of Studio and no widget: asks the backend when the text or
/// the chosen pass changes, drops answers that came too late, and announces
/// what arrived. `generation` counts states of the text; an answer for an
/// older one is never shown over a newer one.
class Workbench : public QObject {
  Q_OBJECT
public:
  explicit Workbench(std::unique_ptr<StudioBackend> backend,
                     QObject *parent = nullptr);
  ~Workbench() override;

  StudioBackend &backend() { return *engine; }
  SelectionModel &selection() { return selected; }
  StageModel &stageModel() { return stages; }
  ProblemsModel &problems() { return problemList; }
  GraphLayouter &layouter() { return graphs; }
  KeyColors &colors() { return hues; }

  void start();
  void open(const QString &path, const QByteArray &text);
  bool hasDocument() const { return !uri.isEmpty(); }
  const QString &documentUri() const { return uri; }
  /// Edits of the source, from the editor.
  void edit(const std::vector<TextChange> &changes);

  void choosePass(const QString &pass);
  /// Chooses the last pass of a stage.
  void chooseStage(const QString &stage);
  /// Chosen before the stages are known: taken as soon as they arrive.
  void wishFor(const QString &stageOrPass) { wish = stageOrPass; }
  const QString &chosenPass() const { return pass; }
  QString chosenStage() const { return pass.section('/', 0, 0); }

  void setTarget(const QString &name);
  const TargetList &targets() const { return targetList; }

  void run();
  void cancelRun();
  bool running() const { return isRunning; }
  void openTrace(const QString &path);

  EngineState engineState() const { return state; }
  const QString &engineDetail() const { return stateDetail; }
  const model::StageTable *table() const { return stages.table(); }
  const model::RunResult *lastRun() const { return runResult.get(); }
  const std::shared_ptr<const LoadedTrace> &trace() const { return lastTrace; }
  /// Whether trace() was recorded here and not opened from a file.
  bool isTraceOfRun() const {
    return lastTrace && lastTrace->path.startsWith(scratch.path());
  }
  const std::shared_ptr<const SourceKeys> &sourceKeys() const { return keys; }
  quint64 generation() const { return currentGeneration; }
  /// Nothing is being asked, laid out or read; for tests and screenshots.
  bool settled() const;
  /// Why the chosen pass has no IR or graph; empty if it has or will.
  const QString &passError() const { return error; }
  /// Why there are no stages at all: the server or engine failed, not the text.
  const QString &stagesError() const { return noStages; }
  const QString &runError() const { return noRun; }
  /// The target, stage or pass that was wished for and is none; empty if all
  /// there was.
  const QString &wishError() const { return wrongWish; }

signals:
  void documentOpened();
  void engineChanged();
  void targetsChanged();
  void stagesChanged();
  void passChanged();
  void irArrived(std::shared_ptr<const tilewright::gui::IrDocument> document);
  void graphRequested();
  void graphArrived(std::shared_ptr<const tilewright::gui::GraphScene> scene);
  void passFailed(const QString &message);
  void keysArrived();
  void diagnosticsArrived(
      const std::vector<tilewright::gui::SourceDiagnostic> &diagnostics);
  void runStarted();
  void runFinished();
  void traceArrived();
  /// One line for the status bar.
  void message(const QString &text, bool isError);

private:
  void refresh();
  void requestStages();
  void startRun(const QString &tracePath);
  void takeTarget(const QString &wanted);
  void requestPass();
  void traceRead(LoadedTrace::Outcome outcome);
  QString explain(const model::Diagnostic &diagnostic) const;

  std::unique_ptr<StudioBackend> engine;
  SelectionModel selected;
  StageModel stages;
  ProblemsModel problemList;
  GraphLayouter graphs;
  KeyColors hues;
  Worker traces;
  QTimer settle; ///< waits for a pause in typing
  QTemporaryDir scratch;

  EngineState state = EngineState::Starting;
  QString stateDetail;
  QString uri;
  qint64 version = 0;
  quint64 currentGeneration = 0;
  quint64 passGeneration = 0;
  QString pass;
  QString wish;
  QString error;
  QString noStages;
  QString noRun;
  QString wrongWish;
  TargetList targetList;
  std::shared_ptr<const SourceKeys> keys;
  std::shared_ptr<const model::RunResult> runResult;
  std::shared_ptr<const LoadedTrace> lastTrace;
  bool isRunning = false;
  int asking = 0; ///< questions of the current generation without an answer
  quint64 runs = 0;
};

} // namespace tilewright::gui
