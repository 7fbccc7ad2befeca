//===- Workbench.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Workbench.h"

#include "gui/DiagnosticHints.h"
#include "gui/DiagnosticTitles.h"
#include "lsp/protocol/Uri.h"
#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace tilewright::gui {

/// A pause in typing after which the stages are asked for.
static constexpr int settleMs = 120;

Workbench::Workbench(std::unique_ptr<StudioBackend> backend, QObject *parent)
    : QObject(parent), engine(std::move(backend)) {
  settle.setSingleShot(true);
  settle.setInterval(settleMs);
  connect(&settle, &QTimer::timeout, this, &Workbench::refresh);
  connect(engine.get(), &StudioBackend::stateChanged, this,
          [this](EngineState next, const QString &detail) {
            bool back =
                next == EngineState::Ready && state == EngineState::Restarting;
            state = next;
            stateDetail = detail;
            if (next == EngineState::Failed) {
              ++currentGeneration; // nothing will be answered any more
              asking = 0;
              isRunning = false;
            }
            emit engineChanged();
            // After a restart what was asked before is asked again.
            if (back && hasDocument())
              refresh();
          });
  connect(engine.get(), &StudioBackend::diagnosticsPublished, this,
          [this](qint64 about, const std::vector<SourceDiagnostic> &list) {
            if (about >= 0 && about < version)
              return;
            problemList.setDiagnostics(list);
            emit diagnosticsArrived(list);
          });
  connect(engine.get(), &StudioBackend::progress, this,
          [this](const QString &text, double) { emit message(text, false); });
  connect(&graphs, &GraphLayouter::started, this, &Workbench::graphRequested);
  connect(&graphs, &GraphLayouter::finished, this, &Workbench::graphArrived);
  connect(&selected, &SelectionModel::changed, this,
          [this] { stages.setSelectedKeys(selected.keys()); });
}

Workbench::~Workbench() = default;

void Workbench::start() {
  engine->start();
  engine->targets([this](const Answer<TargetList> &answer) {
    if (!answer)
      return;
    QString wanted = targetList.current;
    targetList = *answer.value;
    takeTarget(wanted);
    emit targetsChanged();
  });
}

/// A target chosen before the targets were known.
void Workbench::takeTarget(const QString &wanted) {
  if (wanted.isEmpty())
    return;
  QStringList names;
  for (const TargetInfo &target : targetList.targets) {
    names << target.name;
    if (target.name == wanted || target.aliases.contains(wanted)) {
      targetList.current = target.name;
      return;
    }
  }
  wrongWish = tr("There is no target %1; there is: %2")
                  .arg(wanted, names.join(tr(", ")));
  emit message(wrongWish, true);
  engine->setTarget(targetList.current);
  if (hasDocument())
    refresh();
}

void Workbench::open(const QString &path, const QByteArray &text) {
  uri = QString::fromStdString(
      lsp::uriFromPath(QFileInfo(path).absoluteFilePath().toStdString()));
  version = 1;
  selected.clear();
  keys = nullptr;
  runResult = nullptr;
  lastTrace = nullptr;
  stages.setTable(nullptr);
  pass.clear();
  graphs.setGraph(nullptr);
  emit irArrived(nullptr);
  emit traceArrived();
  emit diagnosticsArrived({});
  problemList.setDiagnostics({});
  engine->open(uri, text);
  emit documentOpened();
  refresh();
}

void Workbench::edit(const std::vector<TextChange> &changes) {
  if (!hasDocument())
    return;
  engine->change(++version, changes);
  ++currentGeneration;
  settle.start();
}

bool Workbench::settled() const {
  return asking == 0 && !settle.isActive() && !graphs.busy() &&
         !traces.busy() && !isRunning;
}

QString Workbench::explain(const model::Diagnostic &diagnostic) const {
  QString text = localizedMessage(QString::fromStdString(diagnostic.code),
                                  QString::fromStdString(diagnostic.message));
  if (!diagnostic.hint.empty())
    text += "\n" + localizedHint(QString::fromStdString(diagnostic.hint));
  if (!diagnostic.code.empty())
    text = QString::fromStdString(diagnostic.code) + ": " + text;
  return text;
}

void Workbench::refresh() {
  settle.stop();
  ++currentGeneration;
  asking = 0;
  quint64 mine = currentGeneration;
  ++asking;
  engine->keys([this, mine](const Answer<SourceKeys> &answer) {
    if (mine != currentGeneration)
      return;
    --asking;
    if (!answer)
      return; // half-typed text; what was known stays
    keys = answer.value;
    hues.setOrder(keys->keys);
    emit keysArrived();
  });
  requestStages();
}

void Workbench::requestStages() {
  quint64 mine = currentGeneration;
  ++asking;
  engine->stages([this, mine](const Answer<model::StageTable> &answer) {
    if (mine != currentGeneration)
      return;
    --asking;
    if (!answer) {
      error = noStages = explain(answer.error);
      emit passFailed(error);
      emit stagesChanged();
      return;
    }
    noStages.clear();
    // A text that does not compile keeps showing the last result that did.
    bool nothing = answer.value->passes.empty();
    if (nothing && stages.table() && !stages.table()->passes.empty()) {
      emit stagesChanged();
      return;
    }
    stages.setTable(answer.value);
    if (!wish.isEmpty()) {
      QString wanted = wish.contains('/') ? wish : stages.lastPass(wish);
      if (stages.indexOf(wanted).isValid())
        pass = wanted;
      else if (!nothing)
        emit message(wrongWish =
                         tr("There is no stage or pass %1; there is: %2")
                             .arg(wish, stages.stages().join(tr(", "))),
                     true);
      wish.clear();
    }
    if (!stages.indexOf(pass).isValid())
      pass = stages.stages().isEmpty()
                 ? QString()
                 : stages.lastPass(stages.stages().first());
    error = nothing && !answer.value->diagnostics.empty()
                ? explain(answer.value->diagnostics.front())
                : QString();
    emit stagesChanged();
    emit passChanged();
    if (!pass.isEmpty())
      requestPass();
    else
      emit passFailed(error);
  });
}

void Workbench::choosePass(const QString &name) {
  if (name.isEmpty() || name == pass)
    return;
  pass = name;
  emit passChanged();
  requestPass();
}

void Workbench::chooseStage(const QString &stage) {
  choosePass(stages.lastPass(stage));
}

void Workbench::requestPass() {
  quint64 mine = ++passGeneration;
  quint64 state = currentGeneration;
  error.clear();
  auto arrived = [this, state] {
    if (state == currentGeneration)
      --asking;
  };
  asking += 2;
  engine->ir(
      pass, [this, mine, state, arrived](const Answer<IrDocument> &answer) {
        arrived();
        // An edit overtakes what was asked of the older text.
        if (mine != passGeneration || (!answer && state != currentGeneration))
          return;
        if (answer) {
          emit irArrived(answer.value);
          return;
        }
        error = explain(answer.error);
        emit passFailed(error);
      });
  engine->graph(
      pass, [this, mine, state, arrived](const Answer<model::Graph> &answer) {
        arrived();
        if (mine != passGeneration || (!answer && state != currentGeneration))
          return;
        if (answer) {
          graphs.setGraph(answer.value);
          return;
        }
        error = explain(answer.error);
        emit passFailed(error);
      });
}

void Workbench::setTarget(const QString &name) {
  if (name == targetList.current)
    return;
  targetList.current = name;
  engine->setTarget(name);
  emit targetsChanged();
  if (hasDocument())
    refresh();
}

void Workbench::run() {
  if (isRunning || !hasDocument())
    return;
  isRunning = true;
  noRun.clear();
  emit runStarted();
  startRun(scratch.filePath(QString("run-%1.json").arg(++runs)));
}

void Workbench::startRun(const QString &tracePath) {
  RunSettings settings;
  settings.tracePath = tracePath;
  quint64 mine = runs;
  engine->run(settings, [this, mine, path = settings.tracePath](
                            const Answer<model::RunResult> &answer) {
    if (mine != runs)
      return;
    // Targets that are interpreted refuse to record a trace; which do is the
    // engine's to know.
    if (!answer && answer.error.code == "TW0556" && !path.isEmpty())
      return startRun({});
    isRunning = false;
    if (!answer) {
      noRun = explain(answer.error);
      emit runFinished();
      emit message(noRun, true);
      return;
    }
    runResult = answer.value;
    QString trace = QString::fromStdString(runResult->tracePath);
    if (trace.isEmpty() && QFile::exists(path))
      trace = path;
    // Where nothing was timed there is no trace: the run was interpreted. That
    // of another run says nothing about this one.
    if (trace.isEmpty())
      lastTrace = nullptr;
    emit runFinished();
    emit message({}, false); // what was said while it ran is over
    if (trace.isEmpty())
      emit traceArrived();
    else
      openTrace(trace);
  });
}

void Workbench::cancelRun() {
  if (isRunning)
    engine->cancelRun();
}

void Workbench::openTrace(const QString &path) {
  traces.start(
      [path](std::stop_token stop) { return LoadedTrace::read(path, stop); },
      [this](LoadedTrace::Outcome outcome) { traceRead(std::move(outcome)); });
}

void Workbench::traceRead(LoadedTrace::Outcome outcome) {
  if (!outcome.trace) {
    noRun = explain(outcome.error);
    emit message(noRun, true);
    return;
  }
  lastTrace = outcome.trace;
  emit traceArrived();
}

} // namespace tilewright::gui
