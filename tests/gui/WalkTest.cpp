//===- WalkTest.cpp - what a person does, with the real server ------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "gui/FindBar.h"
#include "gui/GraphCanvas.h"
#include "gui/LspBackend.h"
#include "gui/MainWindow.h"
#include "gui/Panel.h"
#include "gui/ProblemsList.h"
#include "gui/Sci.h"
#include "gui/SourceEditor.h"
#include "gui/StageTree.h"
#include "gui/StatusLine.h"
#include "gui/TimelineCanvas.h"
#include "gui/Workbench.h"
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

namespace tilewright::gui {

static const QString server = qEnvironmentVariable(
    "TILEWRIGHT_LSP", TILEWRIGHT_BINARY_DIR "/bin/tilewright-lsp");

static const QByteArray text =
    R"(func.func @f(%a: tensor<64x96xf32>, %b: tensor<96x32xf32>) -> tensor<64x32xf32> {
  %c = tw.matmul %a, %b : (tensor<64x96xf32>, tensor<96x32xf32>) -> tensor<64x32xf32>
  %0 = tw.relu %c : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %y = tw.softmax %0 {axis = -1} : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
)";

/// Processes of this name below the server.
static std::vector<pid_t> childrenNamed(qint64 parent, const QByteArray &name) {
  std::vector<pid_t> found;
  for (const QString &entry : QDir("/proc").entryList(QDir::Dirs)) {
    bool isNumber = false;
    int pid = entry.toInt(&isNumber);
    QFile stat("/proc/" + entry + "/stat");
    if (!isNumber || !stat.open(QIODevice::ReadOnly))
      continue;
    QByteArray line = stat.readAll();
    qsizetype close = line.lastIndexOf(')');
    if (!line.mid(line.indexOf('(') + 1).startsWith(name.left(15)))
      continue;
    QList<QByteArray> fields = line.mid(close + 2).split(' ');
    if (fields.value(1).toLongLong() == parent)
      found.push_back(pid);
  }
  return found;
}

class WalkTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder;
  std::unique_ptr<MainWindow> window;
  LspBackend *backend = nullptr;

  Workbench &bench() { return window->workbench(); }
  GraphCanvas &graph() { return window->graph(); }

  bool settled() {
    return QTest::qWaitFor(
        [this] { return bench().settled() && bench().table(); }, 60000);
  }
  void clickNode(const std::string &label, bool twice = false) {
    for (const viz::SceneNode &node : graph().scene()->scene.nodes)
      if (node.title.text == label) {
        QPoint at = graph().screenRect(node.id).center().toPoint();
        if (twice)
          QTest::mouseDClick(&graph(), Qt::LeftButton, {}, at);
        else
          QTest::mouseClick(&graph(), Qt::LeftButton, {}, at);
        return;
      }
    QFAIL(("no node " + label).c_str());
  }
  long lineOfCaret() {
    return send(&window->source(), Sci::SCI_LINEFROMPOSITION,
                window->source().caret());
  }
  void clickSource(int line, int column) {
    SourceEditor &source = window->source();
    long at = source.byteOf({line, column}, Encoding::Utf8);
    QPoint point(int(send(&source, Sci::SCI_POINTXFROMPOSITION, 0, at)) + 2,
                 int(send(&source, Sci::SCI_POINTYFROMPOSITION, 0, at)) + 6);
    QTest::mouseClick(source.viewport(), Qt::LeftButton, {}, point);
    QCoreApplication::processEvents();
  }

private slots:
  void init() {
    if (!QFileInfo::exists(server))
      QSKIP("tilewright-lsp is not built");
    QString path = folder.filePath("f.mlir");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    auto owned = std::make_unique<LspBackend>(server);
    backend = owned.get();
    window = std::make_unique<MainWindow>(std::move(owned));
    window->resize(1280, 720);
    window->show();
    QVERIFY(QTest::qWaitForWindowExposed(window.get()));
    QVERIFY(window->openFile(path));
    QVERIFY(settled());
    QVERIFY(bench().table()->complete);
  }
  void cleanup() { window.reset(); }

  void fromNodeToSourceAndBack() {
    // An unnamed operation: its name is its place.
    // Which operation stands where is asked for once the text is open.
    SourceEditor &source = window->source();
    QTRY_VERIFY_WITH_TIMEOUT(
        !source.keysAt(source.byteOf({2, 10}, Encoding::Utf8)).empty(), 60000);
    // Told with the next drawing, which a busy machine puts off; a click on
    // what is still being laid out is made again, too late for a double click.
    auto selected = [this] { return !bench().selection().keys().empty(); };
    for (int clicks = 0; clicks < 10 && !selected(); ++clicks) {
      clickSource(2, 10);
      QTest::qWaitFor(selected, 2000);
    }
    QVERIFY(selected());
    QVERIFY(bench().selection().keys().front().starts_with("f/tw.relu~"));
    QCOMPARE(graph().litNodes().size(), size_t(1));
    QVERIFY(!window->ir().highlights().empty());
    // A click on a node lights the source up, a double click goes there.
    clickNode("c");
    QCOMPARE(bench().selection().keys(), std::vector<std::string>{"f/c"});
    QCOMPARE(window->source().highlights().size(), size_t(1));
    clickNode("c", true);
    QCOMPARE(lineOfCaret(), 1L);
    QTRY_VERIFY(window->source().hasFocus());
    for (const viz::SceneNode &node : graph().scene()->scene.nodes)
      if (graph().scene()->graph->nodes[node.graphNode].op == "tw.relu") {
        clickNode(node.title.text, true);
        break;
      }
    QCOMPARE(lineOfCaret(), 2L);
  }

  void closedGroupsOpenForTheSelection() {
    bench().chooseStage("tile");
    QVERIFY(settled());
    bench().layouter().setAllOpen(false);
    QVERIFY(settled());
    QCOMPARE(graph().scene()->scene.nodes.size(), size_t(1));
    clickSource(1, 4);
    QTest::keyClick(window.get(), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(settled());
    QTRY_VERIFY(graph().scene()->scene.nodes.size() > 1);
    bool seen = false;
    for (uint32_t node : graph().litNodes())
      seen |= QRectF(graph().rect())
                  .contains(graph().screenRect(
                      graph().scene()->graph->nodes[node].id));
    QVERIFY(seen);
  }

  void editsRefreshWhatIsShown() {
    bench().choosePass("tensor/source");
    QVERIFY(settled());
    size_t before = graph().scene()->graph->nodes.size();
    clickSource(3, 2);
    QTest::keyClick(window->source().viewport(), Qt::Key_Home);
    QTest::keyClicks(window->source().viewport(),
                     "%z = tw.exp %c : (tensor<64x32xf32>) -> "
                     "tensor<64x32xf32>");
    QTest::keyClick(window->source().viewport(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(
        bench().settled() && graph().scene()->graph->nodes.size() == before + 1,
        30000);
    QTRY_VERIFY_WITH_TIMEOUT(window->ir().bytes().contains("tw.exp"), 10000);
    // Undone, it is gone.
    for (int i = 0; i < 80 && window->source().bytes() != text; ++i)
      window->source().undo();
    QCOMPARE(window->source().bytes(), text);
    QTRY_VERIFY_WITH_TIMEOUT(bench().settled() &&
                                 graph().scene()->graph->nodes.size() == before,
                             30000);
  }

  void errorsAreUnderlinedListedAndMended() {
    clickSource(1, 2);
    SourceEditor &source = window->source();
    long at = source.bytes().indexOf("%b : (");
    send(&source, Sci::SCI_GOTOPOS, at + 1);
    QTest::keyClicks(source.viewport(), "nosuch");
    QTRY_COMPARE_WITH_TIMEOUT(bench().problems().count(model::Severity::Error),
                              1, 30000);
    QVERIFY(window->problems().isVisible());
    QVERIFY(!source.lineNote(1).isEmpty());
    // The squiggle is on the name.
    bool underlined = false;
    for (int indicator = 0; indicator < 32; ++indicator)
      if (indicator != 8 && indicator != 14)
        underlined |=
            send(&source, Sci::SCI_INDICATORVALUEAT, indicator, at + 3) != 0;
    QVERIFY(underlined);
    // What was known stays; a click in the list goes to the place.
    QVERIFY(graph().scene());
    clickSource(5, 0);
    QTest::mouseClick(window->problems().viewport(), Qt::LeftButton, {},
                      {60, 12});
    QCOMPARE(lineOfCaret(), 1L);
    for (int i = 0; i < 20 && source.bytes() != text; ++i)
      source.undo();
    QTRY_VERIFY_WITH_TIMEOUT(bench().problems().rowCount() == 0, 30000);
    QTRY_VERIFY(!window->problems().isVisible());
  }

  void stagesPassesAndTargets() {
    for (int key : {Qt::Key_2, Qt::Key_3, Qt::Key_4, Qt::Key_1}) {
      QTest::keyClick(window.get(), Qt::Key(key), Qt::ControlModifier);
      QVERIFY(settled());
      QCOMPARE(QString::fromStdString(graph().scene()->scene.stage),
               bench().chosenStage());
      QVERIFY(!window->ir().bytes().isEmpty());
    }
    // A click in the list of passes.
    StageTree &tree = window->passes();
    QModelIndex pass = bench().stageModel().indexOf("tensor/source");
    tree.scrollTo(pass);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {},
                      tree.visualRect(pass).center());
    QTRY_COMPARE(bench().chosenPass(), QString("tensor/source"));
    QVERIFY(settled());
    auto *targets = window->findChild<QComboBox *>();
    QVERIFY(targets->findText("ascend-a3") >= 0);
    targets->setFocus();
    targets->setCurrentText("ascend-a3");
    emit targets->textActivated("ascend-a3");
    QTRY_VERIFY_WITH_TIMEOUT(
        settled() && bench().table()->target == "ascend-a3", 30000);
    QTest::keyClick(window.get(), Qt::Key_3, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(window->ir().bytes().contains("set_event") ||
                                 window->ir().bytes().contains("block.kernel"),
                             30000);
  }

  void runsAndShowsOneRun() {
    int before = graph().height();
    QTest::keyClick(window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(bench().trace() && bench().settled(), 120000);
    TimelineCanvas &timeline = window->timeline();
    QVERIFY(timeline.isVisible());
    QTRY_VERIFY(graph().height() < before);
    Panel *panel = nullptr;
    for (QWidget *at = &timeline; at && !panel; at = at->parentWidget())
      panel = qobject_cast<Panel *>(at);
    // The time in the header and the length of the trace are of one run.
    double best = *std::min_element(bench().lastRun()->milliseconds.begin(),
                                    bench().lastRun()->milliseconds.end());
    double traced = double(bench().trace()->store.range().length()) / 1e6;
    QVERIFY2(
        std::abs(traced - best) <= 0.05 * best + 0.005,
        qPrintable(QString("%1 ms traced, %2 best").arg(traced).arg(best)));
    QVERIFY2(panel->detail().contains("fastest of"),
             qPrintable(panel->detail()));
    // A click on a task selects its operations in every view.
    for (profiler::EventIndex i = 0; i < bench().trace()->store.size(); ++i) {
      QRectF where = timeline.rectOf(i);
      if (where.width() < 8 ||
          !timeline.viewport()->rect().contains(where.center().toPoint()))
        continue;
      QTest::mouseClick(timeline.viewport(), Qt::LeftButton, {},
                        where.center().toPoint());
      break;
    }
    QVERIFY(!bench().selection().keys().empty());
    QVERIFY(!window->source().highlights().empty());
    QVERIFY(!graph().litNodes().empty());
  }

  void findsInEveryView() {
    window->source().setFocus();
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    FindBar &source = window->sourceFind();
    QVERIFY(source.isVisible());
    QTest::keyClicks(&source.input(), "TENSOR<64x32");
    QCOMPARE(source.countText(), QString("1 of 7"));
    QTest::keyClick(&source.input(), Qt::Key_Return);
    QCOMPARE(source.countText(), QString("2 of 7"));
    QTest::keyClick(&source.input(), Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClick(&source.input(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(source.countText(), QString("7 of 7"));
    QCOMPARE(lineOfCaret(), 4L);
    QTest::keyClick(&source.input(), Qt::Key_Escape);
    QVERIFY(!source.isVisible());
    QVERIFY(window->source().hasFocus());
    // In the graph it opens what is closed.
    bench().chooseStage("tile");
    QVERIFY(settled());
    bench().layouter().setAllOpen(false);
    QVERIFY(settled());
    graph().setFocus();
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    FindBar &nodes = window->graphFind();
    QVERIFY(nodes.isVisible());
    QTest::keyClicks(&nodes.input(), "matmul");
    QVERIFY(settled());
    QVERIFY2(QRegularExpression("^\\d+ of \\d+$")
                 .match(nodes.countText())
                 .hasMatch(),
             qPrintable(nodes.countText()));
    QTRY_VERIFY(graph().scene()->scene.nodes.size() > 1);
    QTest::keyClicks(&nodes.input(), "nothing like it");
    QCOMPARE(nodes.countText(), QString("nothing found"));
  }

  void buttonsOpenAndCloseGroups() {
    bench().chooseStage("block");
    QVERIFY(settled());
    bench().layouter().setAllOpen(false);
    QVERIFY(settled());
    QTRY_VERIFY(graph().scene()->scene.groups.empty());
    const viz::SceneNode node = graph().scene()->scene.nodes.front();
    QRectF where = graph().screenRect(node.id);
    QTest::mouseClick(&graph(), Qt::LeftButton, {},
                      QPointF(where.right(), where.center().y()).toPoint());
    QVERIFY(settled());
    QTRY_COMPARE(graph().scene()->scene.groups.size(), size_t(1));
    QRectF box = graph().screenRect(node.id);
    QVERIFY((box.topLeft() - where.topLeft()).manhattanLength() < 2);
  }

  void theEngineMayDie() {
    for (int round = 0; round < 2; ++round) {
      // The engines are children of the server.
      std::vector<pid_t> engines =
          childrenNamed(backend->serverPid(), "tilewright-engine");
      QVERIFY(!engines.empty());
      for (pid_t pid : engines)
        ::kill(pid, SIGKILL);
      clickSource(0, 0);
      QTest::keyClicks(window->source().viewport(), "// still here");
      QTest::keyClick(window->source().viewport(), Qt::Key_Return);
      quint64 generation = bench().generation();
      QTRY_VERIFY_WITH_TIMEOUT(
          bench().generation() > generation && bench().settled(), 30000);
      QTRY_VERIFY_WITH_TIMEOUT(
          bench().table()->complete && bench().stagesError().isEmpty(), 30000);
      QTRY_COMPARE_WITH_TIMEOUT(bench().engineState(), EngineState::Ready,
                                30000);
      bench().choosePass(round ? "tensor/dce" : "tensor/source");
      QVERIFY(settled());
      QVERIFY2(bench().passError().isEmpty(), qPrintable(bench().passError()));
    }
    // And the server itself.
    ::kill(pid_t(backend->serverPid()), SIGKILL);
    QTRY_COMPARE_WITH_TIMEOUT(bench().engineState(), EngineState::Restarting,
                              10000);
    QTRY_COMPARE_WITH_TIMEOUT(bench().engineState(), EngineState::Ready, 30000);
    bench().chooseStage("block");
    QVERIFY(settled());
    QTRY_COMPARE_WITH_TIMEOUT(
        QString::fromStdString(graph().scene()->scene.stage), QString("block"),
        30000);
  }
};

static RegisterSuite<WalkTest> suite("Walk");

} // namespace tilewright::gui

#include "WalkTest.moc"
