//===- FakeBackend.h - a compiler that says what a test tells it ----------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Backend.h"
#include "gui/ShadowText.h"
#include <QFile>
#include <QTimer>
#include <map>

namespace tilewright::gui {

/// Answers from canned data on the next turn of the event loop, or when a test
/// releases them.
class FakeBackend : public StudioBackend {
  Q_OBJECT
public:
  using StudioBackend::StudioBackend;

  // What it answers.
  TargetList targetList;
  model::StageTable table;
  std::map<QString, model::PrintedStage> printed;
  std::map<QString, model::Graph> graphs;
  std::vector<SourceKey> sourceKeys;
  model::RunResult runResult;
  QByteArray traceJson; ///< written to the path a run asks for
  bool dead = false;    ///< the engine cannot be started
  std::map<QString, model::Diagnostic> failing; ///< "stages", "ir", "run" …
  Encoding positions = Encoding::Utf8;

  // What it saw.
  QString uri;
  ShadowText text;
  qint64 version = 0;
  int changeCount = 0;
  QStringList asked; ///< "stages", "ir tile/expand-tiles", …

  /// While held, answers queue up.
  void hold() { held = true; }
  void release() {
    held = false;
    for (auto &answer : std::exchange(queue, {}))
      answer();
  }
  /// Delivers the held answer number `i` only.
  void releaseOne(size_t i) {
    auto answer = queue[i];
    queue.erase(queue.begin() + long(i));
    answer();
  }
  size_t heldCount() const { return queue.size(); }
  void publish(const std::vector<SourceDiagnostic> &list) {
    emit diagnosticsPublished(version, list);
  }
  void publishFor(qint64 about, const std::vector<SourceDiagnostic> &list) {
    emit diagnosticsPublished(about, list);
  }
  void setState(EngineState state, const QString &detail = {}) {
    emit stateChanged(state, detail);
  }

  void start() override {
    if (dead)
      emit stateChanged(EngineState::Failed,
                        "tilewright-lsp cannot be started");
    else
      emit stateChanged(EngineState::Ready, {});
  }
  Encoding encoding() const override { return positions; }
  void open(const QString &newUri, const QByteArray &newText) override {
    uri = newUri;
    text.reset(newText);
    version = 1;
  }
  void change(qint64 newVersion,
              const std::vector<TextChange> &changes) override {
    version = newVersion;
    ++changeCount;
    for (const TextChange &one : changes)
      text.apply(one);
  }
  void targets(Reply<TargetList> reply) override {
    give<TargetList>("targets", reply, targetList);
  }
  void setTarget(const QString &name) override { asked << "setTarget " + name; }
  void stages(Reply<model::StageTable> reply) override {
    asked << "stages";
    ++table.generation;
    give<model::StageTable>("stages", reply, table);
  }
  void ir(const QString &pass, Reply<IrDocument> reply) override {
    asked << "ir " + pass;
    Answer<IrDocument> answer;
    if (auto bad = failing.find("ir"); bad != failing.end())
      answer.error = bad->second;
    else if (auto known = printed.find(pass); known != printed.end())
      answer.value = IrDocument::make(known->second);
    else
      answer.error.message = "no snapshot " + pass.toStdString();
    deliver([reply, answer] { reply(answer); });
  }
  void graph(const QString &pass, Reply<model::Graph> reply) override {
    asked << "graph " + pass;
    Answer<model::Graph> answer;
    if (auto known = graphs.find(pass); known != graphs.end())
      answer.value = std::make_shared<model::Graph>(known->second);
    else
      answer.error.message = "no graph " + pass.toStdString();
    deliver([reply, answer] { reply(answer); });
  }
  void keys(Reply<SourceKeys> reply) override {
    give<SourceKeys>("keys", reply, SourceKeys{sourceKeys});
  }
  void run(const RunSettings &settings,
           Reply<model::RunResult> reply) override {
    asked << "run";
    if (runResult.milliseconds.empty() && !settings.tracePath.isEmpty()) {
      Answer<model::RunResult> refused; // as interpreted targets are
      refused.error.code = "TW0556";
      return deliver([reply, refused] { reply(refused); });
    }
    QFile file(settings.tracePath);
    if (!traceJson.isEmpty() && file.open(QIODevice::WriteOnly))
      file.write(traceJson);
    file.close();
    model::RunResult result = runResult;
    if (!traceJson.isEmpty())
      result.tracePath = settings.tracePath.toStdString();
    give<model::RunResult>("run", reply, result);
  }
  void cancelRun() override { asked << "cancelRun"; }
  void hover(DocumentPosition, Reply<QString> reply) override {
    give<QString>("hover", reply, QString("**tw.matmul**"));
  }

private:
  template <typename T>
  void give(const QString &what, Reply<T> reply, const T &value) {
    Answer<T> answer;
    if (auto bad = failing.find(what); bad != failing.end())
      answer.error = bad->second;
    else
      answer.value = std::make_shared<T>(value);
    deliver([reply, answer] { reply(answer); });
  }
  void deliver(std::function<void()> answer) {
    if (held)
      queue.push_back(std::move(answer));
    else
      QTimer::singleShot(0, this, std::move(answer));
  }
  bool held = false;
  std::vector<std::function<void()>> queue;
};

} // namespace tilewright::gui
