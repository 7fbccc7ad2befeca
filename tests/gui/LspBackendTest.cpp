//===- LspBackendTest.cpp - with the real language server -----------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "Canned.h"
#include "gui/LspBackend.h"
#include "gui/MainWindow.h"
#include "gui/StatusLine.h"
#include "gui/Workbench.h"
#include <QFileInfo>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <csignal>

namespace tilewright::gui {

/// The programs of this build, unless the environment names others.
static QString built(const char *variable, const char *name) {
  return qEnvironmentVariable(variable,
                              QString(TILEWRIGHT_BINARY_DIR "/bin/") + name);
}
static const QString server = built("TILEWRIGHT_LSP", "tilewright-lsp");
static const QString engine = built("TILEWRIGHT_ENGINE", "tilewright-engine");

static const QByteArray smallSource =
    R"(func.func @f(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %c = tw.matmul %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %0 = tw.relu %c : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
)";

class LspBackendTest : public QObject {
  Q_OBJECT
private slots:
  void shadowFollowsEdits() {
    ShadowText text;
    text.reset("ab\r\ncd\nef");
    auto edit = [&](DocumentRange range, const char *with) {
      text.apply({range, {}, with});
    };
    edit({{1, 0}, {1, 1}}, "张");
    QCOMPARE(text.text(), QByteArray("ab\r\n张d\nef"));
    edit({{0, 2}, {1, 0}}, "");
    QCOMPARE(text.text(), QByteArray("ab张d\nef"));
    edit({{1, 2}, {1, 2}}, "\ngh\n");
    edit({{3, 0}, {3, 0}}, "end");
    QCOMPARE(text.text(), QByteArray("ab张d\nef\ngh\nend"));
    edit({{99, 0}, {99, 9}}, "!");
    QCOMPARE(text.text(), QByteArray("ab张d\nef\ngh\nend!"));
  }

  void saysThatThereIsNoServer() {
    LspBackend backend("/nonexistent/tilewright-lsp");
    QSignalSpy states(&backend, &StudioBackend::stateChanged);
    bool answered = false;
    backend.stages([&](const Answer<model::StageTable> &answer) {
      answered = true;
      QVERIFY(!answer);
    });
    backend.start();
    QCOMPARE(states.last()[0].value<EngineState>(), EngineState::Failed);
    QVERIFY(
        states.last()[1].toString().contains("/nonexistent/tilewright-lsp"));
    QTRY_VERIFY(answered);
  }

  void aServerThatEndsAtOnceIsTriedAFewTimes() {
    LspBackend backend("/bin/false");
    QSignalSpy states(&backend, &StudioBackend::stateChanged);
    backend.start();
    QTRY_COMPARE_WITH_TIMEOUT(states.last()[0].value<EngineState>(),
                              EngineState::Failed, 10000);
  }

  void requestsCarryTheTarget() {
    if (!QFileInfo::exists(server) || !QFileInfo::exists(engine))
      QSKIP("tilewright-lsp or tilewright-engine is not built");
    LspBackend backend(server);
    backend.start();
    backend.open("file:///small.mlir", smallSource);
    // Asked at once, each answer is for the target chosen before it.
    QStringList wanted, answered;
    for (int i = 0; i < 12; ++i) {
      QString target = i % 2 ? "ascend-a3" : "cpu-generic";
      wanted << target;
      backend.setTarget(target);
      backend.stages([&, i](const Answer<model::StageTable> &answer) {
        QVERIFY2(answer, answer.error.message.c_str());
        while (answered.size() <= i)
          answered << QString();
        answered[i] = QString::fromStdString(answer.value->target);
      });
    }
    QTRY_COMPARE_WITH_TIMEOUT(answered, wanted, 30000);
  }

  void anInterpretedTargetIsRunAndHasNoTimeline() {
    if (!QFileInfo::exists(server) || !QFileInfo::exists(engine))
      QSKIP("tilewright-lsp or tilewright-engine is not built");
    Workbench bench(std::make_unique<LspBackend>(server));
    bench.setTarget("ascend-a3");
    bench.start();
    bench.open("/small.mlir", smallSource);
    QTRY_VERIFY_WITH_TIMEOUT(bench.settled() && bench.table(), 30000);
    QCOMPARE(bench.table()->target, std::string("ascend-a3"));
    bench.run();
    QTRY_VERIFY_WITH_TIMEOUT(bench.settled() && bench.lastRun(), 60000);
    QVERIFY2(bench.runError().isEmpty(), qPrintable(bench.runError()));
    QCOMPARE(bench.lastRun()->target, std::string("ascend-a3"));
    QVERIFY(bench.lastRun()->milliseconds.empty());
    QVERIFY(!bench.lastRun()->checks.empty());
    QVERIFY(!bench.trace());
    // And back: timed, with a trace.
    bench.setTarget("cpu");
    QTRY_VERIFY_WITH_TIMEOUT(bench.settled() && bench.table()->target == "cpu",
                             30000);
    bench.run();
    QTRY_VERIFY_WITH_TIMEOUT(bench.trace(), 60000);
    QVERIFY(bench.isTraceOfRun());
    QVERIFY(!bench.lastRun()->milliseconds.empty());
  }

  void theStatusBarCountsWhatOnlyCompilingFinds() {
    if (!QFileInfo::exists(server) || !QFileInfo::exists(engine))
      QSKIP("tilewright-lsp or tilewright-engine is not built");
    MainWindow window(std::make_unique<LspBackend>(server));
    window.show();
    Workbench &bench = window.workbench();
    bench.open("/branch.mlir",
               R"(func.func @f(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %r = scf.if %c -> (tensor<4xf32>) {
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
)");
    QTRY_COMPARE_WITH_TIMEOUT(bench.problems().count(model::Severity::Error), 1,
                              30000);
    QStringList words;
    for (QLabel *label :
         window.findChild<StatusLine *>()->findChildren<QLabel *>())
      words << label->text();
    QVERIFY2(words.contains("1 error(s)"), qPrintable(words.join("|")));
    bench.open("/small.mlir", smallSource);
    QTRY_COMPARE_WITH_TIMEOUT(bench.problems().rowCount(), 0, 30000);
  }

  void unnamedOperationsHaveTheirKeys() {
    if (!QFileInfo::exists(server) || !QFileInfo::exists(engine))
      QSKIP("tilewright-lsp or tilewright-engine is not built");
    Workbench bench(std::make_unique<LspBackend>(server));
    bench.start();
    bench.open("/small.mlir", smallSource);
    QTRY_VERIFY_WITH_TIMEOUT(bench.settled() && bench.sourceKeys(), 30000);
    std::string found;
    for (const SourceKey &key : bench.sourceKeys()->keys)
      if (key.range.begin.line == 2)
        found = key.key;
    QVERIFY2(found.starts_with("f/tw.relu~"), found.c_str());
  }

  void answersAndSurvivesAKill() {
    if (!QFileInfo::exists(server) || !QFileInfo::exists(engine))
      QSKIP("tilewright-lsp or tilewright-engine is not built");
    auto owned = std::make_unique<LspBackend>(server);
    LspBackend *backend = owned.get();
    Workbench bench(std::move(owned));
    bench.start();
    bench.open(TILEWRIGHT_SOURCE_DIR "/resources/examples/swiglu_ffn.mlir",
               cannedSource());
    QTRY_VERIFY_WITH_TIMEOUT(bench.settled() && bench.table() &&
                                 !bench.table()->passes.empty(),
                             30000);
    QVERIFY(bench.stageModel().stages().contains("tensor"));
    QTRY_VERIFY_WITH_TIMEOUT(!bench.targets().targets.empty(), 10000);
    QVERIFY(bench.sourceKeys());
    std::vector<std::string> keys;
    for (const SourceKey &key : bench.sourceKeys()->keys)
      keys.push_back(key.key);
    for (const char *wanted : {"swiglu_ffn", "swiglu_ffn/gate", "swiglu_ffn/y"})
      QVERIFY2(std::find(keys.begin(), keys.end(), wanted) != keys.end(),
               wanted);
    // A text with a mistake is reported, one without is not.
    QSignalSpy published(backend, &StudioBackend::diagnosticsPublished);
    QByteArray source = cannedSource();
    int line = int(source.left(source.indexOf("%act = tw.silu")).count('\n'));
    TextChange typo;
    typo.utf8 = typo.utf16 = {{line, 2}, {line, 2}};
    typo.text = "%oops = tw.nosuch %gate\n  ";
    bench.edit({typo});
    QTRY_VERIFY_WITH_TIMEOUT(bench.problems().rowCount() > 0, 20000);
    TextChange back;
    back.utf8 = back.utf16 = {{line, 2}, {line + 1, 2}};
    bench.edit({back});
    QCOMPARE(backend->shadow(), source);
    QTRY_VERIFY_WITH_TIMEOUT(
        bench.problems().rowCount() == 0 && bench.settled(), 20000);
    // Kill the server: it comes back with the same text.
    QSignalSpy states(backend, &StudioBackend::stateChanged);
    ::kill(pid_t(backend->serverPid()), SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(bench.engineState() == EngineState::Restarting ||
                                 states.size() > 1,
                             10000);
    QSignalSpy tables(&bench, &Workbench::stagesChanged);
    QTRY_VERIFY_WITH_TIMEOUT(tables.size() > 0 && bench.settled(), 30000);
    QVERIFY(bench.table() && !bench.table()->passes.empty());
  }
};

static RegisterSuite<LspBackendTest> suite("LspBackend");

} // namespace tilewright::gui

#include "LspBackendTest.moc"
