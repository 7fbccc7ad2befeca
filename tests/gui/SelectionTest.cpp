//===- SelectionTest.cpp - one selection in five views --------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "Canned.h"
#include "gui/GraphCanvas.h"
#include "gui/MainWindow.h"
#include "gui/Sci.h"
#include "gui/SourceEditor.h"
#include "gui/TimelineCanvas.h"
#include <QSignalSpy>
#include <QTest>

namespace tilewright::gui {

class SelectionTest : public QObject {
  Q_OBJECT

  std::unique_ptr<MainWindow> window;

  void expectEverywhere(const char *name) {
    std::string key = std::string("swiglu_ffn/") + name;
    Workbench &bench = window->workbench();
    QCOMPARE(bench.selection().keys(), std::vector<std::string>{key});
    QVERIFY2(!window->source().highlights().empty(), "source");
    QVERIFY2(!window->ir().highlights().empty(), "ir");
    QVERIFY2(!window->graph().litNodes().empty(), "graph");
    QVERIFY2(bench.stageModel()
                 .indexOf("tile/expand-tiles")
                 .data(StageModel::TouchesSelection)
                 .toBool(),
             "passes");
    // The timeline lights the events made from it: they keep their colour.
    const auto &trace = *window->timeline().trace();
    QVERIFY2(!trace.keySets.lookup({key}).empty(), "timeline");
  }

private slots:
  void init() {
    window = std::make_unique<MainWindow>(cannedBackend());
    window->resize(1280, 800);
    window->show();
    QVERIFY(window->openFile(TILEWRIGHT_SOURCE_DIR
                             "/resources/examples/swiglu_ffn.mlir"));
    Workbench &bench = window->workbench();
    bench.wishFor("tile/expand-tiles");
    QTRY_VERIFY(bench.settled() && bench.table());
    bench.choosePass("tile/expand-tiles");
    bench.run();
    QTRY_VERIFY(bench.settled() && bench.trace());
  }
  void cleanup() { window.reset(); }

  void fromTheSource() {
    SourceEditor &editor = window->source();
    editor.setFocus();
    long at = editor.byteOf({4, 8}, Encoding::Utf8);
    send(&editor, Sci::SCI_GOTOPOS, at);
    QTRY_VERIFY(!window->workbench().selection().empty());
    expectEverywhere("gate");
    QCOMPARE(window->workbench().selection().origin(),
             SelectionModel::Origin::Source);
  }

  void fromTheIr() {
    IrView &ir = window->ir();
    ir.setFocus();
    long at = long(ir.document()->printed.text.find("%act"));
    send(&ir, Sci::SCI_GOTOPOS, at + 2);
    QTRY_VERIFY(!window->workbench().selection().empty());
    expectEverywhere("act");
  }

  void fromTheGraph() {
    GraphCanvas &graph = window->graph();
    graph.fit();
    QTest::mouseClick(&graph, Qt::LeftButton, {},
                      graph.screenRect("act").center().toPoint());
    expectEverywhere("act");
  }

  void fromTheTimeline() {
    TimelineCanvas &timeline = window->timeline();
    const auto &store = timeline.trace()->store;
    profiler::EventIndex event = profiler::noEvent;
    for (profiler::EventIndex e = 0; e < store.size(); ++e)
      if (store.nameOf(e) == "kernel_y")
        event = e;
    QTest::mouseClick(timeline.viewport(), Qt::LeftButton, {},
                      timeline.rectOf(event).center().toPoint());
    expectEverywhere("y");
    // Escape clears all.
    QTest::keyClick(&timeline, Qt::Key_Escape);
    QVERIFY(window->workbench().selection().empty());
    QVERIFY(window->source().highlights().empty());
    QVERIFY(window->ir().highlights().empty());
    QVERIFY(window->graph().litNodes().empty());
  }

  void itSurvivesAnotherPass() {
    window->workbench().selection().select({"swiglu_ffn/gate"},
                                           SelectionModel::Origin::None);
    window->workbench().choosePass("tensor/dce");
    QTRY_VERIFY(window->workbench().settled());
    QVERIFY(!window->ir().highlights().empty());
    QVERIFY(!window->graph().litNodes().empty());
  }

  void modelKeepsKeysSortedAndQuiet() {
    SelectionModel model;
    QSignalSpy changes(&model, &SelectionModel::changed);
    model.select({"b", "a", "b"}, SelectionModel::Origin::Graph);
    QCOMPARE(model.keys(), (std::vector<std::string>{"a", "b"}));
    model.select({"a", "b"}, SelectionModel::Origin::Ir);
    QCOMPARE(changes.size(), 1);
    QCOMPARE(model.describe(), QString("a, b"));
    model.clear();
    QCOMPARE(changes.size(), 2);
    QVERIFY(model.describe().isEmpty());
  }
};

static RegisterSuite<SelectionTest> suite("Selection");

} // namespace tilewright::gui

#include "SelectionTest.moc"
