//===- ModelTest.cpp - stage tree, problems, workbench --------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "Canned.h"
#include "gui/ProblemsModel.h"
#include "gui/StageModel.h"
#include "gui/StageTree.h"
#include "gui/Workbench.h"
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

namespace tilewright::gui {

using Mode = QAbstractItemModelTester::FailureReportingMode;

static std::shared_ptr<const model::StageTable> tableOf(FakeBackend &backend) {
  return std::make_shared<model::StageTable>(backend.table);
}

class ModelTest : public QObject {
  Q_OBJECT
private slots:
  void stageModelIsAModel() {
    StageModel model;
    QAbstractItemModelTester tester(&model, Mode::QtTest);
    auto backend = cannedBackend();
    model.setTable(tableOf(*backend));
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.stages(),
             QStringList({"tensor", "tile", "block", "execution"}));
    QModelIndex tile = model.index(1, 0);
    QCOMPARE(model.rowCount(tile), 4);
    QModelIndex expand = model.indexOf("tile/expand-tiles");
    QCOMPARE(expand.parent(), tile);
    QVERIFY(expand.data(StageModel::Changed).toBool());
    QVERIFY(!model.indexOf("tensor/cse").data(StageModel::Changed).toBool());
    QVERIFY(
        model.indexOf("tile/place-tiles").data(StageModel::Reused).toBool());
    QCOMPARE(expand.siblingAtColumn(StageModel::Time).data().toString(),
             QString("2.71"));
    QCOMPARE(expand.siblingAtColumn(StageModel::Operations).data().toString(),
             QString("46"));
    QVERIFY(expand.data(Qt::ToolTipRole).toString().contains("measured"));
    QCOMPARE(model.lastPass("tile"), QString("tile/place-tiles"));
    QCOMPARE(
        model.indexOf("block/bufferize").data(StageModel::Share).toDouble(),
        1.0);
    QVERIFY(!model.indexOf("no/pass").isValid());
    model.setTable(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  /// The same passes again: rows stay, only data changes.
  void sameShapeKeepsRows() {
    StageModel model;
    auto backend = cannedBackend();
    model.setTable(tableOf(*backend));
    QPersistentModelIndex kept = model.indexOf("tile/expand-tiles");
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
    backend->table.passes[10].milliseconds = 9;
    model.setTable(tableOf(*backend));
    QCOMPARE(resets.size(), 0);
    QVERIFY(changes.size() > 0);
    QVERIFY(kept.isValid());
    QCOMPARE(kept.data(StageModel::Milliseconds).toDouble(), 9.0);
    backend->table.passes.pop_back();
    model.setTable(tableOf(*backend));
    QCOMPARE(resets.size(), 1);
  }

  void passesThatTouchTheSelection() {
    StageModel model;
    auto backend = cannedBackend();
    model.setTable(tableOf(*backend));
    model.setSelectedKeys({"swiglu_ffn/act"});
    QVERIFY(model.indexOf("tensor/decompose-composites")
                .data(StageModel::TouchesSelection)
                .toBool());
    QVERIFY(!model.indexOf("tile/choose-tiles")
                 .data(StageModel::TouchesSelection)
                 .toBool());
    model.setSelectedKeys({});
    QVERIFY(!model.indexOf("tensor/decompose-composites")
                 .data(StageModel::TouchesSelection)
                 .toBool());
  }

  void treeChooses() {
    StageModel model;
    StageTree tree(&model);
    auto backend = cannedBackend();
    model.setTable(tableOf(*backend));
    tree.resize(300, 500);
    tree.show();
    QSignalSpy chosen(&tree, &StageTree::passChosen);
    tree.choose("tile/expand-tiles");
    QCOMPARE(chosen.size(), 0);
    QCOMPARE(tree.chosen(), QString("tile/expand-tiles"));
    QModelIndex other = model.indexOf("block/bufferize");
    tree.scrollTo(other);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {},
                      tree.visualRect(other).center());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toString(), QString("block/bufferize"));
    // A stage stands for its last pass.
    tree.setCurrentIndex(model.index(0, 0));
    QCOMPARE(chosen[1][0].toString(), QString("tensor/dce"));
  }

  void problemsAreSorted() {
    ProblemsModel model;
    QAbstractItemModelTester tester(&model, Mode::QtTest);
    auto problem = [](int line, model::Severity severity) {
      SourceDiagnostic one;
      one.range = {{line, 0}, {line, 1}};
      one.severity = severity;
      one.message = QString("line %1").arg(line);
      return one;
    };
    model.setDiagnostics({problem(9, model::Severity::Warning),
                          problem(7, model::Severity::Error),
                          problem(2, model::Severity::Error)});
    QCOMPARE(model.index(0).data().toString(), QString("line 2"));
    QCOMPARE(model.index(2).data().toString(), QString("line 9"));
    QCOMPARE(model.index(0).data(ProblemsModel::LineRole).toInt(), 3);
    QCOMPARE(model.count(model::Severity::Error), 2);
    model.setDiagnostics({});
    QCOMPARE(model.rowCount(), 0);
  }

  void workbenchAsksAndDropsStaleAnswers() {
    auto owned = cannedBackend();
    FakeBackend *backend = owned.get();
    Workbench bench(std::move(owned));
    bench.start();
    bench.open("/tmp/a.mlir", cannedSource());
    QTRY_VERIFY(bench.settled() && bench.table());
    QCOMPARE(bench.chosenPass(), QString("tensor/dce"));
    QSignalSpy irs(&bench, &Workbench::irArrived);
    // Two choices in a row; the first answer comes last.
    backend->hold();
    bench.choosePass("tile/form-scopes");
    bench.choosePass("tile/expand-tiles");
    QCOMPARE(backend->heldCount(), size_t(4));
    backend->releaseOne(2); // ir of expand-tiles
    QCOMPARE(irs.size(), 1);
    backend->release();
    QCOMPARE(irs.size(), 1);
    QTRY_VERIFY(bench.settled());
    // An edit supersedes the compile that runs.
    backend->hold();
    bench.setTarget("ascend-a3");
    quint64 before = bench.generation();
    bench.edit({TextChange{{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}, "x"}});
    QVERIFY(bench.generation() > before);
    QSignalSpy tables(&bench, &Workbench::stagesChanged);
    backend->release();
    QCOMPARE(tables.size(), 0);
    QTRY_VERIFY(tables.size() > 0);
    QTRY_VERIFY(bench.settled());
    QVERIFY(backend->asked.contains("setTarget ascend-a3"));
    QCOMPARE(backend->changeCount, 1);
    QCOMPARE(backend->text.text(), "x" + cannedSource());
  }

  void workbenchKeepsTheLastGoodResult() {
    auto owned = cannedBackend();
    FakeBackend *backend = owned.get();
    Workbench bench(std::move(owned));
    bench.start();
    bench.open("/tmp/a.mlir", cannedSource());
    QTRY_VERIFY(bench.settled() && bench.table());
    size_t passes = bench.table()->passes.size();
    backend->table.passes.clear();
    backend->table.complete = false;
    bench.edit({TextChange{{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}, "x"}});
    QTRY_VERIFY(bench.settled());
    QCOMPARE(bench.table()->passes.size(), passes);
    // Diagnostics for an older text are not shown.
    SourceDiagnostic stale;
    stale.message = "stale";
    backend->publishFor(1, {stale});
    QCOMPARE(bench.problems().rowCount(), 0);
    backend->publish({stale});
    QCOMPARE(bench.problems().rowCount(), 1);
  }

  void workbenchSurvivesFailures() {
    auto owned = cannedBackend();
    FakeBackend *backend = owned.get();
    Workbench bench(std::move(owned));
    QSignalSpy messages(&bench, &Workbench::message);
    bench.start();
    model::Diagnostic died;
    died.code = "TW0601";
    died.message = "the engine died";
    backend->failing["run"] = died;
    bench.open("/tmp/a.mlir", cannedSource());
    QTRY_VERIFY(bench.settled() && bench.table());
    bench.run();
    QVERIFY(bench.running());
    QTRY_VERIFY(!bench.running());
    QVERIFY(messages.last()[0].toString().contains("TW0601"));
    QVERIFY(messages.last()[1].toBool());
    // A broken trace is a message, not a crash.
    backend->failing.clear();
    backend->traceJson = "{\"traceEvents\": [";
    bench.run();
    QTRY_VERIFY(bench.settled());
    QVERIFY(!bench.trace());
    backend->traceJson = cannedTrace(2, 20);
    bench.run();
    QTRY_VERIFY(bench.settled() && bench.trace());
    QCOMPARE(bench.trace()->store.size(), size_t(20));
    // The engine goes and comes back: everything is asked again.
    int stages = int(backend->asked.count("stages"));
    backend->setState(EngineState::Restarting, "exited with code 9");
    backend->setState(EngineState::Ready);
    QCOMPARE(int(backend->asked.count("stages")), stages + 1);
    QTRY_VERIFY(bench.settled());
  }
};

static RegisterSuite<ModelTest> suite("Model");

} // namespace tilewright::gui

#include "ModelTest.moc"
